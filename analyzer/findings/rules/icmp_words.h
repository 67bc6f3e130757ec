// SPDX-License-Identifier: GPL-2.0-or-later
// What ICMP says of packets, in words; and which of it concerns the packets that a rule is about.
#pragma once

#include "analyzer/capture/decode/icmp_errors.h"
#include "analyzer/findings/rules/rule.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// "10.0.1.1 says by ICMP that packets of more than 1,500 bytes do not pass". A clause without a full stop.
std::string icmp_words(const IcmpError &);
// Of the messages that this holds for, those that came most often: rows of one sender that say the same count
// together, as the one with the first frame. Empty: there is none.
std::optional<IcmpError> commonest(const std::vector<IcmpError> &,
                                   const std::function<bool(const IcmpError &)> &);
// Adds " 10.0.1.1 says by ICMP that ... (8 messages)." and its first frame.
void add_icmp(Finding &, const IcmpError &);

} // namespace iscsiscope
