// SPDX-License-Identifier: GPL-2.0-or-later
// SenderFace: what the packets of one sender look like at the tap below TCP, by which those of another
// machine with its address are recognised, and when it sent.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/capture/segment.h"

#include <algorithm>
#include <cstdint>

namespace iscsiscope {

// Of one packet.
struct PacketFace {
    MacAddress mac{};     // all zero: not known
    std::uint8_t ttl = 0; // IPv4 time to live or IPv6 hop limit; 0: not known
};

// Of a sender's packets but its RSTs, of which a run of equal ones counts by its first. Several addresses or
// distances are usual where routers share the load.
struct SenderFace {
    // Without a packet for so long a sender is quiet. iSCSI ends ping each other every 5 s where they do
    // (open-iscsi), and a device in between forgets no connection sooner than in minutes (RFC 5382 REQ-5: two
    // hours).
    static constexpr Duration quiet_from = std::chrono::seconds(60);

    MacAddress mac{};                      // of the first packet that has one
    bool other_macs = false;               // others had another one
    std::uint8_t min_ttl = 0, max_ttl = 0; // 0: none is known
    bool any = false;
    Time last{};             // of the packet seen last
    Duration pause_before{}; // before that one; zero: it was the first
    Duration quiet{};        // the last pause of quiet_from or more; zero: none
    Time quiet_until{};      // when it ended

    void note(const Segment &s) {
        if (s.source_mac != MacAddress{} && mac == MacAddress{})
            mac = s.source_mac;
        else
            other_macs = other_macs || (s.source_mac != MacAddress{} && s.source_mac != mac);
        if (s.ip_ttl != 0) {
            min_ttl = min_ttl == 0 ? s.ip_ttl : std::min(min_ttl, s.ip_ttl);
            max_ttl = std::max(max_ttl, s.ip_ttl);
        }
        if (any && s.time < last) // capture times may go back
            return;
        pause_before = any ? s.time - last : Duration{};
        if (pause_before >= quiet_from) {
            quiet = pause_before;
            quiet_until = s.time;
        }
        last = s.time;
        any = true;
    }

    // True if the packet has another hardware address than all others, which have one.
    bool foreign_mac(const PacketFace &p) const {
        return p.mac != MacAddress{} && mac != MacAddress{} && !other_macs && p.mac != mac;
    }
    // By how many hops its time to live is beyond those of the others; 0: it is among them, or not known.
    unsigned hops_off(const PacketFace &p) const {
        if (p.ttl == 0 || max_ttl == 0)
            return 0;
        return p.ttl > max_ttl ? p.ttl - max_ttl : p.ttl < min_ttl ? min_ttl - p.ttl : 0;
    }
};

} // namespace iscsiscope
