// SPDX-License-Identifier: GPL-2.0-or-later
// SenderSampler: makes the TcpSample of each segment of new data of one sender, from a capture at any tap:
// from the ACKs that the sender knew (KnownRange) its bytes in flight (SenderPipe), state (CongestionState),
// congestion window (CwndEnvelope) and limit. In: each segment of the sender, behind its track, with what had
// passed before. Out: samples, and the scale of the receiver's windows if no SYN gives it.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/inference/congestion_state.h"
#include "analyzer/tcp/inference/cwnd_envelope.h"
#include "analyzer/tcp/inference/known_range.h"
#include "analyzer/tcp/inference/sender_pipe.h"
#include "analyzer/tcp/inference/stale_echo.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/inference/window_scale.h"
#include "analyzer/tcp/round_trips/sender_trip.h"
#include "analyzer/tcp/round_trips/whole_trip.h"
#include "analyzer/tcp/track/sender_track.h"

#include <optional>

namespace iscsiscope {

class SenderSampler {
public:
    // What had passed of the sender's stream before a segment: up to this offset, and the last of it then.
    struct Before {
        std::uint64_t sent_to = 0;
        CompactOptional<Time> last; // empty: nothing had
    };

    // Both must outlive the object, and must include a segment before sent() is called with it.
    SenderSampler(SenderTrack &track, const WholeTrip &whole) : track_(track), known_(track), whole_(whole) {}
    // A segment of the sender passes, with data or without.
    void passes(const SegmentReport &report) {
        if (!report.continues_run)
            echo_.sent(*report.segment);
    }
    // It carries data, and is no probe. Returns true if some of them are new; then the sample has been
    // filled.
    bool sent(const Connection &, const SegmentReport &, const Before &, TcpSample &);
    // A sample of the tap-side round trip tap → sender → tap, from an answer that passed the tap at this
    // time.
    void tap_rtt_seen(Time answered, Duration tap_rtt) { known_.tap_rtt().sample(answered, tap_rtt); }
    std::optional<std::uint8_t> learnt_window_scale() const { return scale_.learnt(); }

private:
    KnownRange::Known known_at(const Connection &, const SegmentReport &, bool stale);
    void fill(const Connection &, const SegmentReport &, const Before &, TcpSample &);
    bool note_receive_window(const KnownRange::Known &, std::uint64_t end, std::uint32_t mss, TcpSample &);
    // stamped: `known` was found by the timestamp echo; stale: the echo may be older than the ACKs known.
    void note_tap_rtts(const SegmentReport &, const Before &, const AckSeen &known, bool stamped, bool stale);
    void conclude(bool window_full, std::uint32_t mss, TcpSample &);

    SenderTrack &track_;
    StaleEcho echo_;
    KnownRange known_;
    SenderPipe pipe_;
    CongestionState state_;
    CwndEnvelope envelope_;
    WindowScale scale_;
    SenderTrip trip_;
    const WholeTrip &whole_;
    WholeTrip::Sample whole_seen_; // the one that whole_latest_ is of
    CompactOptional<Duration> whole_latest_;
};

} // namespace iscsiscope
