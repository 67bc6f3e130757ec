// SPDX-License-Identifier: GPL-2.0-or-later
// On which connection, host, target, logical unit or type of command a finding is concentrated, in words.
#pragma once

#include "analyzer/findings/facts/facts.h"
#include "analyzer/findings/finding.h"

#include <string>

namespace iscsiscope {

// "LUN 2 only: 58 % of its busy time, <0.1 % of the others'." Empty without a place.
std::string where_words(const FindingPlace &, const Facts &);

} // namespace iscsiscope
