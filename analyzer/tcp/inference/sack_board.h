// SPDX-License-Identifier: GPL-2.0-or-later
// What a receiver has reported beyond its cumulative ACK (RFC 2018), as offsets of the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class SackBoard {
public:
    struct Range {
        std::uint64_t begin = 0, end = 0;
    };

    // True if it brought bytes that were not on the board.
    bool add(std::uint64_t begin, std::uint64_t end);
    // Everything below is acknowledged. True if that took ranges off the board.
    bool acknowledged(std::uint64_t offset);

    const std::vector<Range> &ranges() const { return ranges_; } // sorted, apart from each other
    std::uint64_t bytes() const { return bytes_; }

private:
    static constexpr std::size_t most_ranges = 256; // beyond: what does not touch a range is not kept

    std::vector<Range> ranges_;
    std::uint64_t bytes_ = 0;
};

} // namespace iscsiscope
