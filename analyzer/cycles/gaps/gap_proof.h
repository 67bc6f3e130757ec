// SPDX-License-Identifier: GPL-2.0-or-later
// The frames that prove the kind of an idle gap. A pure function of the kind and of GapEvidence.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/cycles/records/records.h"

#include <array>

namespace iscsiscope {

// In order of time; unused elements have no frame. ended_by: the frame that ended the gap.
std::array<GapProofFrame, 3> proof_of(GapKind, const GapEvidence &, OptionalFrame ended_by);

} // namespace iscsiscope
