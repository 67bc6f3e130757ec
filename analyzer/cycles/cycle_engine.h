// SPDX-License-Identifier: GPL-2.0-or-later
// PDUs → tasks, cycles, bursts, gaps, sessions: the records of the engine.
#pragma once

#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include <memory>
#include <optional>

namespace iscsiscope {

class TcpDiagnosis;

// Not thread-safe. Sink and diagnosis must outlive it. Everything is final once on_close has come for each
// connection.
class CycleEngine final : public PduSink {
public:
    // diagnosis: has seen each segment before on_segment(), and each connection until behind on_close().
    // Null: gaps whose cause lies in TCP are mostly unclassified, and there are no on_tcp_direction.
    explicit CycleEngine(RecordSink &, CycleOptions = {}, TcpDiagnosis *diagnosis = nullptr);
    ~CycleEngine() override;

    void on_iscsi(const Connection &, Side initiator) override;
    std::uint32_t on_header(const Connection &, const Pdu &) override;
    void on_pdu(const Connection &, const Pdu &) override;
    void on_login(const Connection &, const Login &) override;
    void on_sync_lost(const Connection &, PduDirection, std::uint64_t offset) override;
    void on_segment(const Connection &, const SegmentReport &) override;
    void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) override;

    // What the diagnosis found of a repeat that it has seen. Nothing later changes it.
    void on_retransmission(const Connection &, const TcpRetransmission &);

    // Which way this side sends; empty until the connection is known to speak iSCSI.
    std::optional<PduDirection> direction(const Connection &, Side sender) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
