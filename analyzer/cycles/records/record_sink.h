// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/tcp_figures.h"

namespace iscsiscope {

// What the engine tells its front ends. Every function has an empty body: override what you need.
class RecordSink : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}

    // Whether on_segment, on_cycle_begin, on_pdu_begin and on_burst_progress are told, which only front
    // ends that show frames need. Asked once, when the engine is made.
    virtual bool wants_progress() const { return false; }
    // Each TCP segment, of any connection, after all that it told.
    virtual void on_segment(const Connection &, const SegmentReport &) {}
    // Causal: a SCSI Command was met; what it says, the rest is empty. Before its on_pdu_begin.
    virtual void on_cycle_begin(const CycleRecord &) {}
    // The header of a PDU of an iSCSI connection was delivered (PduSink::on_header says which members
    // are final) by this end; cycle: the task that it belongs to.
    virtual void on_pdu_begin(const Connection &, Side, const Pdu &, std::optional<std::uint64_t> /*cycle*/) {
    }
    // Each PDU of an iSCSI connection when delivered.
    virtual void on_pdu(const Connection &, const Pdu &) {}
    // Causal: the task has just ended; late members of the record are empty. On the frame being fed.
    virtual void on_cycle_end(const CycleRecord &) {}
    // Final: all members, late ones included. Once per task, nothing dropped; bursts of the task come
    // just before it. Order: as they become final, not by cycle number.
    virtual void on_cycle(const CycleRecord &) {}
    virtual void on_burst(const BurstRecord &) {}
    // Causal: the burst as known now: its R2T was delivered, or a Data-Out of it met or delivered. The
    // number of a burst may still rise by one, when unsolicited data is met behind its R2T.
    virtual void on_burst_progress(const BurstRecord &) {}
    // Final. In order of end within a connection.
    virtual void on_gap(const GapRecord &) {}
    virtual void on_event(const EventRecord &) {}
    virtual void on_lun(const LunRecord &) {}         // again whenever more became known; last one counts
    virtual void on_session(const SessionRecord &) {} // when the session is met
    virtual void on_login(const Connection &, const Login &) {}
    // The connection is part of this session from now on; told again when a login moves it to another.
    virtual void on_member(const Connection &, Side /*initiator*/, std::uint64_t /*session*/) {}
    // Whether on_tcp_sample is told, which costs what a row a segment costs. Asked once, when the engine
    // is made.
    virtual bool wants_tcp_samples() const { return false; }
    // Causal: what the sender of a segment of new data on an iSCSI connection knew, and what held it.
    virtual void on_tcp_sample(const Connection &, PduDirection, const TcpSample &) {}
    // Late, in no fixed order between them: of iSCSI connections. None with EngineOptions::tcp_analysis off.
    virtual void on_retransmission(const Connection &, PduDirection, const TcpRetransmission &) {}
    virtual void on_reordering(const Connection &, PduDirection, const TcpReordering &) {}
    // Each direction of an iSCSI connection, to_target first, just before its on_connection.
    virtual void on_tcp_direction(const Connection &, PduDirection, const TcpDirectionFigures &) {}
    // An iSCSI connection has ended, or the capture has.
    virtual void on_connection(const ConnectionRecord &) {}
};

} // namespace iscsiscope
