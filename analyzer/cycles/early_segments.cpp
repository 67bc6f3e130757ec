// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/early_segments.h"

#include "analyzer/tcp/stream/tcp_engine.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace iscsiscope {
namespace {

// The header of a segment without payload and SACK blocks.
struct EarlyHeader {
    FrameNumber frame;
    Time time;
    std::uint32_t sequence, acknowledgment, timestamp_value, timestamp_echo;
    std::uint16_t window, ip_id, mss;
    std::uint8_t flags, ip_ttl, window_scale;
    std::uint8_t ip_ecn : 2;
    bool of_opener : 1, has_ip_id : 1, has_timestamps : 1, has_mss : 1, has_window_scale : 1,
        sack_permitted : 1;

    EarlyHeader(Side sender, const Segment &s, const TcpOptions &o)
        : frame(s.frame), time(s.time), sequence(s.sequence), acknowledgment(s.acknowledgment),
          timestamp_value(o.timestamp_value), timestamp_echo(o.timestamp_echo), window(s.window),
          ip_id(s.ip_id), mss(o.mss), flags(s.flags), ip_ttl(s.ip_ttl), window_scale(o.window_scale),
          ip_ecn(static_cast<std::uint8_t>(s.ip_ecn & 3)), of_opener(sender == Side::opener),
          has_ip_id(s.has_ip_id), has_timestamps(o.has_timestamps), has_mss(o.has_mss),
          has_window_scale(o.has_window_scale), sack_permitted(o.sack_permitted) {}

    Side sender() const { return of_opener ? Side::opener : Side::acceptor; }
    Segment segment_of(const Connection &c) const {
        Segment s;
        s.frame = frame;
        s.time = time;
        s.source = c.end(sender()).endpoint;
        s.destination = c.end(other(sender())).endpoint;
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
        return s;
    }
};
static_assert(sizeof(EarlyHeader) == 48);

struct EarlyNotes final : RoomNotes {
    explicit EarlyNotes(const EarlyHeader &h) : first(h) {}
    EarlyHeader first;
    std::vector<EarlyHeader> later;
};

// Passes on what a TcpEngine reports of the kept segments, as of the connection that they belong to.
class EarlyReplay final : public StreamSink, public AnomalySink {
public:
    using Deliver = std::function<void(const Connection &, const SegmentReport &)>;
    EarlyReplay(const Connection &c, const Deliver &deliver) : connection_(c), deliver_(deliver) {}

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override {
        Connection then = c;
        then.slot = connection_.slot;
        then.notes = connection_.notes;
        then.hosts = nullptr;
        deliver_(then, r);
    }
    void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
    std::uint64_t content_needed_from(const Connection &, Side) override { return 0; }
    void on_anomaly(const Anomaly &) override {} // has been reported before

private:
    const Connection &connection_;
    const Deliver &deliver_;
};

} // namespace

bool EarlySegments::keep(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    const auto copied = [](const ConnectionEnd &e) { return e.duplicate_frames != 0; }; // no report of those
    if (s.payload_length != 0 || s.options.sack_count != 0 ||
        std::any_of(c.ends.begin(), c.ends.end(), copied))
        return false;
    const EarlyHeader header(r.side, s, s.options);
    EarlyNotes *notes = c.notes->find<EarlyNotes>(NotesOf::early);
    if (notes == nullptr) {
        c.notes->make<EarlyNotes>(NotesOf::early, header);
        return true;
    }
    if (notes->later.size() + 1 == most)
        return false;
    notes->later.reserve(notes->later.size() + 1); // exact: many connections keep some at once
    notes->later.push_back(header);
    return true;
}

void EarlySegments::release(const Connection &c, const EarlyReplay::Deliver &deliver) {
    const std::unique_ptr<RoomNotes> kept = c.notes->take(NotesOf::early);
    if (!kept)
        return;
    const auto &notes = static_cast<const EarlyNotes &>(*kept);
    EarlyReplay replay(c, deliver);
    TcpEngine engine(replay, replay);
    Placement at{.stream = c.stream, .slot = 0, .side = {}, .opens = true, .hosts = {}};
    const auto follow = [&](const EarlyHeader &h) {
        at.side = h.sender();
        engine.follow(at, h.segment_of(c));
        at.opens = false;
    };
    follow(notes.first);
    for (const EarlyHeader &h : notes.later)
        follow(h);
}

} // namespace iscsiscope
