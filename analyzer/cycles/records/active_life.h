// SPDX-License-Identifier: GPL-2.0-or-later
// ActiveLife: a connection's active life, from its first command to the end of its last task, and its
// partition into transfer and gaps by kind (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/cycles/records/records.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace iscsiscope {

class ActiveLife {
public:
    void command(Time first_seen) {
        if (!started_) {
            started_ = true;
            start_ =
                first_seen; // end_ may be later: of this command's task, where its bytes waited for a hole
        }
        start_ = std::min(start_, first_seen);
        end_ = std::max(end_, first_seen); // the command's task ends then or later
    }
    void task_end(Time at) { end_ = std::max(end_, at); }

    bool started() const { return started_; }
    Time start() const { return start_; }
    // The latest time known to belong to the active life. Meaningful once started.
    Time end() const { return end_; }

    // Length of the part of [from, to) inside the active life as known so far.
    Duration part(Time from, Time to) const {
        if (!started_)
            return Duration{};
        return std::max(Duration{}, std::min(to, end_) - std::max(from, start_));
    }

    void add_gap(GapKind kind, Duration part) {
        if (part <= Duration{})
            return;
        for (Share &share : shares_)
            if (share.kind == kind) {
                share.time += part;
                ++share.gaps;
                return;
            }
        shares_.push_back({kind, 1, part});
    }

    // Fills the members active_start to gaps. Gap times and transfer add up to the active life exactly.
    void fill(ConnectionRecord &record) const {
        if (!started_)
            return;
        record.active_start = start_;
        record.active_end = end_;
        record.transfer = end_ - start_;
        for (const Share &share : shares_) {
            record.gap_time[static_cast<std::size_t>(share.kind)] = share.time;
            record.gaps[static_cast<std::size_t>(share.kind)] = share.gaps;
            record.transfer -= share.time;
        }
    }

private:
    // A list, since only few of the kinds occur on one connection.
    struct Share {
        GapKind kind;
        std::uint64_t gaps;
        Duration time;
    };
    std::vector<Share> shares_;
    Time start_{};           // once started
    Time end_ = Time::min(); // a time before 1970 is later as well
    bool started_ = false;
};

} // namespace iscsiscope
