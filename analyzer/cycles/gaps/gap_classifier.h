// SPDX-License-Identifier: GPL-2.0-or-later
// Determines the kind of an idle gap and the frames that prove it. Pure functions of GapEvidence.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/cycles/records/records.h"

#include <array>

namespace iscsiscope {

// The kind of the first rule that holds, in the order of docs/figures.md, "Idle gap"; unclassified if none
// does.
GapKind classify(const GapEvidence &);
// In order of time; unused elements have no frame. ended_by: the frame that ended the gap.
std::array<GapProofFrame, 3> proof_of(GapKind, const GapEvidence &, OptionalFrame ended_by);

} // namespace iscsiscope
