// SPDX-License-Identifier: GPL-2.0-or-later
// EarlySegments: holds back the segments before a connection's first payload, so that TcpDiagnosis allocates
// no state for the connections of a capture (possibly a million) that never carry data.
//
// A segment is kept with what a handshake can change of its connection; one with more than that ends the
// keeping. The rest of the connection is still the same when the segments are released.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope {

class EarlySegments {
public:
    static constexpr std::size_t most = 4; // kept per connection: a handshake and a retransmitted SYN

    // Returns true if the segment has been kept. Returns false if it is to be passed to the diagnosis, after
    // the segments that release() delivers.
    static bool keep(const Connection &c, const SegmentReport &r) {
        if (!is_plain(c, r))
            return false;
        Notes *notes = c.notes->find<Notes>(NotesOf::early);
        if (notes == nullptr) {
            c.notes->make<Notes>(NotesOf::early, c, r);
            return true;
        }
        if (!notes->later)
            notes->later = std::make_unique<std::vector<Early>>();
        std::vector<Early> &later = *notes->later;
        if (later.size() + 1 == most)
            return false;
        later.reserve(later.size() + 1); // exact: many connections keep some at once
        later.emplace_back(c, r);
        return true;
    }
    // Ends the keeping for this connection. Calls deliver(const Connection &, const SegmentReport &) for each
    // kept segment, with the connection's state at that segment.
    template <class Deliver>
    static void release(const Connection &c, Deliver deliver) {
        const std::unique_ptr<RoomNotes> kept = c.notes->take(NotesOf::early);
        if (!kept)
            return;
        const auto &notes = static_cast<const Notes &>(*kept);
        notes.first.deliver_to(c, deliver);
        if (notes.later)
            for (const Early &e : *notes.later)
                e.deliver_to(c, deliver);
    }
    // Drops the kept segments: the diagnosis does not need this connection.
    static void drop(const Connection &c) { c.notes->drop(NotesOf::early); }

private:
    // What a handshake changes of an end.
    struct EarlyEnd {
        std::unique_ptr<RttTrack> rtt;    // null: nothing was measured
        std::uint32_t receive_window = 0; // at most a GiB (RFC 7323 section 2.3)
        std::uint16_t mss = 0;            // 0: not announced
        std::uint8_t window_scale = 0;
        bool syn_seen : 1 = false, seen : 1 = false, sack_permitted : 1 = false, timestamps : 1 = false;
        bool window_scale_known : 1 = false;

        explicit EarlyEnd(const ConnectionEnd &e)
            : rtt(e.rtt.minimum ? std::make_unique<RttTrack>(e.rtt) : nullptr),
              receive_window(e.receive_window), mss(e.mss.value_or(0)), window_scale(e.window_scale),
              syn_seen(e.syn_seen), seen(e.seen), sack_permitted(e.sack_permitted), timestamps(e.timestamps),
              window_scale_known(e.window_scale_known) {}
        ConnectionEnd restored(const Endpoint &endpoint) const {
            ConnectionEnd e;
            e.endpoint = endpoint;
            e.receive_window = receive_window;
            if (mss != 0)
                e.mss = mss;
            e.window_scale = window_scale;
            e.syn_seen = syn_seen;
            e.seen = seen;
            e.sack_permitted = sack_permitted;
            e.timestamps = timestamps;
            e.window_scale_known = window_scale_known;
            if (rtt)
                e.rtt = *rtt;
            return e;
        }
    };
    struct Early {
        FrameNumber frame;
        Time time; // also Connection's last_time
        std::uint32_t sequence, acknowledgment, timestamp_value, timestamp_echo;
        std::uint16_t window, ip_id, mss;
        std::uint8_t flags, ip_ttl, ip_ecn, window_scale;
        Side side;
        bool has_ip_id : 1, ack_advanced : 1;
        bool has_timestamps : 1, has_mss : 1, has_window_scale : 1, sack_permitted : 1;
        std::array<EarlyEnd, 2> ends;

        Early(const Connection &c, const SegmentReport &r) : Early(c, r, *r.segment, r.segment->options) {}
        Early(const Connection &c, const SegmentReport &r, const Segment &s, const TcpOptions &o)
            : frame(s.frame), time(s.time), sequence(s.sequence), acknowledgment(s.acknowledgment),
              timestamp_value(o.timestamp_value), timestamp_echo(o.timestamp_echo), window(s.window),
              ip_id(s.ip_id), mss(o.mss), flags(s.flags), ip_ttl(s.ip_ttl), ip_ecn(s.ip_ecn),
              window_scale(o.window_scale), side(r.side), has_ip_id(s.has_ip_id),
              ack_advanced(r.ack_advanced), has_timestamps(o.has_timestamps), has_mss(o.has_mss),
              has_window_scale(o.has_window_scale),
              sack_permitted(o.sack_permitted), ends{EarlyEnd{c.ends[0]}, EarlyEnd{c.ends[1]}} {}

        template <class Deliver>
        void deliver_to(const Connection &now, Deliver &deliver) const {
            Connection then;
            Segment s;
            then.stream = now.stream;
            then.slot = now.slot;
            then.notes = now.notes;
            then.first_frame = now.first_frame;
            then.first_time = now.first_time;
            then.starts_with_syn = now.starts_with_syn;
            then.last_frame = frame;
            then.last_time = time;
            for (std::size_t i = 0; i < ends.size(); ++i)
                then.ends[i] = ends[i].restored(now.ends[i].endpoint);
            s.frame = frame;
            s.time = time;
            s.source = then.end(side).endpoint;
            s.destination = then.end(other(side)).endpoint;
            s.sequence = sequence;
            s.acknowledgment = acknowledgment;
            s.window = window;
            s.flags = flags;
            s.ip_ttl = ip_ttl;
            s.ip_ecn = ip_ecn;
            s.has_ip_id = has_ip_id;
            s.ip_id = ip_id;
            s.options.has_timestamps = has_timestamps;
            s.options.timestamp_value = timestamp_value;
            s.options.timestamp_echo = timestamp_echo;
            s.options.has_mss = has_mss;
            s.options.mss = mss;
            s.options.has_window_scale = has_window_scale;
            s.options.window_scale = window_scale;
            s.options.sack_permitted = sack_permitted;
            SegmentReport r;
            r.segment = &s;
            r.side = side;
            r.ack_advanced = ack_advanced;
            deliver(std::as_const(then), std::as_const(r));
        }
    };

    // True if an Early holds all of the segment and of what it changed.
    static bool is_plain(const Connection &c, const SegmentReport &r) {
        const Segment &s = *r.segment;
        if (s.payload_length != 0 || s.options.sack_count != 0 || r.repeats || r.before_start || r.probe ||
            r.out_of_order || r.new_bytes != 0 || r.offset != 0 || r.first_new_offset != 0 ||
            c.last_frame != s.frame || c.last_time != s.time)
            return false;
        for (const ConnectionEnd &e : c.ends)
            if (e.stream_bytes != 0 || e.unseen_bytes != 0 || e.lost_bytes != 0 || e.segments != 0 ||
                e.repeated_segments != 0 || e.acked_offset != 0 || e.duplicate_frames != 0 ||
                (!e.rtt.minimum && e.rtt.samples + e.rtt.answers != 0))
                return false;
        return true;
    }

    struct Notes final : RoomNotes {
        Notes(const Connection &c, const SegmentReport &r) : first(c, r) {}
        Early first;
        std::unique_ptr<std::vector<Early>> later; // null: none
    };
};

} // namespace iscsiscope
