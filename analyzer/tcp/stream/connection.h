// SPDX-License-Identifier: GPL-2.0-or-later
// One TCP connection as its observers may see it, and what they are told about it.
#pragma once

#include "analyzer/capture/segment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace iscsiscope {

// The two ends of a connection. The opener sent the SYN; without a SYN in the capture it is the
// source of the first frame. Which of them is the iSCSI initiator is for the iscsi room to say.
enum class Side : std::uint8_t { opener = 0, acceptor = 1 };
constexpr Side other(Side s) {
    return s == Side::opener ? Side::acceptor : Side::opener;
}
constexpr std::size_t index(Side s) {
    return static_cast<std::size_t>(s);
}

// The loop from the tap to one end and back.
struct RttTrack {
    std::optional<Duration> minimum; // running minimum: propagation
    std::optional<Duration> latest;
    std::uint64_t samples = 0;
};

// Facts about one end, kept by the tcp room.
struct ConnectionEnd {
    Endpoint endpoint;
    bool syn_seen = false;
    bool seen = false;               // any frame from this end
    bool sack_permitted = false;     // offered in its SYN
    bool timestamps = false;         // its segments carry RFC 7323 timestamps
    std::uint8_t window_scale = 0;   // in force for windows that this end announces
    bool window_scale_known = false; // from both SYNs
    std::uint16_t mss = 0;           // announced by this end in its SYN; 0 unknown
    std::uint64_t stream_bytes = 0;  // bytes of its stream delivered so far, seen or cut
    // Bytes that passed but that no frame held. Of an end never seen one too many, where its FIN was
    // acknowledged together with data.
    std::uint64_t unseen_bytes = 0;
    std::uint64_t segments = 0; // with payload
    std::uint64_t retransmitted_segments = 0;
    std::uint64_t duplicate_frames = 0; // copies of its frames that were dropped
    std::uint64_t acked_offset = 0;     // highest offset of its stream that the other end has ACKed
    std::uint64_t receive_window = 0;   // last announced by this end, scaled, bytes
    RttTrack rtt;                       // tap → this end → tap
};

enum class CloseReason : std::uint8_t {
    fin,         // both directions closed
    reset,       // RST
    reuse,       // a new SYN on the same port pair
    capture_end, // still open when the capture ended
    evicted,     // table full: the longest idle connection was given up
};

struct Connection {
    std::uint64_t stream = 0; // counts connections from 0 in order of their first frame
    std::uint32_t slot = 0;   // small index for observers' tables; reused after on_close
    FrameNumber first_frame = 0, last_frame = 0;
    Time first_time{}, last_time{};
    bool starts_with_syn = false; // else the capture begins in the middle of it
    std::array<ConnectionEnd, 2> ends;

    const ConnectionEnd &end(Side s) const { return ends[index(s)]; }
};

// A run of bytes of one direction, in stream order without gap or overlap: every piece begins where
// the one before it ended. A retransmission of bytes already delivered never makes a piece.
struct StreamPiece {
    std::uint64_t offset = 0; // of its first byte; 0 is the first byte behind the SYN, or
                              // of the first frame when the capture starts later
    std::uint32_t length = 0;
    bool unseen = false;                // no frame holds these bytes; the hole has been given up
    Time first_seen{};                  // of the frame that first carried them; unseen: when given up
    FrameNumber frame = 0;              // that frame
    std::uint32_t captured = 0;         // bytes of it in the file (a prefix): less than length when cut
    std::span<const std::byte> bytes{}; // those, or none where they waited behind a hole and nobody
                                        // needed them; valid during the call
};

// One segment, told after its bytes have advanced the stream. Mirror duplicates are never told.
struct SegmentReport {
    const Segment *segment = nullptr;
    Side side{};                        // who sent it
    std::uint64_t offset = 0;           // of its first payload byte in the sender's stream
    std::uint32_t new_bytes = 0;        // payload bytes never seen before
    std::uint64_t first_new_offset = 0; // of the first of them; meaningful with new_bytes > 0
    bool repeats = false;               // some of its payload bytes had been seen before
    bool before_start = false;          // payload lies before the capture's first byte of the stream
    bool out_of_order = false;          // lies behind a hole, or fills one
    bool probe = false;                 // payload ≤ 1 byte at or below the highest ACKed byte, or into a
                                        // zero window (keep-alive, window probe)
    bool ack_advanced = false;          // its acknowledgment moved the other side's acked_offset
    bool runs_on = false;               // it continues its sender's segment before, of which it differs in
                                        // nothing but bytes and time: new data in order (see SegmentRun)
};

// What the tcp room tells. Calls come in this order for a segment: on_open (if first), on_piece for
// each piece it released, of either side, on_segment; then on_close if it ended the connection.
class StreamSink {
public:
    virtual ~StreamSink() = default;
    virtual void on_open(const Connection &) = 0;
    virtual void on_piece(const Connection &, Side sender, const StreamPiece &) = 0;
    virtual void on_segment(const Connection &, const SegmentReport &) = 0;
    // at: time of the frame that ended it (capture_end: of the capture's last frame); frame likewise.
    virtual void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) = 0;
    // Bytes of this sender's stream below the returned offset need not be kept while they wait
    // behind a hole (their times are). Asked only for segments that arrive out of order.
    virtual std::uint64_t content_needed_from(const Connection &, Side sender) = 0;
};

} // namespace iscsiscope
