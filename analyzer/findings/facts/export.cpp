// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/export.h"

namespace iscsiscope {
namespace {

bool lacks_bytes(const ConnectionFacts &c) {
    return c.record.unseen_to_target + c.record.unseen_to_initiator != 0;
}

} // namespace

bool is_export(const ConnectionFacts &c) {
    constexpr std::uint64_t enough = 8; // data segments of each end
    constexpr std::uint64_t handshake = 2;
    return lacks_bytes(c) && c.to_target && c.to_initiator && c.record.segments_to_target >= enough &&
           c.record.segments_to_initiator >= enough &&
           c.to_target->pure_acks + c.to_initiator->pure_acks <= handshake;
}

bool is_export(const Facts &facts) {
    bool any = false;
    for (const ConnectionFacts &c : facts.connections) {
        if (lacks_bytes(c) && !is_export(c))
            return false;
        any = any || is_export(c);
    }
    return any;
}

} // namespace iscsiscope
