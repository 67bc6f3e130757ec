// SPDX-License-Identifier: GPL-2.0-or-later
// What a receiver has reported beyond its cumulative ACK (RFC 2018), as offsets of the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class SackBoard {
public:
    static constexpr std::uint64_t not_counted = ~std::uint64_t{0};
    struct Range {
        std::uint64_t begin = 0, end = 0;
        std::uint64_t packets = not_counted;
    };

    // True if it brought bytes that were not on the board.
    bool add(std::uint64_t begin, std::uint64_t end);
    // Everything below is acknowledged. True if that took ranges off the board.
    bool acknowledged(std::uint64_t offset);

    const std::vector<Range> &ranges() const { return ranges_; } // sorted, apart from each other
    std::uint64_t bytes() const { return bytes_; }
    // Packets on the board; count(range) is asked only for ranges that are new or have changed.
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
    static constexpr std::size_t most_ranges = 256; // beyond: what does not touch a range is not kept

    std::vector<Range> ranges_;
    std::uint64_t bytes_ = 0;
};

} // namespace iscsiscope
