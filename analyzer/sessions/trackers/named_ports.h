// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the TCP ports of the portals that targets name: TargetAddress in the answer to SendTargets and in
// a login redirection (RFC 7143 section 13.8).
#pragma once

#include "analyzer/iscsi/framing/pdu/pdu.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace iscsiscope {

// Returns the port of a TargetAddress "host[:port][,portal-group-tag]", 3260 if it has none; empty if it is
// no number.
std::optional<std::uint16_t> port_of_target_address(std::string_view);

class NamedPorts {
public:
    // A Text Response or Login Response.
    void take(const Pdu &);
    const std::set<std::uint16_t> &ports() const { return ports_; }

private:
    std::set<std::uint16_t> ports_;
};

} // namespace iscsiscope
