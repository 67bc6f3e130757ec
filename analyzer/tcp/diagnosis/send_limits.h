// SPDX-License-Identifier: GPL-2.0-or-later
// SendLimits: what limited one sender over time: the limit of its last sample, as far as what it knows of its
// receiver's answers and of a loss does not say otherwise. In: each segment of the sender (run_to, sampled,
// segment_done). Out: the time by limit, and the recoveries that the sender learnt the end of. Each
// nanosecond belongs to exactly one limit.
#pragma once

#include "analyzer/tcp/diagnosis/history/direction.h"
#include "analyzer/tcp/diagnosis/history/limit_clock.h"
#include "analyzer/tcp/diagnosis/repeats/loss_state.h"
#include "analyzer/tcp/inference/tcp_sample.h"

namespace iscsiscope {

class SendLimits {
public:
    // Advances to `now`, and learns of the ACKs that have reached the sender by then.
    void run_to(Direction &, const Connection &, Time now, LossState &);
    // The segment may have changed what limits the sender.
    void changed() { due_ = true; }
    void sampled(const TcpSample &s) {
        due_ = due_ || s.limit != limit_; // in a run only the limit can change
        limit_ = s.limit;
        state_ = s.state;
    }
    void segment_done(const Direction &d, const LossState &loss) {
        if (due_)
            relabel(d, loss);
        due_ = false;
    }

    SendLimit limit() const { return limit_; }   // of the last TcpSample, like:
    SenderState state() const { return state_; } //
    void fill(TcpDirectionFigures &f) const { clock_.fill(f); }

private:
    void relabel(const Direction &, const LossState &);

    LimitClock clock_;
    SendLimit limit_ = SendLimit::unknown;
    SenderState state_ = SenderState::unknown;
    bool started_ = false, due_ = false;
};

} // namespace iscsiscope
