// SPDX-License-Identifier: GPL-2.0-or-later
// The blocks of a logical unit that were written: ranges of blocks, each with its first and its last Write.
// In bounded memory: where there are too many ranges, every second region of the unit is left out, the same
// ones whoever wrote them, so that what two hosts wrote can be compared.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/base/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace iscsiscope {

struct WrittenRange {
    std::uint64_t end = 0; // one past its last block
    Time first_start{}, first_end{}, last_start{}, last_end{};
    OptionalFrame first_frame, last_frame;                  // of these commands
    Time first_read = Time::max(), last_read = Time::min(); // when Reads of them were answered
};

class WrittenBlocks {
public:
    static constexpr std::size_t max_ranges = 512;
    static constexpr unsigned region_shift = 11;       // regions of 2,048 blocks
    static constexpr std::uint64_t max_blocks = 65536; // of one Write; of a longer one the rest is left out

    // The range from this block on was written; what it overlaps is divided. Its reads count as well.
    void add(std::uint64_t from, const WrittenRange &);
    // These blocks were read: counts for the ranges that begin in them, and for Writes that come soon after.
    void read(std::uint64_t from, std::uint64_t end, Time);
    const std::map<std::uint64_t, WrittenRange> &ranges() const { return ranges_; }

private:
    struct RecentRead {
        std::uint64_t from = 0, end = 0;
        Time time{};
    };

    bool kept(std::uint64_t region) const;
    void note_reads(std::uint64_t from, WrittenRange &) const;
    void put(std::uint64_t from, const WrittenRange &);
    void divide(std::uint64_t at);
    void thin();

    std::map<std::uint64_t, WrittenRange> ranges_; // by first block; they do not overlap
    unsigned level_ = 0;                           // of 2^level regions one is kept
    std::array<RecentRead, 16> reads_{};           // the latest, in turn
    std::size_t next_read_ = 0;
};

} // namespace iscsiscope
