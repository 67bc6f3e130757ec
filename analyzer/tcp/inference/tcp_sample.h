// SPDX-License-Identifier: GPL-2.0-or-later
// What the inference says about a sender at the moment it sent a segment of new data. All of it is
// causal: from frames up to that segment's own.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

// Phase of the sender's congestion control (RFC 5681, RFC 6675).
enum class SenderState : std::uint8_t { slow_start, avoidance, recovery, loss, idle_restart, unknown };

// What kept the sender from sending more.
enum class SendLimit : std::uint8_t { application, receive_window, send_buffer, cwnd, pacing, unknown };

// How the acknowledgments that the sender knew when it sent were found.
enum class Anchor : std::uint8_t {
    timestamp, // by the echoed timestamp: right at every tap, within a tick of that clock
    half_loop, // ACKs older than the least loop tap → sender → tap: too small a pipe when that loop varies
    tap,       // ACKs seen at the tap: right at the sender, elsewhere a lower bound of the pipe
};

std::string_view name(SenderState);
std::string_view name(SendLimit);
std::string_view name(Anchor);

struct TcpSample {
    Side sender{};
    FrameNumber frame = 0;
    Time time{};                  // when the segment passed the tap, which is later than its sending
    std::uint64_t end_offset = 0; // of the segment in the sender's stream
    Anchor anchor{};
    // Bytes the sender held to be under way behind this segment: sent − acknowledged − SACKed − lost
    // + retransmitted. Empty while the capture began later than the oldest byte under way.
    std::optional<std::uint64_t> flight;
    // The same with the first and the last ACK of the timestamp tick: what the tick leaves open.
    std::uint64_t flight_low = 0, flight_high = 0;
    std::uint64_t flight_at_tap = 0; // naive: sent − acknowledged as seen at the tap
    // Congestion window as packets × mss. The estimate only while it was seen to be what held the
    // sender; the bounds always, high where any is known.
    std::optional<std::uint64_t> cwnd;
    std::uint64_t cwnd_low = 0;
    std::optional<std::uint64_t> cwnd_high;
    SenderState state = SenderState::unknown;
    SendLimit limit = SendLimit::unknown;
    // As the sender knew it: right edge less what it knew to be acknowledged. Without both SYNs with the
    // scale learnt from the flight, and then inferred: at least as large; empty while none was learnt.
    std::optional<std::uint64_t> receive_window;
    bool receive_window_inferred = false;
    std::optional<Duration> rtt; // the sender's full round trip, latest sample; Karn's rule
    std::uint32_t mss = 0;       // payload bytes of a full segment; 0: not yet known
};

class TcpSampleSink {
public:
    virtual ~TcpSampleSink() = default;
    virtual void on_tcp_sample(const Connection &, const TcpSample &) = 0;
};

} // namespace iscsiscope
