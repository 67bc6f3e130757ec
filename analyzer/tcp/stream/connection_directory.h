// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionDirectory: which TCP connection each segment belongs to, and when connections are forgotten. It
// looks at endpoints, flags and numbers alone, in file order, and knows nothing of what the streams hold: so
// it runs ahead of those that follow the connections.
//
// In: every segment, in file order. Out: for each its Placement, and before it the Closings that it causes:
// of connections that ended `linger` ago, of the one whose ports a new SYN reuses, and of those that are
// evicted (ConnectionLimits). Slots are small numbers; one is given again once its connection is closed.
#pragma once

#include "analyzer/base/containers/chunked.h"
#include "analyzer/tcp/hosts/host_pairs.h"
#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/stream/connection_table.h"

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace iscsiscope {

// Capture time during which segments behind the RST or the FINs still belong to their connection.
inline constexpr Duration linger = std::chrono::seconds(60);

// What the first payload of a connection shows.
struct FirstPayload {
    bool matters = true; // the payload of the connection may matter to those who follow it
    // Connections of two hosts with the same number share an account (HostPairs).
    std::uint16_t service = 0;
};
using LookAtFirst = std::function<FirstPayload(const Segment &, bool starts_with_syn)>;

struct ConnectionLimits {
    // Most connections at the same time, up to 1.3 kilobytes each with what later rooms keep of them; and the
    // most of these with payload that may matter, of which later rooms keep twelve kilobytes and more each.
    // Beyond a limit the connections that are forgotten first are those that have ended (RST or both FINs),
    // then those without payload (a flood of SYNs), then those whose payload does not matter, then the
    // others; among equals those idle longest. They are closed as evicted.
    std::size_t max_connections = 131'072;
    std::size_t max_followed = 16'384;
};

// Where a segment belongs.
struct Placement {
    StreamId stream;
    std::uint32_t slot = 0;
    Side side{};        // that sent it
    bool opens = false; // it is the first one of its connection
    HostMoment hosts;   // behind it
};

// A connection that is forgotten. reason, at and frame are of what causes it: they hold where its followers
// have not seen it end themselves.
struct Closing {
    std::uint32_t slot = 0;
    CloseReason reason{};
    Time at{};
    FrameNumber frame = 0;
    HostMoment hosts{};
};

class ConnectionDirectory {
public:
    // first: is shown the segment that carries the first payload of a connection; not set: nothing follows
    // from it.
    explicit ConnectionDirectory(const ConnectionLimits &limits, LookAtFirst first = {})
        : limits_(limits), look_at_first_(std::move(first)) {}

    // Takes the next segment. closings() are those to be done before it; they are valid until the next call.
    Placement place(const Segment &);
    const std::vector<Closing> &closings() const { return closings_; }
    // What the moments of earlier segments point to and later ones do not; to be kept until these are used.
    bool has_retired() const { return hosts_.has_retired(); }
    RetiredSilences take_retired() { return hosts_.take_retired(); }
    // No segment follows: calls close(Closing) for each connection that is left, in the order of opening.
    template <class Close>
    void finish(const Close &close) {
        for (const std::uint32_t slot : open_slots()) {
            closings_.clear();
            forget(slot, CloseReason::capture_end, last_time_, last_frame_);
            close(closings_.front());
        }
        closings_.clear();
        ended_.clear();
    }

    // Connections so far, including those that have ended.
    std::uint64_t connections_seen() const { return next_stream_; }
    // How many were evicted that had not ended: later segments of theirs open another connection.
    std::uint64_t connections_forgotten() const { return forgotten_; }

private:
    // What is known once there is payload: a flood of SYNs has none.
    struct Payload {
        HostShare hosts;
        struct Last { // of a sender
            std::uint32_t sequence = 0;
            std::uint32_t acknowledged = 0; // the highest, with acks
            std::uint16_t length = 0;       // its lower half is enough to know a copy
            std::uint16_t ip_id = 0;
        };
        std::array<Last, 2> last; // by Side
    };
    // What a sender has shown.
    struct Has {
        bool payload : 1 = false, acks : 1 = false; // acks: since there was payload
    };
    struct End {
        Endpoint endpoint;
        std::uint16_t mss = 0;              // of its SYN; 0: not known
        std::uint32_t initial_sequence = 0; // of its first SYN
        bool seen : 1 = false, syn : 1 = false, fin : 1 = false, stamps : 1 = false;
    };
    struct Entry {
        std::array<End, 2> ends; // by Side
        std::array<Has, 2> has;  // by Side of the sender
        bool used : 1 = false, ended : 1 = false, starts_with_syn : 1 = false;
        bool matters : 1 = false; // FirstPayload
        StreamId stream;
        FrameNumber last_frame = 0;
        std::unique_ptr<Payload> payload; // null: no segment had any

        bool belongs(const Segment &, Side &) const;
        bool has_payload(Side sender) const { return has[index(sender)].payload; }
        HostMoment hosts() const { return payload ? payload->hosts.moment() : HostMoment{}; }
    };
    // A connection that has ended and lingers.
    struct Ended {
        Time when;
        std::uint32_t slot;
        StreamId stream;
    };
    static constexpr std::uint32_t none = ConnectionTable::none;

    std::uint32_t find(const Segment &, Side &);
    std::uint32_t look_up(const Segment &, Side &);
    std::uint32_t open(const Segment &);
    void note(Entry &, std::uint32_t slot, Side, const Segment &);
    void begin_account(Entry &, const Segment &first);
    void account(Entry &, Side, const Segment &);
    void forget(std::uint32_t slot, CloseReason, Time, FrameNumber);
    std::vector<std::uint32_t> open_slots() const; // in the order of opening
    void forget_ended(Time now);
    void keep_to_limits(const Segment &);

    ConnectionLimits limits_;
    LookAtFirst look_at_first_;
    ConnectionTable table_;
    Chunked<Entry> entries_; // by slot
    std::vector<std::uint32_t> free_slots_;
    std::deque<Ended> ended_; // in the order of their ends
    std::vector<Closing> closings_;
    HostPairs hosts_;
    std::array<std::uint32_t, 2> recent_{none, none}; // the slots of the last segments: a cache for find()
    std::uint64_t next_stream_ = 0, forgotten_ = 0;
    std::size_t opened_since_check_ = 0; // connections, since the limits were last checked
    Time last_time_{};                   // of the last segment
    FrameNumber last_frame_ = 0;
};

} // namespace iscsiscope
