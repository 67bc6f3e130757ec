// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/ladder_model.h"

#include "analyzer/base/number_format.h"
#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/status.h"
#include "gui/models/words.h"

#include <algorithm>
#include <map>

namespace iscsiscope::gui {
namespace {

using namespace std::chrono_literals;

QString block(std::uint64_t bytes) {
    return QString::fromStdString(human::block(bytes));
}

// "READ(10) LBA 2048, 64 KiB"; of what is not in the file nothing is said.
QString commandWords(const Pdu &p) {
    const HeaderView h = p.view();
    const CommandInfo command = p.knows(header_field::cdb) ? parse_cdb(h.cdb()) : CommandInfo{};
    QString text = command.known ? words(command.name) : words(name(h.opcode()));
    if (command.lba)
        text += LadderModel::tr(" LBA %1").arg(*command.lba);
    if (p.knows(header_field::expected_length) && h.expected_data_transfer_length() > 0)
        text += (command.lba ? ", " : " ") + block(h.expected_data_transfer_length());
    if (p.data_length > 0)
        text += LadderModel::tr(" with %1 immediate data").arg(block(p.data_length));
    return text;
}

QString pduWords(const Pdu &p) {
    const HeaderView h = p.view();
    if (h.opcode() == Opcode::scsi_command)
        return commandWords(p);
    QString text = words(name(h.opcode()));
    if (p.data_length > 0 && (h.opcode() == Opcode::data_in || h.opcode() == Opcode::data_out))
        text += " " + block(p.data_length);
    else if (h.opcode() == Opcode::r2t && p.knows(header_field::desired_length))
        text += " " + block(h.desired_data_transfer_length());
    const QString status = words(name(static_cast<ScsiStatus>(h.status())));
    if (h.opcode() == Opcode::scsi_response)
        text += " " + status;
    else if (h.opcode() == Opcode::data_in && h.status_bit())
        text += LadderModel::tr(" with status %1").arg(status);
    return text;
}

// Segments of one stream within an interval, and the PDUs that begin in their frames.
class PacketSink final : public Takes<SegmentRecord, PduBegun, PduRecord> {
public:
    PacketSink(StreamId stream, Interval interval, const Tables &tables, LadderPage &page)
        : stream_(stream), interval_(interval), page_(page) {
        const auto at = tables.streams.find(stream);
        if (at != tables.streams.end())
            target_ = at->second.target;
    }

    bool past() const { return past_; }

    void on(const SegmentRecord &r) override {
        if (r.damaged)
            return;
        const Time t = r.segment.time;
        // PDUs may be delivered behind a hole, later than the frame they begin in.
        past_ = past_ || t > interval_.to + 5s;
        if (r.stream != stream_ || !interval_.contains(t))
            return;
        if (page_.packets.size() >= maxLadderPackets) {
            page_.more = true;
            return;
        }
        LadderPacket p;
        p.frame = r.segment.frame;
        p.time = t;
        p.toTarget = r.segment.destination == target_;
        p.repeat = r.repeats;
        p.payload = r.segment.payload_length;
        p.flags = r.segment.flags;
        offsets_.push_back(r.offset);
        page_.packets.push_back(std::move(p));
    }

    void on(const PduBegun &r) override {
        if (r.connection->stream == stream_ && r.cycle)
            begun_[{r.pdu.direction, r.pdu.offset}] = *r.cycle;
    }

    // A PDU is reported before the segment that completes it, so packets are labelled when all are there.
    void on(const PduRecord &r) override {
        if (r.connection->stream != stream_)
            return;
        const Pdu &p = r.pdu;
        const auto begun = begun_.extract({p.direction, p.offset});
        if (p.first_seen >= interval_.to || p.delivered < interval_.from)
            return;
        pdus_[p.direction == PduDirection::to_target].push_back(
            {p.offset, p.end_offset, p.frame, pduWords(p),
             begun.empty() ? std::nullopt : std::optional(begun.mapped())});
    }

    void labelPackets() {
        for (auto &list : pdus_)
            std::sort(list.begin(), list.end(), [](const Part &a, const Part &b) { return a.from < b.from; });
        for (std::size_t i = 0; i < page_.packets.size(); ++i)
            label(page_.packets[i], offsets_[i]);
    }

private:
    struct Part { // a PDU in the stream of its sender
        std::uint64_t from, to;
        FrameNumber frame; // in which it begins
        QString words;
        std::optional<CycleId> cycle;
    };

    void label(LadderPacket &k, std::uint64_t offset) {
        if (k.payload == 0)
            return;
        const std::vector<Part> &list = pdus_[k.toTarget];
        auto at = std::upper_bound(list.begin(), list.end(), offset,
                                   [](std::uint64_t o, const Part &p) { return o < p.to; });
        for (; at != list.end() && at->from < offset + k.payload; ++at) {
            if (at->frame == k.frame)
                k.pdus += (k.pdus.isEmpty() ? "" : ", ") + at->words;
            else
                k.continues = at->words; // of one sent again: all of it, perhaps
            if (at->cycle && (k.cycles.empty() || k.cycles.back() != *at->cycle))
                k.cycles.push_back(*at->cycle);
            if (at->cycle && at->frame == k.frame)
                k.begun.push_back(*at->cycle);
        }
    }

    StreamId stream_;
    Interval interval_;
    LadderPage &page_;
    Endpoint target_;
    bool past_ = false;
    std::vector<std::uint64_t> offsets_; // of the packets' first bytes, in the stream of their sender
    std::map<std::pair<PduDirection, std::uint64_t>, CycleId> begun_; // cycles of PDUs under way
    std::array<std::vector<Part>, 2> pdus_;                           // to the initiator, to the target
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
    const Duration nominal = page.interval.length() / 200;
    const Duration initiator = known ? *c->rtt_to_initiator / 2 : nominal;
    const Duration target = known ? *c->rtt_to_target / 2 : nominal;
    for (LadderPacket &p : page.packets) {
        p.sent = p.time - (p.toTarget ? initiator : target);
        p.arrived = p.time + (p.toTarget ? target : initiator);
    }
}

} // namespace

bool carries(const LadderPacket &k, CycleId cycle) {
    return std::find(k.cycles.begin(), k.cycles.end(), cycle) != k.cycles.end();
}

bool beginsOf(const LadderPacket &k, CycleId cycle) {
    return std::find(k.begun.begin(), k.begun.end(), cycle) != k.begun.end();
}

QString packetWords(const LadderPacket &k, Time origin) {
    QStringList lines{(k.toTarget ? LadderModel::tr("Frame %1, to the target, at %2")
                                  : LadderModel::tr("Frame %1, to the initiator, at %2"))
                          .arg(k.frame)
                          .arg(secondWords(k.time - origin, 1us))};
    if (!k.continues.isEmpty())
        lines << (k.repeat ? LadderModel::tr("Retransmits: %1") : LadderModel::tr("Continues: %1"))
                     .arg(k.continues);
    if (!k.pdus.isEmpty())
        lines << LadderModel::tr("Begins: %1").arg(k.pdus);
    QStringList how;
    if ((k.flags & tcp_syn) != 0)
        how << LadderModel::tr("opens the connection (SYN)");
    if ((k.flags & tcp_fin) != 0)
        how << LadderModel::tr("closes its direction (FIN)");
    if ((k.flags & tcp_rst) != 0)
        how << LadderModel::tr("aborts the connection (RST)");
    if (k.payload > 0)
        how.prepend(LadderModel::tr("%1 bytes of payload").arg(countWords(k.payload)));
    else if (how.isEmpty())
        how << LadderModel::tr("an acknowledgment without payload");
    lines << how.join(", ");
    if (k.repeat)
        lines << LadderModel::tr("Retransmission: bytes of it had been seen before");
    if (!k.cycles.empty()) {
        QStringList cycles;
        for (const CycleId c : k.cycles)
            cycles << QString::number(c.number);
        lines << LadderModel::tr("Of cycle %1").arg(cycles.join(", "));
    }
    return lines.join('\n');
}

LadderPage readLadder(const Snapshot &s, StreamId stream, Interval interval, const std::atomic<bool> &stop) {
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
    readAgain(s, sink, &observer);
    sink.labelPackets();
    const auto record = std::find_if(s.tables.connections.begin(), s.tables.connections.end(),
                                     [stream](const ConnectionRecord &c) { return c.stream == stream; });
    slant(page, record != s.tables.connections.end() ? &*record : nullptr);
    if (open != s.tables.streams.end()) {
        if (const auto session = s.tables.sessions.find(open->second.session);
            session != s.tables.sessions.end()) {
            page.initiatorName = QString::fromStdString(session->second.initiator_name);
            page.targetName = QString::fromStdString(session->second.target_name);
        }
    }
    if (const auto lane = s.lanes->gaps.find(stream); lane != s.lanes->gaps.end()) {
        for (const Row r : lane->second.rows) {
            const GapRecord &g = s.tables.gaps.record(r);
            if (g.start < interval.to && g.start + g.length > interval.from)
                page.gaps.push_back(g);
        }
    }
    return page;
}

LadderModel::LadderModel(Document &document, QObject *parent) : QObject(parent), document_(document) {}

void LadderModel::show(StreamId stream, Interval interval) {
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
