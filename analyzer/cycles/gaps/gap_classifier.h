// SPDX-License-Identifier: GPL-2.0-or-later
// Determines the kind of an idle gap: the kind of the first rule whose evidence is present, in the order of
// docs/figures.md, "Idle gap". A pure function of GapEvidence.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/cycles/records/causes.h"

namespace iscsiscope {

// The kind of the first rule that holds; unclassified if none does.
GapKind classify(const GapEvidence &);

} // namespace iscsiscope
