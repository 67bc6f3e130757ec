// SPDX-License-Identifier: GPL-2.0-or-later
// LimitClock: divides the time of one direction by SendLimit; each nanosecond belongs to exactly one.
#pragma once

#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/tcp_figures.h"

#include <algorithm>
#include <array>

namespace iscsiscope {

class LimitClock {
public:
    void start(Time at) { start_ = at_ = at; }
    // Adds the time up to `at` to the current limit.
    void run_to(Time at) {
        if (at <= at_)
            return;
        const Duration part = at - at_;
        shares_[static_cast<std::size_t>(in_force_)] += part;
        if (under_way_)
            busy_ += part;
        at_ = at;
    }
    // Sets the limit from now on. Without data in flight and with an open window it is the application.
    void set(SendLimit limit, bool under_way) {
        in_force_ = under_way || limit == SendLimit::receive_window ? limit : SendLimit::application;
        under_way_ = under_way;
    }

    void fill(TcpDirectionFigures &f) const {
        f.start = start_;
        f.end = at_;
        f.limit_time = shares_;
        f.busy = busy_;
    }

private:
    std::array<Duration, send_limit_count> shares_{};
    Duration busy_{};
    Time start_{}, at_{};
    SendLimit in_force_ = SendLimit::application;
    bool under_way_ = false;
};

} // namespace iscsiscope
