// SPDX-License-Identifier: GPL-2.0-or-later
// ReleaseVotes: whether a sender's pipe keeps coming back to one level. Each group of segments that an ACK
// released gives a vote; the last six count.
#pragma once

#include <bit>

namespace iscsiscope {

class ReleaseVotes {
public:
    // came_back: the group brought the pipe back to the level. full: its last packet was a full one.
    void add(bool came_back, bool full) {
        constexpr unsigned mask = (1U << judged) - 1;
        came_back_ = (came_back_ << 1 | (came_back ? 1U : 0U)) & mask;
        full_ = (full_ << 1 | (full ? 1U : 0U)) & mask;
        ++votes_;
        held_ = std::popcount(came_back_) >= min_back && std::popcount(full_) >= min_full;
    }
    void forget() { *this = {}; }

    bool enough() const { return votes_ >= judged; }
    // True if the level is held, by the votes so far.
    bool held() const { return held_; }

private:
    static constexpr unsigned judged = 6;
    static constexpr int min_back = 4;
    // Half of them must have ended with a full packet, because the last packet of an application's write is
    // usually short. (PSH is no such mark: Linux sets it on every packet group since 5.4.)
    static constexpr int min_full = 3;

    unsigned came_back_ = 0, full_ = 0; // one bit per group, the latest lowest
    unsigned votes_ = 0;
    bool held_ = false;
};

} // namespace iscsiscope
