// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: diagnoses one direction of a connection: retransmissions and reordering, what the
// receiver did and what limited the sender. It makes the TcpDirectionFigures, and reports reorderings, and
// retransmissions once no later segment can change their class, to a DirectionSink.
#pragma once

#include "analyzer/base/containers/compact_optional.h"
#include "analyzer/base/histogram.h"
#include "analyzer/tcp/diagnosis/ack_log.h"
#include "analyzer/tcp/diagnosis/end_loop.h"
#include "analyzer/tcp/diagnosis/flight_plateau.h"
#include "analyzer/tcp/diagnosis/ip_id_run.h"
#include "analyzer/tcp/diagnosis/limit_clock.h"
#include "analyzer/tcp/diagnosis/queue_delay.h"
#include "analyzer/tcp/diagnosis/retransmission_judge.h"
#include "analyzer/tcp/diagnosis/send_circumstances.h"
#include "analyzer/tcp/diagnosis/sent_log.h"
#include "analyzer/tcp/inference/sack_board.h"
#include "analyzer/tcp/inference/segment_size.h"
#include "analyzer/tcp/inference/short_ways.h"
#include "analyzer/tcp/tcp_figures.h"

#include <memory>
#include <optional>
#include <vector>

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
    // loops: must outlive the object, and must include each segment before sent() or answered() is called.
    DirectionDiagnosis(Side sender, const EndLoops &loops, ShortWays short_ways)
        : sender_(sender), short_ways_(short_ways), loops_(loops) {
        figures_.sender = sender;
    }

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
    const SendCircumstances &circumstances() const { return now_; }
    // True if the receiver's last window was zero.
    bool zero_window() const { return zero_since_.has_value(); }

    // True if the sender's SYN offered or accepted ECN.
    bool ecn_agreed() const { return figures_.ecn; }

    // At the end of the connection: reports what is undecided and returns the figures.
    TcpDirectionFigures finish(const Connection &, Time at, DirectionSink &);

private:
    // A retransmission whose class later segments may change.
    struct Undecided {
        TcpRetransmission record;
        std::uint64_t end = 0;
        std::uint32_t timestamp = 0;
        bool echo_conclusive = false; // the echo of an older stamp would prove that the original arrived
        std::optional<Time> acked_at;
        bool expiry = false, maybe_probe = false; // of its RepeatVerdict
        bool duplicate_reported = false;          // the receiver reported the bytes as duplicate (DSACK)
        bool loss_shown = false;                  // the receiver showed that they had not arrived
    };
    // The window that the receiver offers, and how much of it the sender has used.
    struct Offer {
        std::uint64_t acked = ~std::uint64_t{0}, high_end = 0;
        std::uint32_t full_segment = 0;
        std::uint16_t window = 0; // as on the wire
        friend bool operator==(const Offer &, const Offer &) = default;
    };
    // The segments that the sender sends after a repeat that is a timeout or a tail loss probe, until a
    // further ACK reaches it: their number separates the two.
    // What a black hole of large segments is recognised by.
    struct SizeTraces {
        // The segment that ended a silence, until the next one.
        struct {
            std::uint64_t offset = 0;
            std::uint32_t length = 0; // 0: the segment before did not end a silence
        } first_after_silence;
        // The last repeat of the oldest bytes, if its packets were smaller than all that were lost.
        struct {
            std::uint64_t end = 0;
            FrameNumber frame = 0;
            std::uint32_t length = 0, lost = 0; // length 0: there is none
        } shortened;
    };
    struct AfterRepeat {
        FrameNumber repeat = 0; // 0: no repeat is observed
        std::uint64_t known = 0, segments = 0;
    };

    Duration to_sender(const Connection &) const;
    Duration lateness(Duration to_sender) const;
    Duration smooth_round_trip() const { return loops_[0].smooth() + loops_[1].smooth(); }
    Offer offer(const Connection &, const Segment &) const;
    bool window_brings_no_news(const Connection &, const SegmentReport &) const;
    bool repeats_last_answer(const Connection &, const SegmentReport &) const;
    std::uint64_t known_by(const Segment &, Duration loop) const;
    void note_release(const Segment &);
    void note_known(const Connection &, const Segment &);
    void run_to(const Connection &, Time);
    void learn(Time now, Duration loop);
    bool only_adds(const SegmentReport &) const;
    void add(const Connection &, const SegmentReport &);
    void note_size(const Connection &c, const Segment &s) {
        size_.sent(s.payload_length);
        figures_.full_segment = size_.value(c, sender_);
    }
    // Sets now_ for a segment that followed the one before without a gap.
    void sent_without_wait(FrameNumber frame) {
        if (wait_described_)
            now_ = {};
        wait_described_ = false;
        now_.frame = frame;
    }
    void relabel();
    void note_syn(const Segment &);
    void note_window(const Connection &, const SegmentReport &, AckSeen &);
    void note_delay(const Connection &, const SegmentReport &, AckSeen &);
    void note_sack(const Segment &, std::uint64_t acked, AckSeen &);
    void note_acked(const Segment &, std::uint64_t acked, const AckSeen &before, bool sack_permitted);
    bool overtaken_behind_tap(const SentLog::Sent &, const AckSeen &before) const;
    void duplicate_received(std::uint64_t from, std::uint64_t to, FrameNumber);
    void repeat(const Connection &, const SegmentReport &, std::uint64_t to, bool original_seen,
                DirectionSink &);
    void late_fill(const Connection &, const SegmentReport &, DirectionSink &);
    bool overtaken(const Connection &, const SegmentReport &, const SentLog::Sent &by, TcpReordering &) const;
    void note_next(const Segment &);
    void unseen_tail(const Connection &, const SegmentReport &, std::uint16_t left_out, DirectionSink &);
    TcpRetransmission record_of(const Connection &, const SegmentReport &, std::uint64_t to) const;
    RepeatVerdict judged(const SegmentReport &, std::uint64_t to,
                         std::optional<Duration> since_last_copy) const;
    void enter(const RepeatVerdict &, Time);
    bool hole_reported(const AckSeen &, std::uint64_t from, std::uint64_t to) const;
    void note_verdict(const Connection &, RetransmissionClass);
    void note_sent_after_repeat();
    void describe_wait(const Connection &, const SegmentReport &);
    void found_black_hole(std::uint32_t lost, std::uint32_t passed, FrameNumber);
    void note_black_hole(const SentLog::Sent &, std::uint32_t length, FrameNumber);
    std::uint32_t passed_before(std::uint64_t offset, Time first);
    void note_shortened(std::uint64_t acked);
    void compare_sizes(const SegmentReport &, std::uint64_t acked);
    void compare_unseen_sizes(const Connection &, const SegmentReport &);
    void add_sent(const SegmentReport &, std::uint64_t from, std::uint64_t to, bool late = false);
    void settle(const Connection &, Time, bool all, DirectionSink &);
    Duration silence_before(const Connection &, Time) const;
    const AckSeen &known() const;
    bool recovering() const { return loss_until_ || recovery_until_; }

    // Segments that follow each other within this time have no gap between them that is worth a diagnosis.
    static constexpr Duration no_wait = std::chrono::microseconds(20);

    TcpDirectionTroubles &troubles() { return made(troubles_); }
    template <class T>
    static T &made(std::unique_ptr<T> &p) {
        if (!p)
            p = std::make_unique<T>();
        return *p;
    }

    Side sender_;
    ShortWays short_ways_;
    const EndLoops &loops_;
    TcpDirectionCounts figures_;
    std::unique_ptr<TcpDirectionTroubles> troubles_; // created when first needed
    SentLog sent_;
    AckLog acks_;
    SackBoard board_;
    SegmentSize size_;
    IpIdRun ids_;
    LimitClock clock_;
    FlightPlateau plateau_;
    SendCircumstances now_;
    bool wait_described_ = false; // now_ holds more than a frame number
    std::vector<Undecided> undecided_;
    std::unique_ptr<QueueDelay> queue_; // created when first needed, like:
    std::unique_ptr<Histogram> cwnds_;  // of the samples

    bool clock_started_ = false, base_known_ = false, any_sent_ = false;
    std::uint32_t base_ = 0;          // sequence number of offset 0
    std::uint64_t announced_ = 0;     // the highest offset that the sender was seen to be about to send
    std::uint64_t high_end_ = 0;      // end of the highest byte that passed
    CompactOptional<Time> last_sent_; // empty: nothing was sent yet
    std::uint64_t known_ = 0;         // number of the last ACK that the sender can know by now
    std::uint64_t known_at_send_ = 0; // number of the last ACK that it knew at its last segment
    CompactOptional<std::uint64_t> loss_until_, recovery_until_; // offset whose ACK ends the state
    Time recovery_began_{};                                      // with recovery_until_
    bool probes_ = false;                                        // the sender uses tail loss probes
    bool label_due_ = false; // the current segment may have changed what limits the sender
    Offer last_offer_;
    AfterRepeat after_repeat_;
    std::unique_ptr<SizeTraces> size_traces_; // created when first needed
    CompactOptional<Time> acked_at_;          // when the cumulative ACK last advanced
    CompactOptional<Time> zero_since_;
    CompactOptional<Time> full_since_;
    CompactOptional<Duration> usual_reaction_;
    CompactOptional<Duration> least_release_; // least time from an ACK to a segment that echoes its timestamp
    SendLimit limit_ = SendLimit::unknown;
    SenderState state_ = SenderState::unknown;
    CompactOptional<Duration> answered_after_; // of the last TcpSample
};

} // namespace iscsiscope
