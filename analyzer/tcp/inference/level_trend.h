// SPDX-License-Identifier: GPL-2.0-or-later
// LevelTrend: how the level of a sender's pipe, in packets, changes from round trip to round trip. Every
// standard window grows by about a packet per round trip while it limits the sender. A level that is constant
// for many round trips has another cause, usually the sender's buffer; one that grows by a quarter in one is
// in slow start.
#pragma once

#include <cstdint>

namespace iscsiscope {

class LevelTrend {
public:
    // A round trip has passed. held: the pipe keeps coming back to the level; limited: the level is the
    // window.
    void round_trip_passed(std::uint64_t level, bool held, bool limited) {
        if (limited && before_ > 0)
            growing_fast_ = 4 * level >= 5 * before_ && level >= before_ + 2;
        const bool flat = level > 0 && level == before_ && held;
        flat_round_trips_ = flat ? flat_round_trips_ + 1 : 0;
        before_ = level;
    }
    void set_growing_fast(bool fast) { growing_fast_ = fast; } // known otherwise, until the next round trip
    // The level begins anew.
    void forget_level() { before_ = flat_round_trips_ = 0; }

    // True if the level has been constant for longer than a congestion window would be.
    bool plateau() const { return flat_round_trips_ >= plateau_round_trips; }
    bool growing_fast() const { return growing_fast_; }

private:
    static constexpr unsigned plateau_round_trips = 16;

    std::uint64_t before_ = 0; // a round trip ago
    unsigned flat_round_trips_ = 0;
    bool growing_fast_ = false;
};

} // namespace iscsiscope
