// SPDX-License-Identifier: GPL-2.0-or-later
// FallsAtLoss: whether the level of a sender's pipe, in packets, falls at each loss. A loss makes the level
// of a congestion window fall for good (Reno halves it, CUBIC leaves 0.7: RFC 9438 section 4.6), that of a
// paced sender not.
#pragma once

#include <cstdint>

namespace iscsiscope {

class FallsAtLoss {
public:
    // A loss began to be repaired; the level before.
    void lost(std::uint64_t level) { at_loss_ = level; }
    // The level is known again.
    void found(std::uint64_t level) {
        if (at_loss_ == 0)
            return;
        falls_ = 5 * level < 4 * at_loss_ ? falls_ + 1 : 0;
        at_loss_ = 0;
    }
    bool shown() const { return falls_ >= needed; }

private:
    static constexpr unsigned needed = 2;

    std::uint64_t at_loss_ = 0; // 0: no loss since the level was last known
    unsigned falls_ = 0;        // consecutive losses at which it fell
};

} // namespace iscsiscope
