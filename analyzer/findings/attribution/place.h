// SPDX-License-Identifier: GPL-2.0-or-later
// Where a cause was met: the one connection, host, target or logical unit, and the one type of command, on
// which it is concentrated more than its part of the commands explains.
#pragma once

#include "analyzer/findings/attribution/attribution.h"
#include "analyzer/findings/finding.h"

namespace iscsiscope {

// Empty: there is no such subset, or chance would make it as well.
FindingPlace place_of(FindingKind, const Lost &, const Facts &);

} // namespace iscsiscope
