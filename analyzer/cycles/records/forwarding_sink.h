// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/cycles/records/record_sink.h"

namespace iscsiscope {

// Hands every record on to one sink, which must outlive it. What stands between the engine and a sink derives
// from this and overrides what it changes.
class ForwardingSink : public RecordSink {
public:
    explicit ForwardingSink(RecordSink &next) : next_(next) {}

    void on_anomaly(const Anomaly &r) override { next_.on_anomaly(r); }
    bool wants_progress() const override { return next_.wants_progress(); }
    void on_segment(const Connection &c, const SegmentReport &r) override { next_.on_segment(c, r); }
    void on_cycle_begin(const CycleRecord &r) override { next_.on_cycle_begin(r); }
    void on_pdu_begin(const Connection &c, Side s, const Pdu &p,
                      std::optional<std::uint64_t> cycle) override {
        next_.on_pdu_begin(c, s, p, cycle);
    }
    void on_pdu(const Connection &c, const Pdu &r) override { next_.on_pdu(c, r); }
    void on_cycle_end(const CycleRecord &r) override { next_.on_cycle_end(r); }
    void on_cycle(const CycleRecord &r) override { next_.on_cycle(r); }
    void on_burst(const BurstRecord &r) override { next_.on_burst(r); }
    void on_burst_progress(const BurstRecord &r) override { next_.on_burst_progress(r); }
    void on_gap(const GapRecord &r) override { next_.on_gap(r); }
    void on_event(const EventRecord &r) override { next_.on_event(r); }
    void on_lun(const LunRecord &r) override { next_.on_lun(r); }
    void on_session(const SessionRecord &r) override { next_.on_session(r); }
    void on_login(const Connection &c, const Login &r) override { next_.on_login(c, r); }
    void on_member(const Connection &c, Side s, std::uint64_t n) override { next_.on_member(c, s, n); }
    bool wants_tcp_samples() const override { return next_.wants_tcp_samples(); }
    void on_tcp_sample(const Connection &c, PduDirection d, const TcpSample &r) override {
        next_.on_tcp_sample(c, d, r);
    }
    void on_retransmission(const Connection &c, PduDirection d, const TcpRetransmission &r) override {
        next_.on_retransmission(c, d, r);
    }
    void on_reordering(const Connection &c, PduDirection d, const TcpReordering &r) override {
        next_.on_reordering(c, d, r);
    }
    void on_tcp_direction(const Connection &c, PduDirection d, const TcpDirectionFigures &r) override {
        next_.on_tcp_direction(c, d, r);
    }
    void on_connection(const ConnectionRecord &r) override { next_.on_connection(r); }

protected:
    RecordSink &next() { return next_; }

private:
    RecordSink &next_;
};

} // namespace iscsiscope
