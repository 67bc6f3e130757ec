// SPDX-License-Identifier: GPL-2.0-or-later
// The records that the engine puts into RecordTables, from which the columns of docs/formats.md are made:
// times in integer nanoseconds, sizes in bytes. An empty std::optional means "not known"; unknown values are
// never replaced by made-up numbers. "Late" members need later frames: a CycleRecord of its own table has
// them, that in CycleEnded has not.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/capture/segment.h"
#include "analyzer/cycles/records/causes.h"
#include "analyzer/cycles/records/owners.h"
#include "analyzer/cycles/records/pdu_tally.h"
#include "analyzer/iscsi/framing/login.h"
#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/iscsi/scsi/access_data.h"
#include "analyzer/tcp/stream/capture_position.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class TaskType : std::uint8_t { read, write, control };

// How a task ended (docs/figures.md, "Task and cycle").
enum class TaskOutcome : std::uint8_t {
    good,
    check_condition,
    busy,
    task_set_full,
    reservation_conflict,
    other_status,
    aborted,
    reset,
    rejected,
    connection_lost,
    logout,
    unanswered,
    no_command,
};

std::string_view name(TaskType);
std::string_view name(TaskOutcome);

// Phases of a cycle (docs/figures.md, "Phases"). They sum to response_time, and with next_command_wait to
// cycle_time, exactly. Reads have command, first_data_wait, data and status_wait; writes have command,
// unsolicited, burst_data, burst_response, r2t_wait and status_wait; control tasks have those of their data
// direction. Other phases are zero. A task without command or without status has no phases.
struct Phases {
    Duration command{}, first_data_wait{}, data{}, unsolicited{}, r2t_wait{}, burst_response{}, burst_data{},
        status_wait{};
};

struct CycleRecord {
    CycleId cycle; // from 0, in order of the tasks' first PDUs
    SessionId session;
    StreamId stream;
    std::optional<std::uint16_t> cid; // known from the login
    std::uint32_t itt = 0;
    std::optional<std::uint32_t> cmd_sn; // none: no command in the capture
    TaskType type = TaskType::control;
    std::optional<std::uint8_t> opcode; // first byte of the CDB; none: it is not in the file
    std::optional<std::uint16_t> service_action;
    std::uint64_t lun = 0; // 8 bytes as on the wire, big-endian value
    std::optional<std::uint64_t> lba;
    std::optional<std::uint64_t> blocks;
    std::optional<std::uint32_t> bytes_expected; // ExpectedDataTransferLength
    std::uint64_t bytes_moved = 0;               // payload of Data-In, or immediate data and Data-Out, seen
    std::int64_t residual = 0;                   // underflow positive, overflow negative; see residual_known
    OptionalFrame command_frame, first_data_frame, last_data_frame, status_frame;
    OptionalFrame end_frame; // empty: the capture's end ended the task
    Time start{};            // first_seen of the command; without command, of the task's first PDU
    Time end{};              // delivered of the status, or the time at which another outcome was known
    Phases phases;
    std::optional<Duration> next_command_wait; // late
    std::optional<Duration> response_time;
    std::optional<Duration> rtt_to_initiator; // running minimum when the task ended
    std::optional<Duration> cycle_time;       // late
    std::optional<Duration> target_service;   // the target's own time; late
    std::optional<Duration> idle;             // the connection's gap time inside the cycle; late
    std::uint32_t idle_gaps = 0;
    std::uint32_t r2t_count = 0;
    std::uint32_t data_pdus = 0;
    std::uint32_t retransmitted_segments = 0; // late
    std::uint32_t queue_depth = 0, session_depth = 0;
    TaskOutcome outcome = TaskOutcome::unanswered;
    std::optional<std::uint8_t> status;   // SCSI status
    std::optional<std::uint8_t> response; // iSCSI response code of a SCSI Response
    std::optional<std::uint32_t> sense;   // packed() of sense.h; ASC and ASCQ may be missing
    bool immediate = false;               // carries CmdSN without consuming it
    bool tag_known = true;             // false: the file does not hold the task tag, and itt stands in for it
    bool residual_known = false;       // a status shows it
    bool has_phases = false;           // false: command or status not in the capture
    bool complete = false;             // command seen, no unseen bytes, no PDU missed
    bool inferred = false;             // its type is that of its R and W bits, or a PDU of it was predicted
    bool lost_beyond_tap = false;      // late
    bool target_window_closed = false; // the target announced a window of zero in one of its waits; late
    bool beside_long_command =
        false; // ran beside a long command of its LUN that moves no data, or is one; late
    std::uint64_t cut_bytes = 0, unseen_bytes = 0;

    // When the command left the initiator and when the task's end arrived there, estimated as half of
    // rtt_to_initiator before and after they passed the tap; nothing is added where that is not known.
    Time left_initiator() const { return start - rtt_to_initiator.value_or(Duration{}) / 2; }
    Time back_at_initiator() const { return end + (rtt_to_initiator.value_or(Duration{}) + Duration{1}) / 2; }
    std::optional<Duration> host_response_time() const {
        return response_time && rtt_to_initiator ? std::optional(*response_time + *rtt_to_initiator)
                                                 : std::nullopt;
    }
};

// A task begins, with its command or, where that is not in the capture, without. Tasks are numbered in the
// order of these records.
struct TaskBegun {
    CycleId cycle;
};

// A SCSI Command begins a task: only the members that are known from it are set.
struct CycleBegun {
    CycleRecord cycle;
};

// A task has ended; the late members of the record are empty.
struct CycleEnded {
    CycleRecord cycle;
    // Write data of a task that ended with its command was delivered after the status: the record is counted
    // again with these data.
    bool amended = false;
};

struct BurstRecord {
    CycleId cycle;
    StreamId stream;
    std::uint32_t burst = 0;             // 0: unsolicited data, if any; from 1 on: R2Ts in order of delivery
    std::optional<std::uint32_t> r2t_sn; // none for burst 0
    std::optional<std::uint32_t> ttt;
    std::uint32_t offset = 0; // of its first byte in the task's data
    // What the R2T asks for, never 0 (RFC 7143 section 11.8.4), or what burst 0 may be; empty: that is not in
    // the file, or not known.
    std::optional<std::uint32_t> desired_bytes;
    std::uint32_t sent_bytes = 0, pdus = 0;
    OptionalFrame r2t_frame, first_frame, last_frame; // empty: not in the capture
    std::optional<Duration> r2t_wait, burst_response, burst_data;
    bool final_seen = false; // the F bit closed it
    Time start{}, end{};     // R2T delivered (burst 0: command delivered) .. last byte delivered
};

// A burst as known now, after its R2T, or the header or the end of one of its Data-Out PDUs, was delivered.
// The number of a burst rises by one if unsolicited data follows its R2T.
struct BurstProgress {
    BurstRecord burst;
};

// What a frame proves about the kind of a gap.
enum class GapProof : std::uint8_t {
    original,      // the lost segment, where it passed the tap
    repeat,        // its retransmission
    loss_signal,   // the ACK that signalled the loss to the sender
    window_closed, // the ACK that left no room in the receive window
    window_update, // the ACK that reopened the receive window
    held_data,     // the segment whose ACK was delayed
    held_ack,      // the delayed ACK
    small_segment, // the segment whose ACK Nagle's algorithm waited for
    releasing_ack, // the ACK that allowed the sender to continue
    unseen_ack,    // an ACK for bytes that the capture does not hold
    reset,         // RST, or another frame that ended the connection
};
std::string_view name(GapProof);

struct GapProofFrame {
    GapProof proof{};
    OptionalFrame frame;
};

struct GapRecord {
    StreamId stream;
    std::optional<CycleId> cycle;
    Time start{};
    Duration length{};
    GapKind kind = GapKind::unclassified;
    FrameNumber before_frame = 0;
    OptionalFrame after_frame;   // empty: ended by the end of the capture
    bool in_active_life = false; // a part lies in the connection's active life (counted in time_shares)
    Duration active_part{};      // length of that part
    // Whose the time is: the network's, with its queues and repairs; that of the awaited end, end_owner; and
    // the time in which the initiator had no task outstanding. They add up to the length.
    Duration path{}, end_part{}, without_task{};
    Owner end_owner = Owner::unknown;
    // The frames that prove the kind, in order of time; elements without a frame are unused. Kinds of the
    // iSCSI layer are proved by before_frame and after_frame alone.
    std::array<GapProofFrame, 3> proof{};
    // Round trips from the tap to the sender of the payload that ended the gap, and to the other end: running
    // minima at the gap's end. Their sum is the connection's round trip.
    std::optional<Duration> rtt_to_awaited, rtt_to_other;
    bool start_answered = false; // an ACK for new bytes answered the payload frame before the gap, inside it
    // For so long inside it, no ACK for new bytes came from the awaited end's peer on any connection of the
    // two hosts: nothing got through.
    Duration unanswered{};
    bool window_grows = false; // cwnd_limited, by a congestion window that grew from its start
};

// A part of the active life in which the initiator had no task outstanding (docs/figures.md, "Busy time").
struct NoTaskRecord {
    StreamId stream;
    Time start{};
    Duration length{};
};

enum class ConnectionOutcome : std::uint8_t { logged_out, closed, reset, reused, open };
std::string_view name(ConnectionOutcome);

struct ConnectionRecord {
    StreamId stream;
    SessionId session;
    std::optional<std::uint16_t> cid;
    Endpoint initiator, target;
    std::string initiator_name, target_name;
    FrameNumber first_frame = 0, last_frame = 0;
    Time start{}, end{};
    std::uint64_t bytes_to_target = 0, bytes_to_initiator = 0; // stream bytes, repeats not counted
    std::uint64_t segments_to_target = 0, segments_to_initiator = 0;
    std::uint64_t repeated_to_target = 0, repeated_to_initiator = 0; // segments with bytes that had passed
    std::uint64_t unseen_to_target = 0, unseen_to_initiator = 0;
    std::uint64_t tasks = 0;
    std::optional<CapturePosition> capture_position;         // 0 at the initiator, 1 at the target
    std::optional<Duration> rtt_to_initiator, rtt_to_target; // running minima
    ConnectionOutcome outcome = ConnectionOutcome::open;
    std::optional<Login> login;
    std::optional<Time> active_start, active_end;    // active life; empty without a command
    Duration transfer{};                             // the active life outside gaps
    std::array<Duration, gap_kind_count> gap_time{}; // inside it, by kind; with transfer sums to it exactly
    std::array<std::uint64_t, gap_kind_count> gaps{};
    // The part of the active life in which the initiator had no task outstanding; the rest is busy time.
    // Empty if one direction is not in the capture, or without an active life.
    std::optional<Duration> without_task;
    OwnerTimes owners;          // of the busy time, to which they add up; all zero where that is empty
    bool busy_at_least = false; // rtt_to_initiator was not known all along: busy time may be longer
    Duration out_of_scope{};    // of the active life, what no task of a filter has (query/filter_sink.h)
    PduTally pdus;              // delivered

    std::optional<Duration> active() const {
        return active_start && active_end ? std::optional(*active_end - *active_start - out_of_scope)
                                          : std::nullopt;
    }
    std::optional<Duration> busy() const {
        return active() && without_task ? std::optional(*active() - *without_task) : std::nullopt;
    }
};

struct SessionRecord {
    SessionId session;
    bool from_login = false; // false: no login in the capture, the session has this one connection
    std::array<std::uint8_t, 6> isid{};
    std::uint16_t tsih = 0;
    std::string initiator_name, target_name, target_portal_group, session_type;
    std::optional<SessionId> reinstates; // number of the session that this one reinstates
};

// A logical unit as described by its answers to INQUIRY and READ CAPACITY.
struct LunRecord {
    SessionId session;
    std::uint64_t lun = 0;
    std::optional<std::uint32_t> block_length;
    std::optional<std::uint64_t> blocks;
    std::optional<std::uint8_t> device_type;
    std::string vendor, product, serial, designator; // empty: not seen
    std::optional<std::uint16_t> port_group;         // target port group of the session's port (VPD page 83h)
};

// What an answer says of which logical units there are for the initiator: one to INQUIRY, of the LUN that the
// command addressed, or one to REPORT LUNS.
struct PresenceRecord {
    StreamId stream;
    SessionId session;
    std::uint64_t lun = 0;
    Time time{};
    FrameNumber frame = 0;
    std::optional<std::uint8_t> peripheral; // INQUIRY: peripheral qualifier and device type, byte 0
    std::vector<std::uint64_t> luns;        // REPORT LUNS: the LUNs listed, 8 bytes as on the wire
    bool whole = false;                     // luns are all that the target listed
};

// A PERSISTENT RESERVE command as its data pass. One to the target counts only if its task ends well.
struct ReservationRecord {
    StreamId stream;
    SessionId session;
    std::uint64_t lun = 0;
    CycleId cycle;
    Time time{};
    FrameNumber frame = 0;
    bool to_target = false; // PERSISTENT RESERVE OUT
    std::uint16_t service_action = 0;
    std::uint8_t scope_and_type = 0;     // of PERSISTENT RESERVE OUT
    std::optional<ReserveOutKeys> keys;  // of PERSISTENT RESERVE OUT
    std::vector<Registrant> registrants; // of PERSISTENT RESERVE IN
};

// An answer to REPORT TARGET PORT GROUPS.
struct PortGroupsRecord {
    StreamId stream;
    SessionId session;
    std::uint64_t lun = 0;
    Time time{};
    FrameNumber frame = 0;
    std::vector<PortGroup> groups;
};

// A management PDU as an event: task management, reset, reject, async, logout, NOP.
struct EventRecord {
    StreamId stream;
    SessionId session;
    Time time{};
    FrameNumber frame = 0;
    Opcode opcode{};
    std::uint8_t code = 0; // function, response, reason or event, depending on the opcode
    std::optional<std::uint32_t> itt, referenced_itt;
    std::optional<CycleId> cycle;                 // the task it refers to
    std::uint16_t parameter2 = 0, parameter3 = 0; // of an Async Message (RFC 7143 section 11.9.2), seconds
};

} // namespace iscsiscope
