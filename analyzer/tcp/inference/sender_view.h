// SPDX-License-Identifier: GPL-2.0-or-later
// One direction: what its sender knew and did, read from any tap (RFC 7323 echoes tell which ACK a
// sender had seen when it sent).
#pragma once

#include "analyzer/tcp/inference/ack_history.h"
#include "analyzer/tcp/inference/cwnd_envelope.h"
#include "analyzer/tcp/inference/half_loop.h"
#include "analyzer/tcp/inference/packet_counter.h"
#include "analyzer/tcp/inference/sack_board.h"
#include "analyzer/tcp/inference/segment_size.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/inference/window_scale.h"

#include <optional>

namespace iscsiscope {

class SenderView {
public:
    // A segment of the receiver, with the connection as it is behind it.
    void acknowledged(const Connection &, Side sender, const SegmentReport &);
    // A segment of the sender. True if it reached beyond all its data before: then the sample, whatever it
    // held, is of this segment.
    bool sent(const Connection &, const SegmentReport &, TcpSample &);
    // A fresh loop tap → sender → tap, of an answer that passed the tap at this time.
    void half_loop_seen(Time answered, Duration loop);
    std::optional<std::uint8_t> learnt_window_scale() const { return scale_.learnt(); }

private:
    // Until the segments tell: Ethernet with timestamps.
    static constexpr std::uint32_t default_mss = 1448;
    // SACKed packets that make a hole a loss (RFC 6675: DupThresh).
    static constexpr std::uint64_t duplicate_threshold = 3;
    // No sender in use has a shorter retransmission timeout than 200 ms; coarse timers may fire early by a
    // tick.
    static constexpr Duration least_timeout = std::chrono::milliseconds(190);

    // What the sender may have known when it sent: at least, at most, and most likely.
    struct Known {
        const AckState *least = nullptr, *likely = nullptr, *most = nullptr; // null: nothing
        bool sure = false;                                                   // the likely one may be trusted
        bool queued = false; // it was found by time, with a queue in the loop
        bool by_echo = false;
    };
    struct Pipe {
        std::uint64_t packets = 0, low = 0, high = 0; // high is not the pipe's own bound in recovery
        std::uint64_t bytes = 0, bytes_low = 0, bytes_high = 0;
    };
    struct Resent {
        std::uint64_t end = 0, bytes = 0, packets = 0;
    };
    // What the last sample was made of. While its sender can have learnt nothing new, the next one differs
    // from it in the bytes that it adds.
    struct Before {
        bool holds = false;
        std::uint32_t least = 0, likely = 0, most = 0; // numbers of what it knew
        std::uint32_t full = 0;                        // payload of a full segment
        std::uint64_t end = 0, packets = 0;            // behind its segment: offset, packets of the stream
        Pipe pipe;                                     // likewise
    };

    std::uint32_t mss(const Connection &, Side sender);
    void note_sack(const Segment &, std::uint32_t mss, AckState &);
    Known known(const Connection &, const SegmentReport &, bool stale, Anchor &);
    void look_by_time(Time now, const HalfLoop::Estimate &, bool stamped, Known &);
    bool echo_may_be_stale(const Segment &);
    void resent(const SegmentReport &, std::uint64_t end, std::uint32_t mss);
    void follow_state(const AckState &known, const SegmentReport &, bool opened);
    Pipe pipe(const Known &, std::uint64_t end);
    bool look_at_window(const Known &, std::uint64_t end, std::uint32_t mss, TcpSample &);
    void look(const Connection &, const SegmentReport &, bool stale, std::uint32_t full, TcpSample &);
    bool follows(const Known &, const SegmentReport &, std::uint32_t full) const;
    void weigh(const Known &, const Connection &, const SegmentReport &, std::uint32_t full);
    // stamped: what its sender knew was found by the echo, but for what is newer where that is stale.
    void look_at_loop(const SegmentReport &, const AckState &known, bool stamped, bool stale);
    // loop: tap → sender → tap, where this segment shows it.
    void measure_round_trip(const AckState &known, std::uint64_t end, Time now, std::optional<Duration> loop);
    void conclude(bool window_full, std::uint32_t mss, TcpSample &);

    PacketCounter counter_;
    SackBoard board_;
    AckHistory acks_;
    Before before_;
    std::uint32_t near_least_ = 0, near_likely_ = 0, near_most_ = 0; // in the history, by time
    CwndEnvelope envelope_;
    SegmentSize size_;
    WindowScale scale_;
    BoundedRing<Resent> resent_{1024}; // not known to be acknowledged
    SenderState state_ = SenderState::unknown;
    std::uint64_t recovery_point_ = 0; // recovery, loss and idle restart end when this is acknowledged
    bool base_known_ = false;
    std::uint32_t base_ = 0;        // sequence number of offset 0
    std::uint16_t last_window_ = 0; // as the receiver last announced it, not scaled
    bool any_sent_ = false;
    bool acked_any_ = false; // its last ACK and echoed timestamp are known:
    std::uint32_t last_ack_ = 0;
    std::uint32_t last_echo_ = 0;
    bool stale_ = false;
    HalfLoop loop_;
    std::optional<Time> exact_at_;   // when an echo last told what the sender knew
    std::uint64_t loop_samples_ = 0; // of the tcp room, taken over
    Time last_sent_{};
    struct RoundTrip {
        bool running = false;
        std::uint64_t end = 0; // when this is known to be acknowledged
        Time begin{};
        std::optional<Duration> loop; // least since then
        std::optional<Duration> latest;
    } trip_;
};

} // namespace iscsiscope
