// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the sums that the rules read (Facts) from the engine's records, in one pass and in bounded memory.
// It takes no record that comes once per packet.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/findings/facts/facts.h"

#include <memory>

namespace iscsiscope {

class FactCollector final : public Takes<Anomaly, CycleRecord, BurstRecord, GapRecord, LedgerEntry,
                                         OutageRecord, EventRecord, PresenceRecord, RetransmissionRecord,
                                         TcpDirectionRecord, LunRecord, AttemptRecord, ConnectionRecord> {
public:
    static constexpr std::size_t max_connections = 1024; // with facts of their own
    static constexpr std::size_t max_luns = 512;

    FactCollector();
    ~FactCollector() override;

    void on(const Anomaly &) override;
    void on(const CycleRecord &) override;
    void on(const BurstRecord &) override;
    void on(const GapRecord &) override;
    void on(const LedgerEntry &) override;
    void on(const OutageRecord &) override;
    void on(const EventRecord &) override;
    void on(const PresenceRecord &) override;
    void on(const RetransmissionRecord &) override;
    void on(const TcpDirectionRecord &) override;
    void on(const LunRecord &) override;
    void on(const AttemptRecord &) override;
    void on(const ConnectionRecord &) override;

    // To be called after the engine's finish(). The collector is empty afterwards.
    Facts take();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
