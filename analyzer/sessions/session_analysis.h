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

class SessionAnalysis final
    : public Takes<Anomaly, PassedRecord, MemberRecord, PduRecord, CycleEnded, CycleRecord, LunRecord,
                   SessionRecord, LoginRecord, ConnectionRecord> {
public:
    explicit SessionAnalysis(SessionOptions = {});
    ~SessionAnalysis() override;

    void subscribe(RecordTables &) override;
    void on(const Anomaly &) override;
    void on(const PassedRecord &) override;
    void on(const MemberRecord &) override;
    void on(const PduRecord &) override;
    void on(const CycleEnded &) override;
    void on(const CycleRecord &) override;
    void on(const LunRecord &) override;
    void on(const SessionRecord &) override;
    void on(const LoginRecord &) override;
    void on(const ConnectionRecord &) override;

    // Returns the figures. To be called once, after the engine's finish().
    SessionFigures take();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
