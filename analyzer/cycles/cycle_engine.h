// SPDX-License-Identifier: GPL-2.0-or-later
// CycleEngine: turns the PDUs, logins and segments of iSCSI connections into the records of records.h (tasks,
// R2T bursts, idle gaps, sessions, connections), which it puts into RecordTables.
#pragma once

#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/oldest_cycle.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include <memory>
#include <optional>
#include <span>

namespace iscsiscope {

struct Session;
class TcpDiagnosis;

// Who decides in which order connections are followed, and in which threads.
class FollowOrder {
public:
    virtual ~FollowOrder() = default;
    // No other thread follows connections now.
    virtual bool alone() const = 0;
    // Asks for what comes before the segment at hand on the connections that have these slots: a login is
    // about to act on them. When it returns they have been followed up to that segment.
    virtual void catch_up(std::span<const std::uint32_t> of) = 0;
    // The last connection of a session has ended: CycleEngine::end() is to be called for it once no other
    // thread follows connections.
    virtual void session_over(Session &) = 0;
    // The login of the connection that has this slot acts on a session of others: CycleEngine::act() is to be
    // called for it, if it is still open, once no other thread follows connections.
    virtual void login_acts(std::uint32_t slot) = 0;
};

// The sinks of the tables and the diagnosis must outlive the engine. All records are final once on_close()
// has been called for each connection. Several threads may call it at a time, each for the connections of
// other sessions, if all of them belong to one.
class CycleEngine final : public PduSink {
public:
    // The caller passes each segment to `diagnosis` before on_segment(), and closes a connection there after
    // on_close(). order: null where everything comes in file order. If `diagnosis` is null, gaps whose cause
    // lies in TCP are mostly unclassified, and there are no TcpDirectionRecords.
    explicit CycleEngine(RecordTables, CycleOptions = {}, TcpDiagnosis *diagnosis = nullptr,
                         FollowOrder *order = nullptr);
    ~CycleEngine() override;

    void on_iscsi(const Connection &, Side initiator) override;
    std::uint32_t on_header(const Connection &, const Pdu &) override;
    void on_pdu(const Connection &, const Pdu &) override;
    void on_pdu_named(const Connection &, const Pdu &) override;
    void on_login(const Connection &, const Login &) override;
    void on_sync_lost(const Connection &, PduDirection, std::uint64_t offset) override;
    void on_segment(const Connection &, const SegmentEvent &) override;
    void on_close(const Connection &, CloseReason, Time at, FrameNumber frame) override;

    // What FollowOrder puts off.
    void end(Session &);
    void act(const Connection &);

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
