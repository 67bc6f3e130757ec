// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/cycles/records/record_sink.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// Which sinks a record is for: those that want progress, TCP samples or passed bytes, or every one.
enum class Audience : std::uint8_t { all, progress, samples, passed };
inline constexpr std::size_t audience_count = 4;

// The one list of the callbacks for sinks that hand records on: each becomes one call of
// Derived::relay(audience, callback, arguments...), where callback is a member of RecordSink.
template <class Derived>
class RelaySink : public RecordSink {
public:
    void on_anomaly(const Anomaly &r) override { all(&RecordSink::on_anomaly, r); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        progress(&RecordSink::on_segment, c, r);
    }
    void on_damaged(const Connection &c, const SegmentReport &r) override {
        progress(&RecordSink::on_damaged, c, r);
    }
    void on_cycle_begin(const CycleRecord &r) override { progress(&RecordSink::on_cycle_begin, r); }
    void on_pdu_begin(const Connection &c, Side s, const Pdu &p,
                      std::optional<std::uint64_t> cycle) override {
        progress(&RecordSink::on_pdu_begin, c, s, p, cycle);
    }
    void on_pdu(const Connection &c, const Pdu &r) override { all(&RecordSink::on_pdu, c, r); }
    void on_cycle_end(const CycleRecord &r) override { all(&RecordSink::on_cycle_end, r); }
    void on_cycle_amended(const CycleRecord &r) override { all(&RecordSink::on_cycle_amended, r); }
    void on_cycle(const CycleRecord &r) override { all(&RecordSink::on_cycle, r); }
    void on_burst(const BurstRecord &r) override { all(&RecordSink::on_burst, r); }
    void on_burst_progress(const BurstRecord &r) override { progress(&RecordSink::on_burst_progress, r); }
    void on_gap(const GapRecord &r) override { all(&RecordSink::on_gap, r); }
    void on_unasked(const UnaskedRecord &r) override { all(&RecordSink::on_unasked, r); }
    void on_owned(const OwnedRecord &r) override { all(&RecordSink::on_owned, r); }
    void on_event(const EventRecord &r) override { all(&RecordSink::on_event, r); }
    void on_lun(const LunRecord &r) override { all(&RecordSink::on_lun, r); }
    void on_reservation(const ReservationRecord &r) override { all(&RecordSink::on_reservation, r); }
    void on_port_groups(const PortGroupsRecord &r) override { all(&RecordSink::on_port_groups, r); }
    void on_session(const SessionRecord &r) override { all(&RecordSink::on_session, r); }
    void on_login(const Connection &c, const std::shared_ptr<const Login> &r) override {
        all(&RecordSink::on_login, c, r);
    }
    void on_member(const Connection &c, Side s, std::uint64_t n) override {
        all(&RecordSink::on_member, c, s, n);
    }
    void on_passed(const Connection &c, PduDirection d, const StreamBytes &r) override {
        self().relay(Audience::passed, &RecordSink::on_passed, c, d, r);
    }
    void on_tcp_sample(const Connection &c, PduDirection d, const TcpSample &r) override {
        self().relay(Audience::samples, &RecordSink::on_tcp_sample, c, d, r);
    }
    void on_retransmission(const Connection &c, PduDirection d, const TcpRetransmission &r) override {
        all(&RecordSink::on_retransmission, c, d, r);
    }
    void on_reordering(const Connection &c, PduDirection d, const TcpReordering &r) override {
        all(&RecordSink::on_reordering, c, d, r);
    }
    void on_tcp_direction(const Connection &c, PduDirection d, const FinalDirectionFigures &r) override {
        all(&RecordSink::on_tcp_direction, c, d, r);
    }
    void on_attempt(const AttemptRecord &r) override { all(&RecordSink::on_attempt, r); }
    void on_connection(const ConnectionRecord &r) override { all(&RecordSink::on_connection, r); }

private:
    Derived &self() { return static_cast<Derived &>(*this); }
    template <class... Arguments>
    void all(const Arguments &...a) {
        self().relay(Audience::all, a...);
    }
    template <class... Arguments>
    void progress(const Arguments &...a) {
        self().relay(Audience::progress, a...);
    }
};

// Hands every record on to one sink, which must outlive it. What stands between the engine and a sink derives
// from this and overrides what it changes.
class ForwardingSink : public RelaySink<ForwardingSink> {
public:
    explicit ForwardingSink(RecordSink &next) : next_(next) {}

    bool wants_progress() const override { return next_.wants_progress(); }
    bool wants_tcp_samples() const override { return next_.wants_tcp_samples(); }
    bool wants_passed_bytes() const override { return next_.wants_passed_bytes(); }

    template <class Callback, class... Arguments>
    void relay(Audience, Callback callback, const Arguments &...a) {
        (next_.*callback)(a...);
    }

protected:
    RecordSink &next() { return next_; }

private:
    RecordSink &next_;
};

} // namespace iscsiscope
