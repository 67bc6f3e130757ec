// SPDX-License-Identifier: GPL-2.0-or-later
// SenderView: infers the state of one sender from a capture at any tap. For each segment of new data it
// makes, from the ACKs that the sender knew (KnownRange), bytes in flight, congestion window, state and
// limit, as a TcpSample. One object per direction.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/inference/cwnd_envelope.h"
#include "analyzer/tcp/inference/known_range.h"
#include "analyzer/tcp/inference/sender_trip.h"
#include "analyzer/tcp/inference/stale_echo.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/inference/window_scale.h"
#include "analyzer/tcp/stream/whole_trip.h"
#include "analyzer/tcp/track/sender_track.h"

#include <optional>

namespace iscsiscope {

class SenderView {
public:
    // The track must outlive the object, and must include a segment before sent() is called with it.
    explicit SenderView(SenderTrack &track) : track_(track), known_(track) {}
    // A segment of the sender passed. sent_to: the end of the highest byte that had passed before. Returns
    // true if it carried new data; then the sample has been filled.
    bool sent(const Connection &, const SegmentReport &, std::uint64_t sent_to, TcpSample &);
    // A sample of the tap-side round trip tap → sender → tap, from an answer that passed the tap at this
    // time.
    void tap_rtt_seen(Time answered, Duration tap_rtt) { known_.tap_rtt().sample(answered, tap_rtt); }
    std::optional<std::uint8_t> learnt_window_scale() const { return scale_.learnt(); }

private:
    // SACKed packets that make a hole a loss (RFC 6675: DupThresh).
    static constexpr std::uint64_t duplicate_threshold = 3;
    // Senders in use have retransmission timeouts of at least 200 ms; a coarse timer may expire earlier.
    static constexpr Duration min_timeout = std::chrono::milliseconds(190);

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

    void resent(const SegmentReport &, std::uint64_t end, std::uint32_t mss);
    void follow_state(const AckSeen &known, const SegmentReport &, bool opened);
    Pipe pipe(const KnownRange::Known &, std::uint64_t end);
    bool note_receive_window(const KnownRange::Known &, std::uint64_t end, std::uint32_t mss, TcpSample &);
    void fill_sample(const Connection &, const SegmentReport &, bool stale, std::uint64_t sent_to,
                     std::optional<std::uint32_t> full, TcpSample &);
    bool follows(const KnownRange::Known &, const SegmentReport &, std::uint64_t sent_to,
                 std::optional<std::uint32_t> full) const;
    void recompute(const KnownRange::Known &, const Connection &, const SegmentReport &,
                   std::optional<std::uint32_t> full);
    // stamped: `known` was found by the timestamp echo; stale: the echo may be older than the ACKs known.
    void note_tap_rtts(const SegmentReport &, const AckSeen &known, bool stamped, bool stale);
    void conclude(bool window_full, std::uint32_t mss, TcpSample &);
    // True if the sender was silent for a retransmission timeout before this time; false before its first
    // segment.
    bool timed_out_by(Time now) const { return last_sent_ && now - *last_sent_ >= min_timeout; }

    SenderTrack &track_;
    StaleEcho echo_;
    KnownRange known_;
    Before before_;
    CwndEnvelope envelope_;
    WindowScale scale_;
    BoundedRing<Resent, 1024> resent_; // repeats not known to be acknowledged
    SenderState state_ = SenderState::unknown;
    std::uint64_t recovery_point_ = 0; // offset whose ACK ends recovery, loss and idle restart
    bool any_sent_ = false;
    CompactOptional<Time> last_sent_; // empty: nothing was sent yet
    SenderTrip trip_;
    WholeTrip whole_trip_;
    CompactOptional<Duration> whole_latest_;
};

} // namespace iscsiscope
