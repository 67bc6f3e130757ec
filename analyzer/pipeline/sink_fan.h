// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/cycles/records/record_sink.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace iscsiscope {

// Hands every record on to all of its sinks, in their order; progress and samples to those that want
// them. The sinks must outlive it.
class SinkFan final : public RecordSink {
public:
    explicit SinkFan(std::vector<RecordSink *> sinks) : sinks_(std::move(sinks)) {
        for (RecordSink *s : sinks_) {
            if (s->wants_progress()) {
                progress_.push_back(s);
            }
            if (s->wants_tcp_samples()) {
                samples_.push_back(s);
            }
        }
    }

    void on_anomaly(const Anomaly &r) override { each(&RecordSink::on_anomaly, r); }
    bool wants_progress() const override { return !progress_.empty(); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        send(progress_, &RecordSink::on_segment, c, r);
    }
    void on_cycle_begin(const CycleRecord &r) override { send(progress_, &RecordSink::on_cycle_begin, r); }
    void on_pdu_begin(const Connection &c, Side s, const Pdu &p,
                      std::optional<std::uint64_t> cycle) override {
        send(progress_, &RecordSink::on_pdu_begin, c, s, p, cycle);
    }
    void on_burst_progress(const BurstRecord &r) override {
        send(progress_, &RecordSink::on_burst_progress, r);
    }
    void on_pdu(const Connection &c, const Pdu &r) override { each(&RecordSink::on_pdu, c, r); }
    void on_cycle_end(const CycleRecord &r) override { each(&RecordSink::on_cycle_end, r); }
    void on_cycle(const CycleRecord &r) override { each(&RecordSink::on_cycle, r); }
    void on_burst(const BurstRecord &r) override { each(&RecordSink::on_burst, r); }
    void on_gap(const GapRecord &r) override { each(&RecordSink::on_gap, r); }
    void on_event(const EventRecord &r) override { each(&RecordSink::on_event, r); }
    void on_lun(const LunRecord &r) override { each(&RecordSink::on_lun, r); }
    void on_session(const SessionRecord &r) override { each(&RecordSink::on_session, r); }
    void on_login(const Connection &c, const Login &r) override { each(&RecordSink::on_login, c, r); }
    void on_member(const Connection &c, Side s, std::uint64_t n) override {
        each(&RecordSink::on_member, c, s, n);
    }
    bool wants_tcp_samples() const override { return !samples_.empty(); }
    void on_tcp_sample(const Connection &c, PduDirection d, const TcpSample &s) override {
        send(samples_, &RecordSink::on_tcp_sample, c, d, s);
    }
    void on_retransmission(const Connection &c, PduDirection d, const TcpRetransmission &r) override {
        each(&RecordSink::on_retransmission, c, d, r);
    }
    void on_reordering(const Connection &c, PduDirection d, const TcpReordering &r) override {
        each(&RecordSink::on_reordering, c, d, r);
    }
    void on_tcp_direction(const Connection &c, PduDirection d, const TcpDirectionFigures &f) override {
        each(&RecordSink::on_tcp_direction, c, d, f);
    }
    void on_connection(const ConnectionRecord &r) override { each(&RecordSink::on_connection, r); }

private:
    template <class Function, class... Records>
    void each(Function f, const Records &...r) {
        send(sinks_, f, r...);
    }
    template <class Function, class... Records>
    static void send(const std::vector<RecordSink *> &sinks, Function f, const Records &...r) {
        for (RecordSink *s : sinks) {
            (s->*f)(r...);
        }
    }

    std::vector<RecordSink *> sinks_, progress_, samples_;
};

} // namespace iscsiscope
