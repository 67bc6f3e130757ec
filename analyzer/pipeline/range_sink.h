// SPDX-License-Identifier: GPL-2.0-or-later
// RangeSink: passes on the part of the records that lies in a range of time. A task belongs to the range by
// its end, a gap by its overlap, bytes and PDUs by their frame, so that shares of time still add up.
#pragma once

#include "analyzer/cycles/records/forwarding_sink.h"
#include "analyzer/pipeline/time_range.h"

#include <array>
#include <unordered_map>

namespace iscsiscope {

// The range must outlive the sink. Without a range, all final records are passed on. Progress, ends of tasks
// and TCP samples are never passed on. Records without a time always are: anomalies, bursts (of any task),
// LUNs, sessions, accepted logins, members; also the TCP figures of each connection that the range touches,
// which cover that connection's whole life.
class RangeSink final : public ForwardingSink {
public:
    RangeSink(const TimeRange &range, RecordSink &next) : ForwardingSink(next), range_(range) {}

    bool wants_progress() const override { return false; }
    bool wants_tcp_samples() const override { return false; }
    // With a range, RangeSink itself needs the bytes, for those of the connection records.
    bool wants_passed_bytes() const override { return !whole() || ForwardingSink::wants_passed_bytes(); }
    void on_cycle_end(const CycleRecord &) override {}
    void on_cycle_amended(const CycleRecord &) override {}
    void on_pdu(const Connection &, const Pdu &) override;
    void on_passed(const Connection &, PduDirection, const StreamBytes &) override;
    void on_cycle(const CycleRecord &) override;
    void on_gap(const GapRecord &) override;
    void on_unasked(const UnaskedRecord &) override;
    void on_owned(const OwnedRecord &) override;
    void on_event(const EventRecord &) override;
    void on_login(const Connection &, const std::shared_ptr<const Login> &) override;
    void on_retransmission(const Connection &, PduDirection, const TcpRetransmission &) override;
    void on_reordering(const Connection &, PduDirection, const TcpReordering &) override;
    void on_tcp_direction(const Connection &, PduDirection, const FinalDirectionFigures &) override;
    void on_attempt(const AttemptRecord &) override;
    void on_connection(const ConnectionRecord &) override;

private:
    // The part of an open connection that lies in the range.
    struct Inside {
        std::uint64_t tasks = 0;
        std::array<std::uint64_t, 2> bytes{}, unseen{}; // by PduDirection
        PduTally pdus;
        std::array<Duration, gap_kind_count> gap_time{};
        std::array<std::uint64_t, gap_kind_count> gaps{};
        Duration unasked{};
        OwnerTimes owners;
    };

    bool whole() const { return range_.everything(); }
    bool holds(Time t) const { return whole() || range_.contains(t); }

    const TimeRange &range_;
    std::unordered_map<std::uint64_t, Inside> inside_; // by stream
};

} // namespace iscsiscope
