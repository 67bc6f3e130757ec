// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the TCP ports of the portals that targets name: TargetAddress in the answer to SendTargets and in
// a login redirection (RFC 7143 section 13.8).
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>
#include <set>

namespace iscsiscope {

// pdu: a Text Response or Login Response.
void add_named_ports(const Pdu &pdu, std::set<std::uint16_t> &ports);

} // namespace iscsiscope
