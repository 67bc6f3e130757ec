// SPDX-License-Identifier: GPL-2.0-or-later
// The values that the logins of the capture put in force, for remedies that name a setting.
#pragma once

#include "analyzer/findings/rules/rule.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace iscsiscope {

// Returns " In force: MaxBurstLength=262144, MaxOutstandingR2T=1." with the values of all accepted logins of
// normal sessions ("65536 or 262144" where they differ), in the order of the names; keys whose value no login
// shows are left out. Empty if none is known. names: of RFC 7143 section 13; for MaxRecvDataSegmentLength
// both ends' values are given.
std::string keys_in_force(const RuleContext &, std::initializer_list<std::string_view> names);

} // namespace iscsiscope
