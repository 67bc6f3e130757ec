// SPDX-License-Identifier: GPL-2.0-or-later
// CycleEngine: turns the PDUs, logins and segments of iSCSI connections into the records of records.h (tasks,
// R2T bursts, idle gaps, sessions, connections), which it puts into RecordTables.
#pragma once

#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/oldest_cycle.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace iscsiscope {

class TcpDiagnosis;

// Asks for what comes before the segment at hand on the connections that have these slots: a login is about
// to act on them. When it returns they have been followed up to that segment.
using CatchUp = std::function<void(std::span<const std::uint32_t> of)>;

// Not thread-safe. The sinks of the tables and the diagnosis must outlive the engine. All records are final
// once on_close() has been called for each connection.
class CycleEngine final : public PduSink {
public:
    // The caller passes each segment to `diagnosis` before on_segment(), and closes a connection there after
    // on_close(). If `diagnosis` is null, gaps whose cause lies in TCP are mostly unclassified, and
    // there are no TcpDirectionRecords.
    explicit CycleEngine(RecordTables, CycleOptions = {}, TcpDiagnosis *diagnosis = nullptr,
                         CatchUp catch_up = {});
    ~CycleEngine() override;

    void on_iscsi(const Connection &, Side initiator) override;
    std::uint32_t on_header(const Connection &, const Pdu &) override;
    void on_pdu(const Connection &, const Pdu &) override;
    void on_pdu_named(const Connection &, const Pdu &) override;
    void on_login(const Connection &, const Login &) override;
    void on_sync_lost(const Connection &, PduDirection, std::uint64_t offset) override;
    void on_segment(const Connection &, const SegmentReport &) override;
    void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) override;

    // Takes the diagnosis's final verdict on a retransmission.
    void on_retransmission(const Connection &, const TcpRetransmission &);

    // The direction in which `sender` sends; empty until the connection is known to speak iSCSI.
    std::optional<PduDirection> direction(const Connection &, Side sender) const;
    // What its records share; null until the connection is known to speak iSCSI.
    SharedFace face(const Connection &) const;
    std::uint64_t tasks_begun() const;
    // Shows the tasks that records to come may name, apart from those of session_members.h.
    void show(OldestCycle &) const;
    // How many ended sessions have been forgotten (SessionTable).
    std::uint64_t sessions_forgotten() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
