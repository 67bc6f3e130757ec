// SPDX-License-Identifier: GPL-2.0-or-later
// Collector: sums the engine's records up to a Report, in memory that does not grow with the capture. A
// RangeSink and a FilterSink before it limit the records to a range of time and to a filter.
#pragma once

#include "analyzer/base/containers/bounded.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/figures/report.h"
#include "analyzer/pipeline/time_range.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iscsiscope {

struct CollectorOptions {
    std::size_t max_listed = 1024;    // connections, sessions and LUNs that are listed, of each at most
    const TimeRange *range = nullptr; // data time is cut to it; null: everything
    bool filtered = false;            // connections may be missing: no downtime is known
};

class Collector final
    : public Takes<Anomaly, PassedRecord, CycleRecord, BurstRecord, GapRecord, LedgerEntry, EventRecord,
                   LunRecord, SessionRecord, LoginRecord, TcpDirectionRecord, ConnectionRecord> {
public:
    explicit Collector(CollectorOptions = {});

    void on(const Anomaly &) override;
    void on(const PassedRecord &r) override { report_.wire.add(r.direction, r); }
    void on(const CycleRecord &) override;
    void on(const BurstRecord &) override;
    void on(const GapRecord &) override;
    void on(const LedgerEntry &) override;
    void on(const EventRecord &) override;
    void on(const LunRecord &) override;
    void on(const SessionRecord &) override;
    void on(const LoginRecord &) override;
    void on(const TcpDirectionRecord &) override;
    void on(const ConnectionRecord &) override;

    // Returns the report; to be called after the last record. The collector is empty afterwards.
    Report take(CaptureSummary);

private:
    void count_command(const CycleRecord &);
    void count_lun(const CycleRecord &, Time from, Time to);
    void count_rates(const CycleRecord &, Time from, Time to);
    void count_owners(const ConnectionRecord &);
    void name_session(const ConnectionRecord &);
    void leave_out_smallest();

    CollectorOptions options_;
    Report report_;
    std::vector<BurstRecord> waiting_bursts_; // of the task whose record follows
    std::map<CommandKey, Tally> commands_;
    std::map<std::uint32_t, SenseSums> senses_;
    Latest<decltype(commands_)> last_command_;
    Latest<decltype(Report::luns)> last_lun_;
    DowntimeTally downtimes_;
    // By stream: the owners of busy time that belongs to one LUN and type.
    struct OwnedWork {
        std::uint64_t lun = 0;
        TaskType type{};
        OwnerTimes owners;
    };
    std::unordered_map<StreamId, std::vector<OwnedWork>> owned_;
};

} // namespace iscsiscope
