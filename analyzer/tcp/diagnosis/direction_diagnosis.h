// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: diagnoses one direction of a connection: retransmissions and reordering, what the
// receiver did and what limited the sender. It makes the TcpDirectionFigures, and reports reorderings, and
// retransmissions once no later segment can change their class, to a DirectionSink.
//
// Each of its parts has one job and its own states; this class hands them the segments in their order:
//   SenderTrack                     how large its segments are, what was acknowledged, what of it it knew
//   SentLog, IpIdRun                what it sent
//   LossState                       whether it repairs a loss
//   UndecidedRepeats                what it sent again
//   BlackHole                       which sizes the path swallows
//   ReceiverWatch                   what the receiver did
//   LimitClock, FlightPlateau       what limited the sender
//   WindowRestart                   whether its congestion window grows from its start
//   SendCircumstances (send_wait)   what it waited for
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/histogram.h"
#include "analyzer/tcp/diagnosis/black_hole.h"
#include "analyzer/tcp/diagnosis/direction_tally.h"
#include "analyzer/tcp/diagnosis/history/end_tap_rtt.h"
#include "analyzer/tcp/diagnosis/history/flight_plateau.h"
#include "analyzer/tcp/diagnosis/history/ip_id_run.h"
#include "analyzer/tcp/diagnosis/history/limit_clock.h"
#include "analyzer/tcp/diagnosis/history/queue_delay.h"
#include "analyzer/tcp/diagnosis/history/sent_log.h"
#include "analyzer/tcp/diagnosis/history/window_restart.h"
#include "analyzer/tcp/diagnosis/loss_state.h"
#include "analyzer/tcp/diagnosis/receiver_watch.h"
#include "analyzer/tcp/diagnosis/send_circumstances.h"
#include "analyzer/tcp/diagnosis/short_ways.h"
#include "analyzer/tcp/diagnosis/undecided_repeats.h"
#include "analyzer/tcp/tcp_figures.h"
#include "analyzer/tcp/track/sender_track.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// Receives the records of decided retransmissions and of reordered segments.
class DirectionSink {
public:
    virtual ~DirectionSink() = default;
    virtual void retransmission(const Connection &, const TcpRetransmission &) = 0;
    virtual void reordering(const Connection &, const TcpReordering &) = 0;
};

class DirectionDiagnosis {
public:
    // Both references must outlive the object. tap_rtts: must include each segment before sent() or
    // answered() is called; track: of this direction, must include a segment of the sender. answered() enters
    // the ACKs.
    DirectionDiagnosis(Side sender, const EndTapRtts &tap_rtts, SenderTrack &track, ShortWays short_ways)
        : sender_(sender), short_ways_(short_ways), tap_rtts_(tap_rtts), track_(track), acks_(track.known()),
          tally_(sender) {}

    // A segment of the receiver or of the sender passed; the Connection includes it.
    void answered(const Connection &, const SegmentReport &, DirectionSink &);
    void sent(const Connection &, const SegmentReport &, DirectionSink &);
    // After sent(): sampled() with the segment's TcpSample if it has one, then segment_done() in any case.
    void sampled(const TcpSample &);
    void segment_done();
    // A sample of the connection's whole round trip. when: its segment of this direction passed, if there is
    // one. was_sent: there is; else it may be the segment that is given to sent() next.
    void round_trip(Duration, Time when, bool was_sent);

    // Describes the last segment given to sent().
    const SendCircumstances &circumstances() const { return circumstances_; }
    // True if the receiver's last window was zero.
    bool zero_window() const { return receiver_.zero_window(); }

    // True if the sender's SYN offered or accepted ECN.
    bool ecn_agreed() const { return figures().ecn; }

    // At the end of the connection: reports what is undecided and returns the figures.
    TcpDirectionFigures finish(const Connection &, Time at, DirectionSink &);

private:
    // What the sender knew, by the round trips (direction_diagnosis.cpp).
    Duration to_sender(const Connection &c) const { return acks_.to_sender(c.end(sender_).rtt.minimum); }
    Duration lateness(Duration to_sender) const;
    Duration smooth_round_trip() const { return tap_rtts_[0].smooth() + tap_rtts_[1].smooth(); }
    Duration silence_before(const Connection &, Time) const;
    void run_to(const Connection &, Time);
    void note_known(const Connection &, const Segment &);
    void relabel();

    // Segments of the sender (direction_diagnosis.cpp, the short way in direction_run.cpp).
    bool only_adds(const SegmentReport &) const;
    void add(const Connection &, const SegmentReport &);
    void note_syn(const Segment &);
    void note_next(const Segment &);
    void note_sent_at(Time now) { // capture times may go back
        if (!last_sent_ || *last_sent_ < now)
            last_sent_ = now;
    }
    void add_sent(const SegmentReport &, std::uint64_t from, std::uint64_t to, bool late = false);
    void describe_wait(const Connection &, const SegmentReport &);
    // Sets circumstances_ for a segment that followed the one before without a gap.
    void sent_without_wait(FrameNumber frame) {
        if (wait_described_)
            circumstances_ = {};
        wait_described_ = false;
        circumstances_.frame = frame;
    }

    // Bytes that pass again or late (direction_repeats.cpp).
    void repeat(const Connection &, const SegmentReport &, std::uint64_t to, bool original_seen,
                DirectionSink &);
    void late_fill(const Connection &, const SegmentReport &, DirectionSink &);
    void unseen_tail(const Connection &, const SegmentReport &, std::uint16_t left_out);
    UndecidedRepeat repeat_of(const Connection &, const SegmentReport &, std::uint64_t to) const;
    void judge(UndecidedRepeat &, std::optional<Duration> since_last_copy);
    void await(const Connection &, const UndecidedRepeat &);
    void settle(const Connection &, Time, bool all, DirectionSink &);
    bool hole_reported(const AckSeen &, std::uint64_t from, std::uint64_t to) const;
    BlackHole::Passing passing(const Connection &, const SegmentReport &);

    // Segments of the receiver (direction_answers.cpp).
    ReceiverWatch::Offer offer(const Connection &, const Segment &) const;
    bool window_brings_no_news(const Connection &, const SegmentReport &) const;
    bool repeats_last_answer(const Connection &, const SegmentReport &) const;
    void note_delay(const Connection &, const SegmentReport &, AckSeen &);
    void note_sack(const Segment &, const AckSeen &);
    void note_acked(const Segment &, std::uint64_t acked, const AckSeen &before, bool sack_permitted);
    bool overtaken_behind_tap(const SentLog::Sent &, const AckSeen &before) const;

    // Segments that follow each other within this time have no gap between them that is worth a diagnosis.
    static constexpr Duration no_wait = std::chrono::microseconds(20);

    TcpDirectionCounts &figures() { return tally_.counts; }
    const TcpDirectionCounts &figures() const { return tally_.counts; }
    TcpDirectionTroubles &troubles() { return tally_.troubles(); }
    template <class T>
    static T &made(std::unique_ptr<T> &p) {
        if (!p)
            p = std::make_unique<T>();
        return *p;
    }

    Side sender_;
    ShortWays short_ways_;
    const EndTapRtts &tap_rtts_;
    SenderTrack &track_;
    KnownAcks &acks_; // of the track
    DirectionTally tally_;

    SentLog sent_;
    IpIdRun ids_;
    LossState loss_;
    UndecidedRepeats undecided_;
    BlackHole black_hole_;
    ReceiverWatch receiver_;
    LimitClock clock_;
    struct {
        FlightPlateau plateau;
        WindowRestart restart;
    } window_;                          // whether it grows
    std::unique_ptr<QueueDelay> queue_; // created when first needed, like:
    std::unique_ptr<Histogram> cwnds_;  // of the samples
    SendCircumstances circumstances_;
    bool wait_described_ = false; // circumstances_ holds more than a frame number

    bool clock_started_ = false, any_sent_ = false;
    bool label_due_ = false;               // the current segment may have changed what limits the sender
    std::uint64_t announced_ = 0;          // the highest offset that the sender was seen to be about to send
    std::uint64_t high_end_ = 0;           // end of the highest byte that passed
    CompactOptional<Time> last_sent_;      // empty: nothing was sent yet
    SendLimit limit_ = SendLimit::unknown; // of the last TcpSample, like:
    SenderState state_ = SenderState::unknown;
};

} // namespace iscsiscope
