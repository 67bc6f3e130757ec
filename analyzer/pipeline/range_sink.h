// SPDX-License-Identifier: GPL-2.0-or-later
// RangeSink: passes on the part of the records that lies in a range of time. A task belongs to the range by
// its end, a gap by its overlap, bytes and PDUs by their frame, so that shares of time still add up.
#pragma once

#include "analyzer/cycles/records/relay_sink.h"
#include "analyzer/pipeline/time_range.h"

#include <array>
#include <unordered_map>

namespace iscsiscope {

// The range must outlive the sink. Without a range, all final records are passed on. Progress, ends of tasks
// and TCP samples are never passed on. Records without a time always are: anomalies, bursts (of any task),
// LUNs, sessions, accepted logins, members; also the TCP figures of each connection that the range touches,
// which cover that connection's whole life.
class RangeSink final : public RelaySink<RangeSink> {
public:
    RangeSink(const TimeRange &range, RecordSink &next) : RelaySink<RangeSink>(next), range_(range) {}

    template <class Record>
    bool takes() const {
        if constexpr (is_one_of<Record, SegmentRecord, CycleBegun, CycleEnded, PduBegun, BurstProgress,
                                TcpSampleRecord>)
            return false;
        // With a range, those of connections are sums of these.
        constexpr bool summed =
            is_one_of<Record, PduRecord, PassedRecord, CycleRecord, GapRecord, LedgerEntry>;
        return RelaySink<RangeSink>::takes<Record>() ||
               (summed && !whole() && next().wanted<ConnectionRecord>());
    }

    template <class Record>
    void relay(const Record &r) {
        next().put(r);
    }
    void relay(const PduRecord &);
    void relay(const PassedRecord &);
    void relay(const CycleRecord &);
    void relay(const GapRecord &);
    void relay(const NoTaskRecord &);
    void relay(const LedgerEntry &);
    void relay(const EventRecord &);
    void relay(const LoginRecord &);
    void relay(const RetransmissionRecord &);
    void relay(const ReorderingRecord &);
    void relay(const TcpDirectionRecord &);
    void relay(const OutageRecord &);
    void relay(const AttemptRecord &);
    void relay(const ConnectionRecord &);

private:
    // The part of an open connection that lies in the range.
    struct Inside {
        std::uint64_t tasks = 0;
        std::array<std::uint64_t, 2> bytes{}, unseen{}; // by PduDirection
        PduTally pdus;
        std::array<Duration, gap_kind_count> gap_time{};
        std::array<std::uint64_t, gap_kind_count> gaps{};
        OwnerTimes owners;
    };

    bool whole() const { return range_.everything(); }
    bool holds(Time t) const { return whole() || range_.contains(t); }

    const TimeRange &range_;
    std::unordered_map<StreamId, Inside> inside_; // by stream
};

} // namespace iscsiscope
