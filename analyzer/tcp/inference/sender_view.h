// SPDX-License-Identifier: GPL-2.0-or-later
// SenderView: infers the state of one sender from a capture at any tap. For each segment of new data it finds
// the ACKs that the sender knew when it sent the segment (by RFC 7323 echoes, else by the tap-side round
// trip) and from them bytes in flight, congestion window, state and limit, as a TcpSample. One object per
// direction.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/inference/cwnd_envelope.h"
#include "analyzer/tcp/inference/tap_rtt.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/inference/window_scale.h"
#include "analyzer/tcp/stream/whole_trip.h"
#include "analyzer/tcp/track/sender_track.h"

#include <optional>

namespace iscsiscope {

class SenderView {
public:
    // The track must outlive the object, and must include a segment before sent() is called with it.
    explicit SenderView(SenderTrack &track)
        : track_(track), packets_(track.packets()), acks_(track.bounds()) {}
    // A segment of the sender passed. Returns true if it carried new data; then the sample has been filled.
    bool sent(const Connection &, const SegmentReport &, TcpSample &);
    // A sample of the tap-side round trip tap → sender → tap, from an answer that passed the tap at this
    // time.
    void tap_rtt_seen(Time answered, Duration tap_rtt) { tap_rtt_.sample(answered, tap_rtt); }
    std::optional<std::uint8_t> learnt_window_scale() const { return scale_.learnt(); }

private:
    // SACKed packets that make a hole a loss (RFC 6675: DupThresh).
    static constexpr std::uint64_t duplicate_threshold = 3;
    // Senders in use have retransmission timeouts of at least 200 ms; a coarse timer may expire earlier.
    static constexpr Duration min_timeout = std::chrono::milliseconds(190);

    // The last ACK that the sender knew when it sent: at least, most likely, and at most.
    struct Known {
        const AckSeen *least = nullptr, *likely = nullptr, *most = nullptr; // null: none
        bool sure = false;                                                  // `likely` is reliable
        bool queued = false; // found by a tap-side round trip that contained a queue
        bool by_echo = false;
    };
    // Data in flight with the likely ACK, and its bounds.
    struct Pipe {
        std::uint64_t packets = 0, low = 0, high = 0; // in recovery the pipe may exceed high
        std::uint64_t bytes = 0, bytes_low = 0, bytes_high = 0;
    };
    struct Resent {
        std::uint64_t end = 0, bytes = 0, packets = 0;
    };
    // The basis of the last sample. As long as the sender can have learnt of no further ACK, the next sample
    // differs only by the bytes that it adds.
    struct Before {
        bool holds = false;
        std::uint32_t least = 0, likely = 0, most = 0; // states of the known ACKs
        std::optional<std::uint32_t> full;             // payload of a full segment
        std::uint64_t end = 0, packets = 0;            // end of its segment: offset, packets of the stream
        Pipe pipe;                                     // including its segment
    };

    Known known(const Connection &, const SegmentReport &, bool stale, Anchor &);
    void add_known_by_time(Time now, const TapRtt::Estimate &, bool stamped, Known &);
    bool echo_may_be_stale(const Segment &);
    void resent(const SegmentReport &, std::uint64_t end, std::uint32_t mss);
    void follow_state(const AckSeen &known, const SegmentReport &, bool opened);
    Pipe pipe(const Known &, std::uint64_t end);
    bool note_receive_window(const Known &, std::uint64_t end, std::uint32_t mss, TcpSample &);
    void fill_sample(const Connection &, const SegmentReport &, bool stale, std::optional<std::uint32_t> full,
                     TcpSample &);
    bool follows(const Known &, const SegmentReport &, std::optional<std::uint32_t> full) const;
    void recompute(const Known &, const Connection &, const SegmentReport &,
                   std::optional<std::uint32_t> full);
    // stamped: `known` was found by the timestamp echo; stale: the echo may be older than the ACKs known.
    void note_tap_rtts(const SegmentReport &, const AckSeen &known, bool stamped, bool stale);
    // loop: tap-side round trip tap → sender → tap; empty if this segment does not show it.
    void measure_round_trip(const AckSeen &known, std::uint64_t end, Time now,
                            CompactOptional<Duration> tap_rtt);
    void conclude(bool window_full, std::uint32_t mss, TcpSample &);
    // True if the sender was silent for a retransmission timeout before this time; false before its first
    // segment.
    bool timed_out_by(Time now) const { return last_sent_ && now - *last_sent_ >= min_timeout; }

    SenderTrack &track_;
    const PacketCounter &packets_; // of the track, like:
    AckBounds &acks_;
    Before before_;
    std::uint64_t near_min_ = 0, near_likely_ = 0, near_max_ = 0; // hints of AckBounds::last_by()
    CwndEnvelope envelope_;
    WindowScale scale_;
    BoundedRing<Resent, 1024> resent_; // repeats not known to be acknowledged
    SenderState state_ = SenderState::unknown;
    std::uint64_t recovery_point_ = 0; // offset whose ACK ends recovery, loss and idle restart
    bool any_sent_ = false;
    bool acked_any_ = false; // the sender's last ACK and echoed timestamp, below, are known
    std::uint32_t last_ack_ = 0;
    std::uint32_t last_echo_ = 0;
    bool stale_ = false;
    TapRtt tap_rtt_;
    CompactOptional<Time> exact_at_;    // when the known ACKs were last found by an echo
    std::uint64_t tap_rtt_answers_ = 0; // answers of the RttTrack already taken into tap_rtt_
    CompactOptional<Time> last_sent_;   // empty: nothing was sent yet
    struct RoundTrip {
        bool running = false;
        std::uint64_t end = 0; // the round trip ends when the sender knows this offset to be acknowledged
        Time begin{};
        CompactOptional<Duration> tap_rtt; // least tap-side round trip since `begin`
        CompactOptional<Duration> latest;
    } trip_;
    WholeTrip whole_trip_;
    CompactOptional<Duration> whole_latest_;
};

} // namespace iscsiscope
