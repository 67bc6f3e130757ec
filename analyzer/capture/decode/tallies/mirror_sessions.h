// SPDX-License-Identifier: GPL-2.0-or-later
// MirrorSessions: what the sequence numbers of ERSPAN show of the copies that were lost between the mirror
// and the capture. The network lost none of them.
#pragma once

#include "analyzer/capture/segment.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace iscsiscope {

// One ERSPAN session of one mirror, whose packets have sequence numbers.
struct MirrorSession {
    IpAddress source;          // the mirror
    std::uint16_t session = 0; // its number, 0 to 1023
    std::uint64_t packets = 0; // with a sequence number, in the capture
    std::uint64_t dropped = 0; // whose numbers were passed over
};

// Follows the numbers of each session. A packet that comes late by up to `window` numbers is not counted as
// dropped, nor is one that comes twice. A step of more than `restart` numbers, in either direction, is taken
// for a mirror that began anew. Numbers that never change (some mirrors send none but 0) show nothing.
class MirrorSessions {
public:
    static constexpr std::uint32_t window = 1024;
    static constexpr std::uint32_t restart = 1U << 20;
    static constexpr std::size_t max_sessions = 1024; // further ones are not followed

    void add(const IpAddress &source, const IpAddress &destination, std::uint16_t session,
             std::uint32_t sequence);
    // The sessions with numbers, in the order of source, destination and session.
    std::vector<MirrorSession> sessions() const;

private:
    using Key = std::tuple<IpAddress, IpAddress, std::uint16_t>;
    struct Follower {
        std::uint32_t highest = 0;
        std::uint64_t packets = 0, dropped = 0;
        bool moved = false;       // numbers differ
        std::bitset<window> seen; // by number modulo window: the last `window` numbers up to `highest`

        void begin(std::uint32_t sequence);
        void add(std::uint32_t sequence);
    };
    std::map<Key, Follower> followers_;
};

} // namespace iscsiscope
