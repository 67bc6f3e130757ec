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
// Rows of one sender that say the same of packets to one host are one, that with the first frame: each
// attempt to connect has a port of its own, and so a row.
std::vector<IcmpError> summed(const std::vector<IcmpError> &);
// Of the messages that this holds for, summed, those that came most often. Empty: there is none.
std::optional<IcmpError> commonest(const std::vector<IcmpError> &,
                                   const std::function<bool(const IcmpError &)> &);
// Adds " 10.0.1.1 says by ICMP that ... (8 messages)." and its first frame.
void add_icmp(Finding &, const IcmpError &);

} // namespace iscsiscope
