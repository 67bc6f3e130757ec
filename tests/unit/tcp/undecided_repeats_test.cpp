// SPDX-License-Identifier: GPL-2.0-or-later
// Repeats whose class what follows decides.
#include "catch.h"

#include "analyzer/tcp/diagnosis/repeats/undecided_repeats.h"

using namespace iscsiscope;

TEST_CASE("more segments than a window after a timeout show a probe, unless an ACK among them is missing") {
    using enum RetransmissionClass;
    const auto judged = [](std::uint32_t later_echo) {
        UndecidedRepeats undecided;
        LossState state;
        UndecidedRepeat u;
        u.record.kind = timeout;
        u.record.frame = 3;
        u.end = 100;
        u.maybe_probe = true;
        undecided.add(u);
        Segment ack;
        ack.options.has_timestamps = true;
        ack.options.timestamp_echo = 50;
        undecided.acked(ack, 100, true);
        Segment data;
        data.options.has_timestamps = true;
        data.options.timestamp_echo = 70;
        for (int i = 0; i < 4; ++i) {
            undecided.sent_new(data, 7, state);
            data.options.timestamp_echo = later_echo;
        }
        DirectionTally tally(Side::opener);
        RetransmissionClass kind{};
        undecided.settle({}, {}, true, state.probes(), tally,
                         [&](const TcpRetransmission &r) { kind = r.kind; });
        return kind;
    };
    CHECK(judged(70) == tail_probe);
    CHECK(judged(71) == timeout); // the sender had received what the capture lacks
}
