// SPDX-License-Identifier: GPL-2.0-or-later
// Direction: what all parts of the diagnosis of one direction share: its track, the times between the tap and
// its sender, and the figures that they count. Its owner is Sender.
#pragma once

#include "analyzer/tcp/diagnosis/history/direction_tally.h"
#include "analyzer/tcp/track/sender_times.h"
#include "analyzer/tcp/track/sender_track.h"

namespace iscsiscope {

struct Direction {
    // The round trips must outlive the object.
    Direction(Side sender, const EndTapRtts &tap_rtts)
        : track(sender), times(sender, tap_rtts, track), tally(sender) {}

    SenderTrack track;
    SenderTimes times;
    DirectionTally tally;

    const KnownAcks &acks() const { return track.known(); }
    TcpDirectionCounts &figures() { return tally.counts; }
    const TcpDirectionCounts &figures() const { return tally.counts; }
    const ConnectionEnd &sender(const Connection &c) const { return c.end(times.sender()); }
    const ConnectionEnd &receiver(const Connection &c) const { return c.end(times.receiver()); }
};

} // namespace iscsiscope
