// SPDX-License-Identifier: GPL-2.0-or-later
// ReceiverAnswers: what the segments of one direction's receiver say: acknowledgments and how long they were
// held, window, SACK and DSACK. It enters the ACKs into the track. In: each segment of the receiver; the
// Connection includes it. Out: the track, the tally's counts, and what concerns bytes that were sent again to
// SenderRepeats.
#pragma once

#include "analyzer/tcp/diagnosis/receiver_watch.h"
#include "analyzer/tcp/diagnosis/repeats/sender_repeats.h"
#include "analyzer/tcp/diagnosis/short_ways.h"

#include <cstdint>

namespace iscsiscope {

class ReceiverAnswers {
public:
    explicit ReceiverAnswers(ShortWays short_ways) : short_ways_(short_ways) {}

    void answered(Direction &, const Connection &, const SegmentReport &, SenderRepeats &, DirectionSink &);
    // The connection ends.
    void finish(Direction &d, Time at) { receiver_.finish(at, d.tally); }

private:
    bool repeats_last(const Direction &, const Connection &, const SegmentReport &,
                      const SenderRepeats &) const;
    void note_delay(Direction &, const Connection &, const SegmentReport &, AckSeen &);

    ShortWays short_ways_;
    ReceiverWatch receiver_;
};

} // namespace iscsiscope
