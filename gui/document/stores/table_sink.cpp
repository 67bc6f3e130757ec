// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/table_sink.h"

namespace iscsiscope::gui {

void TableSink::on(const MemberRecord &r) {
    const ConnectionFace &c = *r.connection;
    tables_.streams[c.stream] = {c.initiator_end(), c.target_end(), r.session};
}

void TableSink::on(const CycleRecord &r) {
    const std::size_t bursts = tables_.bursts.size();
    tables_.cycles.append(r, static_cast<Row>(burstsBefore_), static_cast<Row>(bursts - burstsBefore_));
    burstsBefore_ = bursts;
}

void TableSink::on(const EventRecord &r) {
    constexpr std::size_t maxEvents = 100'000; // NOPs of a long capture; only marks on a time axis
    if (tables_.events.size() < maxEvents)
        tables_.events.push_back(r);
}

void TableSink::on(const ConnectionRecord &r) {
    tables_.connections.push_back(r);
    tables_.streams[r.stream] = {r.initiator, r.target, r.session};
}

void TableSink::on(const TcpSampleRecord &s) {
    const SeriesKey key{s.stream, s.direction};
    if (lastSeries_ == nullptr || key != lastKey_) {
        lastSeries_ = &tables_.samples[key]; // a map: its members stay where they are
        lastKey_ = key;
    }
    lastSeries_->append(s);
}

void replay(const Tables &t, RecordSink &sink, const std::atomic<bool> &stop) {
    const RecordTables to(sink);
    for (const auto &[number, session] : t.sessions)
        to.put(session);
    for (const auto &[key, lun] : t.luns)
        to.put(lun);
    for (std::size_t i = 0; i < t.cycles.size(); ++i) {
        if (i % 4096 == 0 && stop)
            return;
        const auto row = static_cast<Row>(i);
        for (Row b = 0; b < t.cycles.bursts(row); ++b)
            to.put(t.bursts.record(t.cycles.firstBurst(row) + b));
        to.put(t.cycles.record(row));
    }
    for (std::size_t i = 0; i < t.gaps.size(); ++i)
        to.put(t.gaps.record(static_cast<Row>(i)));
    for (const NoTaskRecord &u : t.without_task)
        to.put(u);
    LedgerEntry entry;
    for (LedgerStore::Reader ledger(t.ledger); ledger.next(entry) && !stop;)
        to.put(entry);
    for (const EventRecord &e : t.events)
        to.put(e);
    for (const ConnectionRecord &c : t.connections)
        to.put(c);
}

} // namespace iscsiscope::gui
