// SPDX-License-Identifier: GPL-2.0-or-later
// RecordSink: the interface through which the engine reports to its front ends. Functions marked "causal" are
// called on the frame that is being fed; the others when their record is final, which may be frames later.
// References are valid during the call only. All calls come from Engine::feed() and Engine::finish().
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/cycles/records/attempt_record.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/tcp_figures.h"

namespace iscsiscope {

// Every function has an empty default body: override those that are needed.
class RecordSink : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}

    // Whether on_segment, on_damaged, on_cycle_begin, on_pdu_begin and on_burst_progress are called, which
    // only front ends that show frames need. Queried once, when the engine is constructed.
    virtual bool wants_progress() const { return false; }
    // Each TCP segment, of any connection, after all other calls that the segment caused.
    virtual void on_segment(const Connection &, const SegmentReport &) {}
    // Each segment that was damaged on its way, for which on_segment is not called (StreamSink::on_damaged).
    virtual void on_damaged(const Connection &, const SegmentReport &) {}
    // Causal: a SCSI Command begins a task; only members known from it are set. Precedes its on_pdu_begin.
    virtual void on_cycle_begin(const CycleRecord &) {}
    // Causal: the header of a PDU sent by this end was delivered (PduSink::on_header states which members are
    // final). The last parameter is the cycle that the PDU belongs to; empty if none.
    virtual void on_pdu_begin(const Connection &, Side, const Pdu &, std::optional<std::uint64_t> /*cycle*/) {
    }
    // Causal: a PDU of an iSCSI connection was delivered.
    virtual void on_pdu(const Connection &, const Pdu &) {}
    // Causal: a task has ended; the late members of the record are empty. Of a task that ends without its
    // command, called again if the command, or its write data, is delivered after the status.
    virtual void on_cycle_end(const CycleRecord &) {}
    // Causal: write data of a task that ended with its command was delivered after the status. The record is
    // that of on_cycle_end, counted again with these data; its late members are empty.
    virtual void on_cycle_amended(const CycleRecord &) {}
    // Final: all members are set, late ones included. Called exactly once per task, right after the on_burst
    // calls of the task, in the order in which records become final, not by cycle number.
    virtual void on_cycle(const CycleRecord &) {}
    virtual void on_burst(const BurstRecord &) {}
    // Causal: a burst as known now, after its R2T, or the header or the end of one of its Data-Out PDUs, was
    // delivered. The number of a burst rises by one if unsolicited data follows its R2T.
    virtual void on_burst_progress(const BurstRecord &) {}
    // Final; in order of the gap's end within a connection.
    virtual void on_gap(const GapRecord &) {}
    // Final; in order of time within a connection.
    virtual void on_unasked(const UnaskedRecord &) {}
    // Final; nearly in order of time within a connection. Parts of the busy time that no record has are
    // unknown.
    virtual void on_owned(const OwnedRecord &) {}
    virtual void on_event(const EventRecord &) {}
    virtual void on_lun(const LunRecord &) {} // again whenever more is known; the last call counts
    virtual void on_reservation(const ReservationRecord &) {}
    virtual void on_port_groups(const PortGroupsRecord &) {}
    virtual void on_session(const SessionRecord &) {} // when the session begins in the capture
    virtual void on_login(const Connection &, const std::shared_ptr<const Login> &) {}
    // The connection belongs to this session from now on. Called again if a login moves it to another one.
    virtual void on_member(const Connection &, Side /*initiator*/, std::uint64_t /*session*/) {}
    // Whether on_passed is called (once per direction of which a segment shows new bytes). Queried once, when
    // the engine is constructed.
    virtual bool wants_passed_bytes() const { return false; }
    // Causal: bytes of an iSCSI connection's stream passed, whatever is known of the PDUs in them. What
    // passed before the connection was known to speak iSCSI is reported when it is, with its own times or
    // those of its neighbours (PassingBytes). Over a connection the bytes add up to those of its
    // on_connection, except that unseen bytes are not taken back: those reported of an end before its first
    // SYN or payload came, and one that was its FIN.
    virtual void on_passed(const Connection &, PduDirection, const StreamBytes &) {}
    // Whether on_tcp_sample is called (once per data segment). Queried once, when the engine is constructed.
    virtual bool wants_tcp_samples() const { return false; }
    // Causal: the sender's TCP state, and what limited it, at a segment of new data of an iSCSI connection.
    virtual void on_tcp_sample(const Connection &, PduDirection, const TcpSample &) {}
    // Late, in no fixed order, for iSCSI connections. None if EngineOptions::tcp_analysis is off.
    virtual void on_retransmission(const Connection &, PduDirection, const TcpRetransmission &) {}
    virtual void on_reordering(const Connection &, PduDirection, const TcpReordering &) {}
    // Each direction of an iSCSI connection, to_target first, just before its on_connection.
    virtual void on_tcp_direction(const Connection &, PduDirection, const FinalDirectionFigures &) {}
    // An attempt to open a TCP connection, of any port; attempts without an answer at the end of the capture.
    virtual void on_attempt(const AttemptRecord &) {}
    // An iSCSI connection or the capture has ended. The last call for the connection.
    virtual void on_connection(const ConnectionRecord &) {}
};

} // namespace iscsiscope
