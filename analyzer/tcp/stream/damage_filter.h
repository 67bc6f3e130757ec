// SPDX-License-Identifier: GPL-2.0-or-later
// DamageFilter: decides whether a segment of one sender was damaged on its way, so that no receiver takes it.
//
// In: the sender's segments whose content matters, in file order. Two counts are the state: right sums and
// wrong ones. A wrong sum is damage if the right sums outnumber the wrong ones by `min_right` to one. Else
// this tap sees the sums before the sender's network card fills them in, and a wrong one means nothing. The
// judgement is causal: of the first segments of a connection none is taken for damaged.
#pragma once

#include "analyzer/capture/tcp_checksum.h"

#include <cstdint>

namespace iscsiscope {

class DamageFilter {
public:
    bool damaged(const Segment &s) {
        if (right_ == most || wrong_ == most) {
            right_ = static_cast<std::uint16_t>(right_ / 2);
            wrong_ = static_cast<std::uint16_t>(wrong_ / 2);
        }
        switch (tcp_checksum(s)) {
        case TcpChecksum::right:
            ++right_;
            return false;
        case TcpChecksum::wrong:
            ++wrong_;
            return wrong_ * min_right <= right_;
        case TcpChecksum::unfilled:
        case TcpChecksum::unknown:
            break;
        }
        return false;
    }

    // A network that damages one packet in five carries no TCP; offloaded sums are wrong of nearly all.
    static constexpr std::uint32_t min_right = 4;

private:
    static constexpr std::uint16_t most = 0xffff; // then both counts are halved: a connection has two filters
    std::uint16_t right_ = 0, wrong_ = 0;
};

} // namespace iscsiscope
