// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/tallies/mirror_sessions.h"

namespace iscsiscope {

// Nothing is missing before the first number.
void MirrorSessions::Follower::begin(std::uint32_t sequence) {
    dropped += window - seen.count();
    highest = sequence;
    seen.set();
}

void MirrorSessions::Follower::add(std::uint32_t sequence) {
    const std::uint32_t ahead = sequence - highest, behind = highest - sequence; // modulo 2^32
    if (packets++ == 0) {
        seen.set();
        begin(sequence);
        return;
    }
    moved = moved || ahead != 0;
    if (ahead > restart && behind > restart) {
        begin(sequence);
    } else if (ahead <= restart) {
        // Numbers that leave the window without a packet are dropped ones.
        if (ahead > window) {
            dropped += window - seen.count() + (ahead - window);
            seen.reset();
        } else {
            for (std::uint32_t n = highest + 1; n != sequence + 1; ++n) {
                dropped += seen.test(n % window) ? 0 : 1;
                seen.reset(n % window);
            }
        }
        highest = sequence;
        seen.set(sequence % window);
    } else if (behind < window) {
        seen.set(sequence % window);
    } else if (dropped != 0) { // later than the window: it was counted, and is there after all
        --dropped;
    }
}

void MirrorSessions::add(const IpAddress &source, const IpAddress &destination, std::uint16_t session,
                         std::uint32_t sequence) {
    const Key key{source, destination, session};
    auto at = followers_.find(key);
    if (at == followers_.end()) {
        if (followers_.size() == max_sessions)
            return;
        at = followers_.emplace(key, Follower{}).first;
    }
    at->second.add(sequence);
}

std::vector<MirrorSession> MirrorSessions::sessions() const {
    std::vector<MirrorSession> all;
    for (const auto &[key, f] : followers_)
        if (f.moved)
            all.push_back(
                {std::get<0>(key), std::get<2>(key), f.packets, f.dropped + (window - f.seen.count())});
    return all;
}

} // namespace iscsiscope
