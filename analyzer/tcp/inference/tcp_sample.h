// SPDX-License-Identifier: GPL-2.0-or-later
// TcpSample: the inferred state of a sender when it sent a segment of new data. It depends only on frames up
// to that segment's own. The page docs/tcp-inference.md defines the values.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

// The phase of the sender's congestion control (RFC 5681, RFC 6675).
enum class SenderState : std::uint8_t { slow_start, avoidance, recovery, loss, idle_restart, unknown };

// What prevented the sender from sending more.
enum class SendLimit : std::uint8_t { application, receive_window, send_buffer, cwnd, pacing, unknown };

// How the acknowledgments that the sender knew when it sent were found.
enum class Anchor : std::uint8_t {
    timestamp, // by the echoed timestamp: correct at every tap, within a tick of the timestamp clock
    tap_rtt, // by age, compared with the tap-side round trip tap → sender → tap: the pipe is too small if
             // it varies
    tap,     // all ACKs that had passed the tap: correct at the sender, elsewhere a lower bound of the pipe
};

std::string_view name(SenderState);
std::string_view name(SendLimit);
std::string_view name(Anchor);

struct TcpSample {
    Side sender{};
    FrameNumber frame = 0;
    Time time{};                  // when the segment passed the tap
    std::uint64_t end_offset = 0; // end of the segment in the sender's stream
    Anchor anchor{};
    // Bytes in flight in the sender's view, this segment included: sent − acknowledged − SACKed − lost
    // + retransmitted. Empty while the capture began later than the oldest byte in flight was sent.
    std::optional<std::uint64_t> flight;
    // Bounds of `flight`, with the last and the first ACK of the timestamp tick.
    std::uint64_t flight_low = 0, flight_high = 0;
    std::uint64_t flight_at_tap = 0; // for comparison: sent − acknowledged as seen at the tap
    // Congestion window in bytes: packets × mss. The estimate is set only while the window was seen to limit
    // the sender; the lower bound is always set, the upper bound if one is known.
    std::optional<std::uint64_t> cwnd;
    std::uint64_t cwnd_low = 0;
    std::optional<std::uint64_t> cwnd_high;
    SenderState state = SenderState::unknown;
    SendLimit limit = SendLimit::unknown;
    // Bytes from the last ACK that the sender knew to the right edge of the window. Inferred: without both
    // SYNs, a lower bound with the scale that the bytes in flight show; empty while they show none.
    std::optional<std::uint64_t> receive_window;
    bool receive_window_inferred = false;
    CompactOptional<Duration> rtt; // latest sample of the sender's full round trip, without any waiting
    // The latest time from a segment to an ACK of it that the sender knew, with all that delayed the ACK.
    CompactOptional<Duration> answered_after;
    std::optional<std::uint32_t> mss; // payload bytes of a full segment; empty: not yet known
};

// Receives the samples in the order of their segments.

class TcpSampleSink {
public:
    virtual ~TcpSampleSink() = default;
    virtual void on_tcp_sample(const Connection &, const TcpSample &) = 0;
};

} // namespace iscsiscope
