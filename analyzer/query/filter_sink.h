// SPDX-License-Identifier: GPL-2.0-or-later
// FilterSink: passes on the part of the records that belongs to the tasks for which a filter holds, so that
// all figures behind it have one scope (docs/figures.md, "The scope of a filter").
#pragma once

#include "analyzer/cycles/records/relay_sink.h"
#include "analyzer/query/expression.h"

#include <bitset>
#include <map>
#include <unordered_map>
#include <variant>
#include <vector>

namespace iscsiscope {

// In: records, of which a RangeSink has taken those outside the range. Entries of the ledger, gaps and events
// wait for the CycleRecord of their task, and go on or end with it. Entries and gaps of no task end here;
// events of no task go on. A connection goes on with its first such task or entry: its active life then
// consists of the entries alone, its bytes, packets and round trips remain those of all its tasks. All other
// records go on.
//
// Bounds: max_held records wait. A further entry adds its time to a sum by owner, without its cause; further
// gaps and events are not counted. The verdicts of 64 million tasks are kept; an entry that comes even later
// than those (of an outage, at the end of a connection) is in no scope.
class FilterSink final : public RelaySink<FilterSink> {
public:
    static constexpr std::size_t max_held = 65536, block_tasks = 65536, max_blocks = 1024;

    // The filter, of cycles, must outlive the sink.
    FilterSink(const Expression &filter, RecordSink &next) : RelaySink<FilterSink>(next), filter_(filter) {}

    template <class Record>
    void relay(const Record &r) {
        next().put(r);
    }
    void relay(const CycleRecord &);
    void relay(const LedgerEntry &);
    void relay(const GapRecord &);
    void relay(const NoTaskRecord &) {}
    void relay(const EventRecord &);
    void relay(const TcpDirectionRecord &r) { ends_[r.figures->stream].directions.push_back(r); }
    void relay(const OutageRecord &r) { ends_[r.stream].outages.push_back(r); }
    void relay(const ConnectionRecord &);

private:
    using Waiting = std::variant<LedgerEntry, GapRecord, EventRecord>;
    // What waits for the record of a task.
    struct Held {
        StreamId stream;
        std::vector<Waiting> records;
        std::vector<LedgerEntry> sums; // of runs, and of entries beyond the bound
    };
    // What has passed of an open connection.
    struct Passed {
        std::uint64_t tasks = 0;
        OwnerTimes owners;
        Duration runs{};
        std::array<Duration, gap_kind_count> gap_time{};
        std::array<std::uint64_t, gap_kind_count> gaps{};
        FrameNumber last_wait = 0; // the packet before the latest wait
    };
    // The last records of a connection, until it is known whether it goes on.
    struct Ends {
        std::vector<TcpDirectionRecord> directions;
        std::vector<OutageRecord> outages;
    };
    struct Block {
        std::bitset<block_tasks> known, passes; // by the lower part of the task's number
    };

    std::optional<bool> decided(CycleId) const; // empty: its record has not come, or too long ago
    void decide(CycleId, bool passes);
    void put(const LedgerEntry &);
    template <class Record>
    void put(const Record &r) {
        next().put(r);
    }
    template <class Record>
    void wait_for(CycleId task, StreamId stream, const Record &r);
    void end(const Held &held) { held_records_ -= held.records.size(); }

    const Expression &filter_;
    std::map<std::uint64_t, Block> blocks_; // by the upper part of the task's number
    std::unordered_map<CycleId, Held> held_;
    std::size_t held_records_ = 0;
    std::unordered_map<StreamId, Passed> passed_;
    std::unordered_map<StreamId, Ends> ends_;
};

} // namespace iscsiscope
