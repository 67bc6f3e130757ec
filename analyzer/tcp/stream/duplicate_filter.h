// SPDX-License-Identifier: GPL-2.0-or-later
// A mirror port's second copy of a frame (definitions.md, "Units"): the same header fields and the
// same IP identification or timestamp within a quarter of the minimum RTT.
#pragma once

#include "analyzer/capture/segment.h"

#include <array>
#include <cstdint>

namespace iscsiscope {

class DuplicateFilter {
public:
    // Remembers the segment. True if it repeats one of the last four of this sender within the limit. Zero
    // for segments that bring news: they are not looked for.
    bool is_duplicate(const Segment &s, Duration limit) {
        const std::uint64_t print = print_of(s);
        if (print == 0)
            return false; // nothing tells a copy from a repeat
        if (limit > Duration{}) {
            for (const Print &p : ring_) {
                if (p.print == print && s.time - p.time < limit && s.time >= p.time)
                    return true;
            }
        }
        remember(print, s.time);
        return false;
    }
    // One that brings news.
    void remember(const Segment &s) {
        if (const std::uint64_t print = print_of(s); print != 0)
            remember(print, s.time);
    }

private:
    struct Print {
        std::uint64_t print = 0;
        Time time{};
    };
    // 64 bits of all of it: a print that is not the segment's own matches once in 2^62. 0: there is none.
    static std::uint64_t print_of(const Segment &s) {
        std::uint64_t identity = 0;
        if (s.has_ip_id && s.ip_id != 0)
            identity = 0x1'0000'0000ULL | s.ip_id;
        else if (s.options.has_timestamps && s.payload_length > 0) // pure ACKs may rightly be equal
            identity = 0x2'0000'0000ULL | s.options.timestamp_value;
        else
            return 0;
        const std::uint64_t numbers = (std::uint64_t{s.sequence} << 32) | s.acknowledgment;
        const std::uint64_t rest =
            (std::uint64_t{s.payload_length} << 24) | (std::uint64_t{s.window} << 8) | s.flags;
        const std::uint64_t mixed = (identity ^ (rest * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
        return numbers ^ mixed ^ (mixed >> 32);
    }
    void remember(std::uint64_t print, Time time) {
        ring_[next_] = {print, time};
        next_ = static_cast<std::uint32_t>((next_ + 1) % ring_.size());
    }

    std::array<Print, 4> ring_{};
    std::uint32_t next_ = 0;
};

} // namespace iscsiscope
