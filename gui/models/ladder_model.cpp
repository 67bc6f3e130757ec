// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/ladder_model.h"

#include "analyzer/base/number_format.h"
#include "gui/models/words.h"

#include <algorithm>
#include <unordered_map>

namespace iscsiscope::gui {
namespace {

QString pduWords(const Pdu &p) {
    const HeaderView h = p.view();
    QString text = words(name(h.opcode()));
    if (h.opcode() == Opcode::data_in && h.status_bit())
        text += LadderModel::tr(" with status");
    if (p.data_length > 0 && (h.opcode() == Opcode::data_in || h.opcode() == Opcode::data_out))
        text += QString(" %1").arg(QString::fromStdString(human::block(p.data_length)));
    else if (h.opcode() == Opcode::r2t)
        text += QString(" %1").arg(QString::fromStdString(human::block(h.desired_data_transfer_length())));
    return text;
}

// Segments of one stream within an interval, and the PDUs that begin in their frames.
class PacketSink final : public RecordSink {
public:
    PacketSink(std::uint64_t stream, Interval interval, const Tables &tables, LadderPage &page)
        : stream_(stream), interval_(interval), page_(page) {
        const auto at = tables.streams.find(stream);
        if (at != tables.streams.end())
            target_ = at->second.target;
    }

    bool wants_progress() const override { return true; }
    bool past() const { return past_; }

    void on_segment(const Connection &c, const SegmentReport &r) override {
        const std::int64_t t = to_ns(r.segment->time);
        // PDUs may be delivered behind a hole, later than the frame they begin in.
        past_ = past_ || t > interval_.to + 5'000'000'000;
        if (c.stream != stream_ || !interval_.contains(t))
            return;
        if (page_.packets.size() >= mostLadderPackets) {
            page_.more = true;
            return;
        }
        LadderPacket p;
        p.frame = r.segment->frame;
        p.time = t;
        p.toTarget = r.segment->destination == target_;
        p.repeat = r.repeats;
        p.payload = r.segment->payload_length;
        p.flags = r.segment->flags;
        byFrame_[p.frame] = page_.packets.size();
        page_.packets.push_back(std::move(p));
    }

    void on_pdu(const Connection &c, const Pdu &p) override {
        if (c.stream == stream_ && p.frame != 0) {
            // A PDU is reported before the segment that completes it, so names are set once all frames are
            // there.
            if (to_ns(p.first_seen) >= interval_.from && to_ns(p.first_seen) < interval_.to)
                names_.emplace_back(p.frame, pduWords(p));
        }
    }

    void nameThem() {
        for (const auto &[frame, name] : names_) {
            if (const auto at = byFrame_.find(frame); at != byFrame_.end()) {
                QString &text = page_.packets[at->second].pdus;
                text += (text.isEmpty() ? "" : ", ") + name;
            }
        }
    }

private:
    std::uint64_t stream_;
    Interval interval_;
    LadderPage &page_;
    Endpoint target_;
    bool past_ = false;
    std::unordered_map<FrameNumber, std::size_t> byFrame_;
    std::vector<std::pair<FrameNumber, QString>> names_;
};

class LadderObserver final : public ReadObserver {
public:
    LadderObserver(const PacketSink &sink, const std::atomic<bool> &stop) : sink_(sink), stop_(stop) {}
    bool on_progress(std::uint64_t, std::uint64_t, std::optional<std::uint64_t>) override {
        return !stop_ && !sink_.past();
    }

private:
    const PacketSink &sink_;
    const std::atomic<bool> &stop_;
};

// Half the round trip from the capture point to each end (docs/figures.md, "Where the capture was taken").
void slant(LadderPage &page, const ConnectionRecord *c) {
    const bool known = c != nullptr && c->rtt_to_initiator && c->rtt_to_target;
    page.delaysKnown = known;
    const std::int64_t nominal = page.interval.length() / 200;
    const std::int64_t initiator = known ? to_ns(*c->rtt_to_initiator) / 2 : nominal;
    const std::int64_t target = known ? to_ns(*c->rtt_to_target) / 2 : nominal;
    for (LadderPacket &p : page.packets) {
        p.sent = p.time - (p.toTarget ? initiator : target);
        p.arrived = p.time + (p.toTarget ? target : initiator);
    }
}

} // namespace

LadderPage readLadder(const Snapshot &s, std::uint64_t stream, Interval interval,
                      const std::atomic<bool> &stop) {
    LadderPage page;
    page.stream = stream;
    page.interval = interval;
    const auto open = s.tables.streams.find(stream);
    if (open != s.tables.streams.end()) {
        page.initiator = QString::fromStdString(to_text(open->second.initiator));
        page.target = QString::fromStdString(to_text(open->second.target));
    }
    page.changed = !changesOf(s.states, statesOf(s.files)).onlyGrown();
    if (page.changed)
        return page;
    PacketSink sink(stream, interval, s.tables, page);
    LadderObserver observer(sink, stop);
    readAgain(s.files, sink, &observer);
    sink.nameThem();
    const auto record = std::find_if(s.tables.connections.begin(), s.tables.connections.end(),
                                     [stream](const ConnectionRecord &c) { return c.stream == stream; });
    slant(page, record != s.tables.connections.end() ? &*record : nullptr);
    if (const auto lane = s.lanes->gaps.find(stream); lane != s.lanes->gaps.end()) {
        for (const Row r : lane->second.rows) {
            const GapRecord &g = s.tables.gaps.record(r);
            if (to_ns(g.start) < interval.to && to_ns(g.start + g.length) > interval.from)
                page.gaps.push_back(g);
        }
    }
    return page;
}

LadderModel::LadderModel(Document &document, QObject *parent) : QObject(parent), document_(document) {}

void LadderModel::show(std::uint64_t stream, Interval interval) {
    job_.run(
        this,
        [snapshot = document_.snapshot(), stream, interval](const std::atomic<bool> &stop) {
            return readLadder(*snapshot, stream, interval, stop);
        },
        [this](LadderPage page) {
            page_ = std::move(page);
            emit changed();
        });
    emit changed();
}

} // namespace iscsiscope::gui
