// SPDX-License-Identifier: GPL-2.0-or-later
// TableSink stores the engine's records in Tables; replay() passes stored records on to another sink.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "gui/document/stores/record_stores.h"

#include <atomic>

namespace iscsiscope::gui {

// The tables must outlive the sink. It is used in the thread that reads.
class TableSink final : public Takes<PassedRecord, MemberRecord, CycleRecord, BurstRecord, GapRecord,
                                     NoTaskRecord, LedgerEntry, EventRecord, LunRecord, SessionRecord,
                                     ConnectionRecord, RetransmissionRecord, TcpSampleRecord> {
public:
    explicit TableSink(Tables &tables) : tables_(tables) {}

    void on(const PassedRecord &r) override { tables_.passed[{r.stream, r.direction}].append(r); }
    void on(const MemberRecord &) override;
    void on(const CycleRecord &) override;
    void on(const BurstRecord &r) override { tables_.bursts.append(r); }
    void on(const GapRecord &r) override { tables_.gaps.append(r); }
    void on(const NoTaskRecord &r) override { tables_.without_task.push_back(r); }
    void on(const LedgerEntry &r) override { tables_.ledger.append(r); }
    void on(const EventRecord &) override;
    void on(const LunRecord &r) override { tables_.luns[{r.session, r.lun}] = r; }
    void on(const SessionRecord &r) override { tables_.sessions[r.session] = r; }
    void on(const ConnectionRecord &) override;
    void on(const RetransmissionRecord &r) override { tables_.retransmissions.append(r); }
    void on(const TcpSampleRecord &) override;

private:
    Tables &tables_;
    std::size_t burstsBefore_ = 0; // rows of bursts whose cycle has been stored
    SeriesKey lastKey_;
    SampleSeries *lastSeries_ = nullptr;
};

// Passes the records of the tables to a sink: for figures while a capture is still being read, and for
// snapshots without a file. Returns early when stop is set.
void replay(const Tables &, RecordSink &, const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
