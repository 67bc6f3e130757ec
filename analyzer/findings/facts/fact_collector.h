// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the sums that the rules read (Facts) from the engine's records, in one pass and in bounded memory.
// It takes no record that comes once per packet.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/findings/facts/facts.h"

#include <memory>

namespace iscsiscope {

class FactCollector final : public RecordSink {
public:
    static constexpr std::size_t most_connections = 1024; // with facts of their own
    static constexpr std::size_t most_luns = 512;

    FactCollector();
    ~FactCollector() override;

    void on_anomaly(const Anomaly &) override;
    void on_cycle(const CycleRecord &) override;
    void on_burst(const BurstRecord &) override;
    void on_gap(const GapRecord &) override;
    void on_event(const EventRecord &) override;
    void on_retransmission(const Connection &, PduDirection, const TcpRetransmission &) override;
    void on_tcp_direction(const Connection &, PduDirection, const FinalDirectionFigures &) override;
    void on_attempt(const AttemptRecord &) override;
    void on_connection(const ConnectionRecord &) override;

    // To be called after the engine's finish(). The collector is empty afterwards.
    Facts take();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
