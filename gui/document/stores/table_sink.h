// SPDX-License-Identifier: GPL-2.0-or-later
// TableSink stores the engine's records in Tables; replay() passes stored records on to another sink.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "gui/document/stores/record_stores.h"

#include <atomic>
#include <unordered_map>

namespace iscsiscope::gui {

// The tables must outlive the sink. It is used in the thread that reads.
class TableSink final : public RecordSink {
public:
    explicit TableSink(Tables &tables) : tables_(tables) {}

    bool wants_tcp_samples() const override { return true; }
    bool wants_passed_bytes() const override { return true; }
    void on_passed(const Connection &c, PduDirection d, const StreamBytes &p) override {
        tables_.passed[{c.stream, d}].append(p);
    }
    void on_member(const Connection &, Side initiator, std::uint64_t session) override;
    void on_cycle(const CycleRecord &) override;
    void on_burst(const BurstRecord &r) override { tables_.bursts.append(r); }
    void on_gap(const GapRecord &r) override { tables_.gaps.append(r); }
    void on_unasked(const UnaskedRecord &r) override { tables_.unasked.push_back(r); }
    void on_owned(const OwnedRecord &) override;
    void on_event(const EventRecord &) override;
    void on_lun(const LunRecord &r) override { tables_.luns[{r.session, r.lun}] = r; }
    void on_session(const SessionRecord &r) override { tables_.sessions[r.session] = r; }
    void on_connection(const ConnectionRecord &) override;
    void on_retransmission(const Connection &, PduDirection, const TcpRetransmission &r) override {
        tables_.retransmissions.append(r);
    }
    void on_tcp_sample(const Connection &, PduDirection, const TcpSample &) override;

private:
    Tables &tables_;
    std::unordered_map<std::uint64_t, std::size_t> lastOwned_; // by stream: index in Tables::owned
    std::size_t burstsBefore_ = 0;                             // rows of bursts whose cycle has been stored
    SeriesKey lastKey_;
    SampleSeries *lastSeries_ = nullptr;
};

// Passes the records of the tables to a sink: for figures while a capture is still being read, and for
// snapshots without a file. Returns early when stop is set.
void replay(const Tables &, RecordSink &, const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
