// SPDX-License-Identifier: GPL-2.0-or-later
// SendWait: what one sender had waited for when a payload segment of it passed: the ACK that released it, the
// room in the receiver's window, and the growth of its congestion window. In: each payload segment of the
// sender before the track takes it (describe, or none after no wait), and the samples. Out: the
// SendCircumstances, into which SenderRepeats enters what the segment recovers.
#pragma once

#include "analyzer/tcp/diagnosis/history/direction.h"
#include "analyzer/tcp/diagnosis/history/flight_plateau.h"
#include "analyzer/tcp/diagnosis/history/send_circumstances.h"
#include "analyzer/tcp/diagnosis/history/window_restart.h"
#include "analyzer/tcp/inference/tcp_sample.h"

namespace iscsiscope {

class SendWait {
public:
    // The sender before the segment: limit and state of its last sample, and whether it repaired a loss.
    struct Before {
        SendLimit limit = SendLimit::unknown;
        SenderState state = SenderState::unknown;
        bool repairing = false;
    };
    void describe(Direction &, const Connection &, const SegmentReport &, const Before &);
    // The segment followed the one before without a gap.
    void none() {
        if (described_)
            circumstances_ = {};
        described_ = false;
    }
    // The segment has been taken; if there is something to be said of it, described() is complete.
    void sent(const Segment &s) {
        restart_.sent(s.frame, s.payload_length);
        described_ = described_ || circumstances_.recovers || circumstances_.overtaken;
    }
    void sampled(const TcpSample &, bool repairing);

    // Of the segment at hand.
    SendCircumstances &circumstances() { return circumstances_; }
    // The same; null: the segment followed the one before without a wait, and recovers no loss.
    const SendCircumstances *described() const { return described_ ? &circumstances_ : nullptr; }

private:
    FlightPlateau plateau_;
    WindowRestart restart_;
    SendCircumstances circumstances_;
    bool described_ = false; // circumstances_ says something
};

} // namespace iscsiscope
