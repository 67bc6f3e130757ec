// SPDX-License-Identifier: GPL-2.0-or-later
// What ICMP says of the packets of iSCSI.
//
// In: all ICMP errors of a capture about TCP, and the facts of its records. Out: those about connections that
// carry iSCSI and about attempts to connect to a portal; and in the facts, an attempt of which the capture
// did not show how it ended counts as unanswered if ICMP says that its SYN did not arrive; one of a single
// SYN whose hops ran out counts as a traceroute's, of which nothing is known.
#pragma once

#include "analyzer/capture/decode/icmp_errors.h"
#include "analyzer/findings/facts/facts.h"

#include <vector>

namespace iscsiscope {

// A message that the packets did not reach their end. Not one that they were too large or too many.
bool says_unreachable(const IcmpError &);
// To be called once all records are in the facts.
std::vector<IcmpError> take_icmp(Facts &, const std::vector<IcmpError> &);

} // namespace iscsiscope
