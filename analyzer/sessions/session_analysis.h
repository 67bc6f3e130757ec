// SPDX-License-Identifier: GPL-2.0-or-later
// Computes the figures of sessions, paths and LUNs from the engine's records: SessionAnalysis passes each
// record to the trackers of this room and collects their results. One pass over the records; memory is
// bounded by the limits in README.md. Not thread-safe: all calls come from the thread that runs the engine.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <memory>

namespace iscsiscope {

struct SessionOptions {
    Duration throughput_interval = std::chrono::seconds{5}; // T_m, above 0
};

class SessionAnalysis final : public RecordSink {
public:
    explicit SessionAnalysis(SessionOptions = {});
    ~SessionAnalysis() override;

    bool wants_passed_bytes() const override { return true; }
    void on_anomaly(const Anomaly &) override;
    void on_passed(const Connection &, PduDirection, const StreamBytes &) override;
    void on_member(const Connection &, Side initiator, std::uint64_t session) override;
    void on_pdu(const Connection &, const Pdu &) override;
    void on_cycle_end(const CycleRecord &) override;
    void on_cycle(const CycleRecord &) override;
    void on_burst(const BurstRecord &) override;
    void on_lun(const LunRecord &) override;
    void on_session(const SessionRecord &) override;
    void on_login(const Connection &, const std::shared_ptr<const Login> &) override;
    void on_event(const EventRecord &) override;
    void on_reservation(const ReservationRecord &) override;
    void on_port_groups(const PortGroupsRecord &) override;
    void on_attempt(const AttemptRecord &) override;
    void on_connection(const ConnectionRecord &) override;

    // Returns the figures. To be called once, after the engine's finish().
    SessionFigures take();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
