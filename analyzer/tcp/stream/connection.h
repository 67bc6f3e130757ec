// SPDX-License-Identifier: GPL-2.0-or-later
// Connection: one TCP connection as observers see it. StreamSink: receives its stream pieces and segment
// reports from TcpEngine. Offsets count the bytes of one direction from 0 (StreamPiece::offset).
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/ids.h"
#include "analyzer/capture/segment.h"
#include "analyzer/tcp/hosts/side.h"
#include "analyzer/tcp/round_trips/rtt_track.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace iscsiscope {

struct HostMoment;

// One end of a connection, as far as the capture shows it.
struct ConnectionEnd {
    Endpoint endpoint;
    bool syn_seen = false;
    bool seen = false;                  // a frame from this end was seen
    bool sack_permitted = false;        // offered in its SYN
    bool timestamps = false;            // its segments carry RFC 7323 timestamps
    std::uint8_t window_scale = 0;      // shift of the windows that this end announces
    bool window_scale_known = false;    // both SYNs were seen
    std::optional<std::uint16_t> mss;   // announced by this end in its SYN
    std::uint32_t duplicate_frames = 0; // copies of its frames that were dropped
    std::uint64_t stream_bytes = 0;     // bytes of its stream delivered so far, captured or cut off
    // Bytes of its stream that no frame held. For an end of which no frame was seen it is one too many
    // if its FIN was acknowledged together with data.
    std::uint64_t unseen_bytes = 0;
    // Those of unseen_bytes that were not acknowledged before the other end closed (FIN, RST): nothing shows
    // that they passed. They were lost before the tap and not sent again.
    std::uint64_t lost_bytes = 0;
    std::uint64_t segments = 0;          // segments with payload
    std::uint32_t repeated_segments = 0; // of them, those with bytes that had passed the tap before
    // Last announced by this end, scaled, bytes: at most a GiB (RFC 7323 section 2.3).
    std::uint32_t receive_window = 0;
    std::uint64_t acked_offset = 0; // highest offset of its stream that the other end has ACKed
    RttTrack rtt;                   // tap → this end → tap

    // Bytes that passed, as an ACK shows, but that no frame held.
    std::uint64_t missed_bytes() const { return unseen_bytes - lost_bytes; }
};

enum class CloseReason : std::uint8_t {
    fin,         // both directions closed
    reset,       // RST
    reuse,       // a new SYN on the same port pair
    capture_end, // still open when the capture ended
    evicted,     // the table was full and this was among the connections idle longest
};

// What one room keeps of a connection.
class RoomNotes {
public:
    virtual ~RoomNotes() = default;

protected:
    RoomNotes() = default;
    RoomNotes(const RoomNotes &) = default;
    RoomNotes &operator=(const RoomNotes &) = default;
};

// Whose notes; the tcp room does not know what is in them. Each has one type.
enum class NotesOf : std::uint8_t { diagnosis, early, framing, cycles, passing };
inline constexpr std::size_t notes_count = static_cast<std::size_t>(NotesOf::passing) + 1;

// What the rooms keep of one connection. It lies with the connection, so that a segment finds all in one
// place, and the rooms keep no tables of connections.
class ConnectionNotes {
public:
    // Null while there are none. Notes: the type that this room put there.
    template <class Notes>
    Notes *find(NotesOf room) const {
        return static_cast<Notes *>(of_[static_cast<std::size_t>(room)].get());
    }
    template <class Notes, class... Arguments>
    Notes &make(NotesOf room, Arguments &&...arguments) {
        auto notes = std::make_unique<Notes>(std::forward<Arguments>(arguments)...);
        Notes &made = *notes;
        of_[static_cast<std::size_t>(room)] = std::move(notes);
        return made;
    }
    template <class Notes, class... Arguments>
    Notes &find_or_make(NotesOf room, Arguments &&...arguments) {
        Notes *found = find<Notes>(room);
        return found != nullptr ? *found : make<Notes>(room, std::forward<Arguments>(arguments)...);
    }
    std::unique_ptr<RoomNotes> take(NotesOf room) { return std::move(of_[static_cast<std::size_t>(room)]); }
    // The room needs nothing of this connection any more.
    void give_up(NotesOf room) {
        drop(room);
        given_up_ = static_cast<std::uint8_t>(given_up_ | 1U << static_cast<unsigned>(room));
    }
    bool given_up(NotesOf room) const { return (given_up_ >> static_cast<unsigned>(room) & 1U) != 0; }
    void drop(NotesOf room) { of_[static_cast<std::size_t>(room)].reset(); }

private:
    std::array<std::unique_ptr<RoomNotes>, notes_count> of_;
    std::uint8_t given_up_ = 0; // a bit a room
};

struct Connection {
    StreamId stream;              // number from 0, in order of first frames
    std::uint32_t slot = 0;       // small number; given to another connection after on_close
    bool starts_with_syn = false; // false: the capture begins within the connection
    FrameNumber first_frame = 0, last_frame = 0;
    Time first_time{}, last_time{};
    std::uint8_t clock = 0; // Segment::clock of the latest segment
    std::array<ConnectionEnd, 2> ends;
    ConnectionNotes *notes = nullptr; // of the rooms that follow it; of its owner
    // What its hosts had sent to each other behind the segment that is being handled, or when the connection
    // was closed; null at other times.
    const HostMoment *hosts = nullptr;

    const ConnectionEnd &end(Side s) const { return ends[index(s)]; }
};

inline constexpr std::uint64_t unknown_offset = ~std::uint64_t{0};

// Consecutive bytes of one direction. The pieces of a direction come in stream order without gap or
// overlap: each begins where the one before it ended. Retransmitted bytes are not delivered again. A piece
// comes after the bytes of the other direction that its frame acknowledges (PieceOrder), except where these
// bytes do not come in time (TcpEngine gives the wait up), or where the sink needs content of neither
// direction.
struct StreamPiece {
    std::uint64_t offset = 0; // of its first byte; 0 is the first byte after the SYN, or
                              // of the first frame if the capture starts later
    std::uint32_t length = 0;
    bool unseen = false;        // no frame holds these bytes; their hole has been given up
    Time first_seen{};          // time of the frame that first carried them; unseen: of giving up
    FrameNumber frame = 0;      // the frame of that time
    std::uint32_t captured = 0; // length of the prefix that the file holds
    // That prefix, valid during the call. Empty if the piece waited, behind a hole or in PieceOrder, while
    // the sink did not need its content (content_needed_from), or behind a hole while too much waited there
    // (TcpEngineOptions).
    std::span<const std::byte> bytes{};
    // What that frame acknowledges, as an offset of the other direction's stream: up to there the sender had
    // received when it sent these bytes. Of unseen bytes: the sender had received at most so much.
    // `unknown_offset` if that is not known.
    std::uint64_t acknowledged = unknown_offset;

    // Whether its sender had received more of the other direction than is delivered.
    bool waits_for(std::uint64_t delivered) const {
        return !unseen && acknowledged != unknown_offset && acknowledged > delivered;
    }
};

// One segment, reported once its bytes have their place in the stream. The pieces with these bytes may come
// later: those behind a hole, and those that PieceOrder holds back behind bytes of the other direction that
// their sender had acknowledged. Mirror duplicates are not reported.
struct SegmentReport {
    const Segment *segment = nullptr;
    Side side{};                        // the sender
    std::uint64_t offset = 0;           // of its first payload byte in the sender's stream
    std::uint32_t new_bytes = 0;        // payload bytes neither seen nor given up before
    std::uint64_t first_new_offset = 0; // of the first of them; meaningful with new_bytes > 0
    bool repeats = false;               // some of its payload bytes had been seen before
    bool before_start = false;          // payload lies before the capture's first byte of the stream
    bool out_of_order = false;          // its new bytes lie behind a hole, or in one
    bool probe = false;                 // payload ≤ 1 byte at or below the highest ACKed byte, or into a
                                        // zero window (keep-alive, window probe)
    bool ack_advanced = false;          // its acknowledgment moved the other side's acked_offset
    bool continues_run = false;         // new data in order that differs from its sender's segment before
                                        // only in bytes and time (SegmentRun)
};

// Receives what TcpEngine finds. The calls for one segment, in order: on_open (the connection's first one),
// on_piece for each piece that it released, of either side, on_segment; after a segment that ends the
// connection, on_piece for the pieces that PieceOrder still held. on_close comes when TcpEngine forgets the
// connection (60 s of capture time after its end, or earlier), after on_piece for what is given up then.
class StreamSink {
public:
    virtual ~StreamSink() = default;
    virtual void on_open(const Connection &) = 0;
    virtual void on_piece(const Connection &, Side sender, const StreamPiece &) = 0;
    virtual void on_segment(const Connection &, const SegmentReport &) = 0;
    // A segment that DamageFilter has found to be damaged on its way: the stream goes on without it, and
    // on_segment is not called. Of the report only segment and side are set.
    virtual void on_damaged(const Connection &, const SegmentReport &) {}
    // at, frame: the frame that ended the connection; for capture_end the last frame of the capture.
    virtual void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) = 0;
    // Returns the offset from which the sink needs the content of this sender's stream. Of bytes below it
    // only the times are kept while they wait (behind a hole, or in PieceOrder), and their checksums are not
    // verified.
    virtual std::uint64_t content_needed_from(const Connection &, Side sender) = 0;
};

} // namespace iscsiscope
