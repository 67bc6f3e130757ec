// SPDX-License-Identifier: GPL-2.0-or-later
// SackBoard: the ranges that a receiver has SACKed beyond its cumulative ACK (RFC 2018), as offsets of the
// stream. At most 256 ranges are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class SackBoard {
public:
    static constexpr std::size_t max_ranges = 256; // at the limit new ranges are ignored
    static constexpr std::uint64_t not_counted = ~std::uint64_t{0};
    struct Range {
        std::uint64_t begin = 0, end = 0;
        std::uint64_t packets = not_counted;
    };

    // Adds [begin, end). Returns true if some of its bytes were not on the board.
    bool add(std::uint64_t begin, std::uint64_t end);
    // Removes everything below the offset. Returns true if that changed the board.
    bool acknowledged(std::uint64_t offset);

    const std::vector<Range> &ranges() const { return ranges_; } // sorted, disjoint, not adjacent
    std::uint64_t bytes() const { return bytes_; }
    // Returns the packets on the board; count(range) is called only for ranges that are new or changed.
    template <class Count>
    std::uint64_t packets(Count count) {
        std::uint64_t sum = 0;
        for (Range &r : ranges_) {
            if (r.packets == not_counted)
                r.packets = count(r);
            sum += r.packets;
        }
        return sum;
    }

private:
    std::vector<Range> ranges_;
    std::uint64_t bytes_ = 0;
};

} // namespace iscsiscope
