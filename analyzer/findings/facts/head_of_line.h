// SPDX-License-Identifier: GPL-2.0-or-later
// Finds small Reads and Writes whose answer waited behind the data of a large one on the same connection
// (head-of-line blocking). Keeps the latest large task of a connection, and where the latest eight ended.
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/findings/facts/facts.h"

#include <algorithm>
#include <array>

namespace iscsiscope {

class HeadOfLine {
public:
    // Bytes. Hosts cut large requests into commands of 64 to 256 KiB; four small ones pass in less time.
    static constexpr std::uint64_t small_to = 16384, large_from = 65536, cut_to = 262144;
    // Large commands of a connection whose ends are kept, to know the last pieces of cut requests.
    static constexpr std::size_t ends_kept = 8;

    void on_cycle(const CycleRecord &r, HeadOfLineFacts &facts) {
        if (!r.response_time || r.type == TaskType::control)
            return;
        Large &large = recent_[r.stream.number % recent_.size()];
        if (r.bytes_moved >= large_from) {
            if (large.stream != r.stream)
                large = {};
            large.start = r.start;
            large.end = r.end;
            large.stream = r.stream;
            large.frame = r.command_frame;
            if (r.lba && r.bytes_moved < cut_to)
                large.ends[large.next++ % ends_kept] = {r.lun, *r.lba + r.blocks.value_or(0)};
            return;
        }
        if (r.bytes_moved == 0 || r.bytes_moved > small_to)
            return;
        // The last piece of a request that was cut is no small task.
        if (r.lba && *r.lba != 0 && large.frame && large.stream == r.stream &&
            std::ranges::find(large.ends, End{r.lun, *r.lba}) != large.ends.end())
            return;
        // The large task was open when the small one began, and ended first.
        const bool behind =
            large.frame && large.stream == r.stream && large.end > r.start && large.end <= r.end;
        ++(behind ? facts.behind : facts.alone);
        add_saturated(behind ? facts.behind_time : facts.alone_time, *r.response_time);
        if (behind && *r.response_time > facts.longest) {
            facts.longest = *r.response_time;
            facts.small_frame = r.command_frame;
            facts.large_frame = large.frame;
            facts.end_frame = r.end_frame;
        }
    }

private:
    struct End {
        std::uint64_t lun = 0, lba = 0; // the block behind a large command's last; block 0: none
        friend bool operator==(const End &, const End &) = default;
    };
    struct Large {
        Time start{}, end{}; // of the latest
        StreamId stream;
        OptionalFrame frame; // its command; empty: there was none
        std::array<End, ends_kept> ends{};
        std::size_t next = 0;
    };
    std::array<Large, 256> recent_{};
};

} // namespace iscsiscope
