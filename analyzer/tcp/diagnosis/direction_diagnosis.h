// SPDX-License-Identifier: GPL-2.0-or-later
// One direction of a connection diagnosed: losses and their repair, what the receiver did, what held the
// sender. Makes its TcpDirectionFigures.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/tcp/diagnosis/ack_log.h"
#include "analyzer/tcp/diagnosis/end_loop.h"
#include "analyzer/tcp/diagnosis/flight_plateau.h"
#include "analyzer/tcp/diagnosis/ip_id_run.h"
#include "analyzer/tcp/diagnosis/limit_clock.h"
#include "analyzer/tcp/diagnosis/retransmission_judge.h"
#include "analyzer/tcp/diagnosis/send_circumstances.h"
#include "analyzer/tcp/diagnosis/sent_log.h"
#include "analyzer/tcp/inference/sack_board.h"
#include "analyzer/tcp/inference/segment_size.h"
#include "analyzer/tcp/tcp_figures.h"

#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

// Where late records go.
class DirectionSink {
public:
    virtual ~DirectionSink() = default;
    virtual void retransmission(const Connection &, const TcpRetransmission &) = 0;
    virtual void reordering(const Connection &, const TcpReordering &) = 0;
};

class DirectionDiagnosis {
public:
    // loops: must outlive it, and have followed each segment before it is told here.
    DirectionDiagnosis(Side sender, const EndLoops &loops) : sender_(sender), loops_(loops) {
        figures_.sender = sender;
    }

    // A segment of the receiver, then (other segments) of the sender; the connection as it is behind them.
    void answered(const Connection &, const SegmentReport &, DirectionSink &);
    void sent(const Connection &, const SegmentReport &, DirectionSink &);
    // What the inference says of the segment just given to sent(), if it says anything; then, behind each
    // segment that sent() was given:
    void sampled(const TcpSample &);
    void segment_done();

    const SendCircumstances &circumstances() const { return now_; }
    // The receiver's last word was "no room at all".
    bool zero_window() const { return zero_since_.has_value(); }

    // Its SYN offered or accepted ECN.
    bool ecn_agreed() const { return figures_.ecn; }

    // The connection ends: what is open is told and the record completed.
    TcpDirectionFigures finish(const Connection &, Time at, DirectionSink &);

private:
    struct Undecided {
        TcpRetransmission record;
        std::uint64_t end = 0;
        std::uint32_t timestamp = 0;
        bool echo_tells = false; // an older echo shows that the original arrived
        std::optional<Time> acked_at;
        bool expiry = false, maybe_probe = false; // of its verdict
        bool complained = false;                  // the receiver told that the bytes came twice
    };
    // What the receiver offers, and what the sender had used of it when that was last looked at.
    struct Offer {
        std::uint64_t acked = ~std::uint64_t{0}, high_end = 0;
        std::uint32_t full_segment = 0;
        std::uint16_t window = 0; // as on the wire
        friend bool operator==(const Offer &, const Offer &) = default;
    };
    // What the sender sends behind a repeat that was a timeout or a probe, before it learns anything new.
    struct Aftermath {
        FrameNumber repeat = 0; // 0: none is diagnosed
        std::uint64_t known = 0, segments = 0;
    };

    Duration to_sender(const Connection &) const;
    Duration lateness(Duration to_sender) const;
    Duration smooth_round_trip() const { return loops_[0].smooth() + loops_[1].smooth(); }
    Offer offer(const Connection &, const Segment &) const;
    bool says_nothing_of_room(const Connection &, const SegmentReport &) const;
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
    // now_ of a segment within a run.
    void waited_spuriously(FrameNumber frame) {
        if (told_wait_)
            now_ = {};
        told_wait_ = false;
        now_.frame = frame;
    }
    void relabel();
    void note_syn(const Segment &);
    void note_window(const Connection &, const SegmentReport &, AckSeen &);
    void note_delay(const Connection &, const SegmentReport &, AckSeen &);
    void note_sack(const Segment &, std::uint64_t acked, AckSeen &);
    void note_acked(const Segment &, std::uint64_t acked);
    void duplicate_received(std::uint64_t from, std::uint64_t to, FrameNumber);
    void repeat(const Connection &, const SegmentReport &, std::uint64_t to, bool original_seen,
                DirectionSink &);
    void late_fill(const Connection &, const SegmentReport &, DirectionSink &);
    bool overtaken(const Connection &, const SegmentReport &, const SentLog::Sent &by, TcpReordering &) const;
    void unseen_tail(const Connection &, const SegmentReport &, std::uint16_t left_out, DirectionSink &);
    TcpRetransmission record_of(const Connection &, const SegmentReport &, std::uint64_t to) const;
    RepeatVerdict judged(const SegmentReport &, std::uint64_t to,
                         std::optional<Duration> since_last_copy) const;
    void enter(const RepeatVerdict &, Time);
    void note_verdict(const Connection &, RetransmissionClass);
    void note_aftermath();
    void describe_wait(const Connection &, const SegmentReport &);
    void note_black_hole(const SentLog::Sent &, std::uint32_t length, FrameNumber);
    void add_sent(const SegmentReport &, std::uint64_t from, std::uint64_t to);
    void settle(const Connection &, Time, bool all, DirectionSink &);
    Duration silence_before(const Connection &, Time) const;
    const AckSeen &known() const;
    bool recovering() const { return loss_until_ || recovery_until_; }

    // Between segments that are so near nobody looks for a gap.
    static constexpr Duration no_wait = std::chrono::microseconds(20);

    TcpDirectionTroubles &troubles() { return made(troubles_); }
    template <class T>
    static T &made(std::unique_ptr<T> &p) {
        if (!p)
            p = std::make_unique<T>();
        return *p;
    }

    Side sender_;
    const EndLoops &loops_;
    TcpDirectionCounts figures_;
    std::unique_ptr<TcpDirectionTroubles> troubles_; // made with the first
    SentLog sent_;
    AckLog acks_;
    SackBoard board_;
    SegmentSize size_;
    IpIdRun ids_;
    LimitClock clock_;
    FlightPlateau plateau_;
    SendCircumstances now_;
    bool told_wait_ = false; // now_ tells more than a frame
    std::vector<Undecided> undecided_;
    std::unique_ptr<Histogram> rtts_, cwnds_; // of the samples; made with the first

    bool clock_started_ = false, base_known_ = false, any_sent_ = false;
    std::uint32_t base_ = 0;     // sequence number of offset 0
    std::uint64_t high_end_ = 0; // behind its highest byte that passed
    Time last_sent_{};
    std::uint64_t known_ = 0;         // number of the last ACK the sender can have known by now
    std::uint64_t known_at_send_ = 0; // the same at its last segment
    std::optional<std::uint64_t> loss_until_, recovery_until_; // offset behind which the state ends
    Time recovery_began_{};
    bool probes_ = false;
    bool label_due_ = false; // the segment at hand may have changed what holds the sender
    Offer judged_;
    Aftermath aftermath_;
    std::optional<Time> zero_since_;
    std::optional<Time> full_since_;
    std::optional<Duration> usual_reaction_;
    std::optional<Duration> least_release_; // ACK at the tap → segment sent by it, by the echoed timestamp
    SendLimit limit_ = SendLimit::unknown;
    SenderState state_ = SenderState::unknown;
    std::optional<Duration> last_rtt_;
};

} // namespace iscsiscope
