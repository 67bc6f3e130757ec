// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/fields.h"

#include <array>

namespace iscsiscope::plugin {
namespace {

constexpr auto field_count = static_cast<std::size_t>(Field::count);

struct Description {
    Field field;
    const char *name, *abbrev;
    ftenum type;
    int display;
    const char *blurb;
};

constexpr int units = BASE_DEC | BASE_UNIT_STRING; // bytes

constexpr Description descriptions[] = {
    {Field::cycle, "Cycle", "iscsiscope.cycle", FT_NONE, BASE_NONE,
     "SCSI command of which this frame carries bytes"},
    {Field::cycle_id, "Number", "iscsiscope.cycle.id", FT_UINT64, BASE_DEC,
     "Number of the cycle, from 0 in order of its first PDU"},
    {Field::cycle_type, "Type", "iscsiscope.cycle.type", FT_STRING, BASE_NONE, "read, write or control"},
    {Field::cycle_role, "Role", "iscsiscope.cycle.role", FT_STRING, BASE_NONE,
     "What this frame carries: command, immediate_data, r2t, data_out, data_in, status"},
    {Field::cycle_itt, "Initiator Task Tag", "iscsiscope.cycle.itt", FT_UINT32, BASE_HEX,
     "Initiator Task Tag of the command"},
    {Field::cycle_opcode, "SCSI operation code", "iscsiscope.cycle.opcode", FT_UINT8, BASE_HEX,
     "First byte of the command descriptor block"},
    {Field::cycle_lun, "LUN", "iscsiscope.cycle.lun", FT_STRING, BASE_NONE,
     "Logical unit number; multi-level ones as 16 hexadecimal digits"},
    {Field::cycle_lba, "Logical block address", "iscsiscope.cycle.lba", FT_UINT64, BASE_DEC,
     "First block read or written"},
    {Field::cycle_blocks, "Blocks", "iscsiscope.cycle.blocks", FT_UINT64, BASE_DEC, "Blocks read or written"},
    {Field::cycle_bytes, "Bytes asked for", "iscsiscope.cycle.bytes", FT_UINT32, units,
     "Expected Data Transfer Length of the command"},
    {Field::cycle_outstanding, "Outstanding tasks", "iscsiscope.cycle.outstanding", FT_UINT32, BASE_DEC,
     "Tasks outstanding on the connection at the command, itself included"},
    {Field::cycle_command_frame, "Command in", "iscsiscope.cycle.command_frame", FT_FRAMENUM, BASE_NONE,
     "Frame with the first byte of the command"},
    {Field::cycle_first_data_frame, "First data in", "iscsiscope.cycle.first_data_frame", FT_FRAMENUM,
     BASE_NONE, "Frame with the first byte of data"},
    {Field::cycle_last_data_frame, "Last data in", "iscsiscope.cycle.last_data_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that delivered the last data"},
    {Field::cycle_status_frame, "Status in", "iscsiscope.cycle.status_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that first carried the last byte of the status"},
    {Field::cycle_end_frame, "Ended by", "iscsiscope.cycle.end_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that delivered the status, or told that none will come"},
    {Field::cycle_outcome, "Outcome", "iscsiscope.cycle.outcome", FT_STRING, BASE_NONE,
     "good, check_condition, busy, aborted, reset, connection_lost and others"},
    {Field::cycle_bytes_moved, "Bytes moved", "iscsiscope.cycle.bytes_moved", FT_UINT64, units,
     "Payload of Data-In, or of immediate data and Data-Out"},
    {Field::cycle_response_time, "Response time", "iscsiscope.cycle.response_time", FT_RELATIVE_TIME,
     BASE_NONE, "From the command to the delivery of the status (seconds)"},
    {Field::cycle_command, "Command", "iscsiscope.cycle.command", FT_RELATIVE_TIME, BASE_NONE,
     "Phase: until the command's header was delivered (seconds)"},
    {Field::cycle_first_data_wait, "First data wait", "iscsiscope.cycle.first_data_wait", FT_RELATIVE_TIME,
     BASE_NONE, "Phase: waiting for the first Data-In (seconds)"},
    {Field::cycle_data, "Data", "iscsiscope.cycle.data", FT_RELATIVE_TIME, BASE_NONE,
     "Phase: from the first to the last Data-In (seconds)"},
    {Field::cycle_unsolicited, "Unsolicited data", "iscsiscope.cycle.unsolicited", FT_RELATIVE_TIME,
     BASE_NONE, "Phase: immediate and unsolicited data under way (seconds)"},
    {Field::cycle_r2t_wait, "R2T wait", "iscsiscope.cycle.r2t_wait", FT_RELATIVE_TIME, BASE_NONE,
     "Phase: waiting for an R2T (seconds)"},
    {Field::cycle_burst_response, "Burst response", "iscsiscope.cycle.burst_response", FT_RELATIVE_TIME,
     BASE_NONE, "Phase: an R2T delivered whose data has not begun (seconds)"},
    {Field::cycle_burst_data, "Burst data", "iscsiscope.cycle.burst_data", FT_RELATIVE_TIME, BASE_NONE,
     "Phase: solicited data under way (seconds)"},
    {Field::cycle_status_wait, "Status wait", "iscsiscope.cycle.status_wait", FT_RELATIVE_TIME, BASE_NONE,
     "Phase: waiting for the status (seconds)"},
    {Field::cycle_r2t_count, "R2Ts", "iscsiscope.cycle.r2t_count", FT_UINT32, BASE_DEC,
     "R2T PDUs of the cycle"},
    {Field::cycle_clip_filter, "Display filter of the cycle", "iscsiscope.cycle.clip_filter", FT_STRING,
     BASE_NONE, "A display filter that selects the frames of this cycle"},
    {Field::cycle_time, "Cycle time", "iscsiscope.cycle.time", FT_RELATIVE_TIME, BASE_NONE,
     "Response time and the wait for the next command (seconds); not in one pass"},
    {Field::cycle_next_command_wait, "Next command wait", "iscsiscope.cycle.next_command_wait",
     FT_RELATIVE_TIME, BASE_NONE,
     "From the end to the next command of the connection (seconds); not in one pass"},
    {Field::cycle_target_service, "Target service time", "iscsiscope.cycle.target_service", FT_RELATIVE_TIME,
     BASE_NONE, "Wait for the target less the network's share (seconds); not in one pass"},
    {Field::cycle_idle, "Idle time", "iscsiscope.cycle.idle", FT_RELATIVE_TIME, BASE_NONE,
     "Time of the connection's idle gaps inside the cycle (seconds); not in one pass"},
    {Field::cycle_idle_ratio, "Idle ratio", "iscsiscope.cycle.idle_ratio", FT_DOUBLE, BASE_NONE,
     "Idle time over cycle time, 0 to 1; not in one pass"},
    {Field::cycle_retransmitted_segments, "Retransmitted segments", "iscsiscope.cycle.retransmitted_segments",
     FT_UINT32, BASE_DEC, "Segments that carry bytes of the cycle again; not in one pass"},
    {Field::burst, "Burst", "iscsiscope.burst", FT_NONE, BASE_NONE, "R2T with the Data-Out that answers it"},
    {Field::burst_number, "Number", "iscsiscope.burst.number", FT_UINT32, BASE_DEC,
     "Number of the burst in its cycle; 0 is the unsolicited data"},
    {Field::burst_r2tsn, "R2TSN", "iscsiscope.burst.r2tsn", FT_UINT32, BASE_DEC, "R2T sequence number"},
    {Field::burst_ttt, "Target Transfer Tag", "iscsiscope.burst.ttt", FT_UINT32, BASE_HEX, "Tag of the R2T"},
    {Field::burst_offset, "Buffer offset", "iscsiscope.burst.offset", FT_UINT32, units,
     "Where in the command's data the burst begins"},
    {Field::burst_length, "Bytes asked for", "iscsiscope.burst.length", FT_UINT32, units,
     "Desired Data Transfer Length of the R2T"},
    {Field::burst_sent, "Bytes sent", "iscsiscope.burst.sent", FT_UINT32, units,
     "Payload of the Data-Out PDUs"},
    {Field::burst_r2t_frame, "R2T in", "iscsiscope.burst.r2t_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that delivered the R2T"},
    {Field::burst_first_frame, "First data in", "iscsiscope.burst.first_frame", FT_FRAMENUM, BASE_NONE,
     "Frame with the first byte of the burst"},
    {Field::burst_last_frame, "Last data in", "iscsiscope.burst.last_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that delivered the last byte of the burst"},
    {Field::burst_wait, "R2T wait", "iscsiscope.burst.wait", FT_RELATIVE_TIME, BASE_NONE,
     "From the command, or the data before, to the R2T (seconds)"},
    {Field::burst_response, "Response", "iscsiscope.burst.response", FT_RELATIVE_TIME, BASE_NONE,
     "From the R2T to its first Data-Out (seconds)"},
    {Field::burst_time, "Data time", "iscsiscope.burst.time", FT_RELATIVE_TIME, BASE_NONE,
     "From the first to the last byte of the burst (seconds)"},
    {Field::gap, "Idle gap", "iscsiscope.gap", FT_NONE, BASE_NONE,
     "Interval without payload on the connection, ended by this frame"},
    {Field::gap_time, "Length", "iscsiscope.gap.time", FT_RELATIVE_TIME, BASE_NONE,
     "Length of the gap (seconds)"},
    {Field::gap_kind, "Kind", "iscsiscope.gap.kind", FT_STRING, BASE_NONE, "What was waited for"},
    {Field::gap_cycle, "Cycle", "iscsiscope.gap.cycle", FT_UINT64, BASE_DEC,
     "Cycle that went on after the gap"},
    {Field::gap_stream, "TCP stream", "iscsiscope.gap.stream", FT_UINT64, BASE_DEC,
     "Connection that was idle"},
    {Field::gap_before_frame, "Frame before", "iscsiscope.gap.before_frame", FT_FRAMENUM, BASE_NONE,
     "Last frame with payload before the gap"},
    {Field::gap_after_frame, "Frame after", "iscsiscope.gap.after_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that ended the gap"},
    {Field::gap_proof, "Proof", "iscsiscope.gap.proof", FT_STRING, BASE_NONE,
     "What the frame that follows shows of the gap's kind"},
    {Field::gap_proof_frame, "Proved by", "iscsiscope.gap.proof_frame", FT_FRAMENUM, BASE_NONE,
     "Frame that proves the gap's kind"},
    {Field::tcp, "Sender", "iscsiscope.tcp", FT_NONE, BASE_NONE,
     "What the TCP sender of this segment of new data knew, wherever the capture was taken"},
    {Field::tcp_direction, "Direction", "iscsiscope.tcp.direction", FT_STRING, BASE_NONE,
     "to_target or to_initiator"},
    {Field::tcp_flight, "In flight", "iscsiscope.tcp.flight", FT_UINT64, units,
     "Bytes that the sender held to be under way behind this segment"},
    {Field::tcp_flight_low, "In flight, at least", "iscsiscope.tcp.flight_low", FT_UINT64, units,
     "Lower bound of the bytes in flight"},
    {Field::tcp_flight_high, "In flight, at most", "iscsiscope.tcp.flight_high", FT_UINT64, units,
     "Upper bound of the bytes in flight"},
    {Field::tcp_cwnd_estimate, "Congestion window", "iscsiscope.tcp.cwnd_estimate", FT_UINT64, units,
     "Estimate of the congestion window, while it was seen to hold the sender"},
    {Field::tcp_cwnd_low, "Congestion window, at least", "iscsiscope.tcp.cwnd_low", FT_UINT64, units,
     "Lower bound of the congestion window"},
    {Field::tcp_cwnd_high, "Congestion window, at most", "iscsiscope.tcp.cwnd_high", FT_UINT64, units,
     "Upper bound of the congestion window"},
    {Field::tcp_receive_window, "Receive window", "iscsiscope.tcp.receive_window", FT_UINT64, units,
     "Room in the receiver's window as the sender knew it"},
    {Field::tcp_rtt, "Round trip", "iscsiscope.tcp.rtt", FT_RELATIVE_TIME, BASE_NONE,
     "Latest round trip of the sender (seconds)"},
    {Field::tcp_state, "State", "iscsiscope.tcp.state", FT_STRING, BASE_NONE,
     "slow_start, avoidance, recovery, loss, idle_restart or unknown"},
    {Field::tcp_limit, "Limit", "iscsiscope.tcp.limit", FT_STRING, BASE_NONE,
     "What held the sender: application, receive_window, send_buffer, cwnd, pacing or unknown"},
    {Field::session_id, "Session", "iscsiscope.session.id", FT_UINT64, BASE_DEC,
     "Number of the iSCSI session, from 0"},
    {Field::session_cid, "Connection ID", "iscsiscope.session.cid", FT_UINT16, BASE_DEC,
     "CID of the connection, from its login"},
    {Field::stream, "TCP stream", "iscsiscope.stream", FT_UINT64, BASE_DEC,
     "Number of the TCP connection, as tcp.stream counts"},
    {Field::event, "Event", "iscsiscope.event", FT_STRING, BASE_NONE,
     "Task management, reset, reject, asynchronous message, logout, NOP"},
    {Field::anomaly, "Anomaly", "iscsiscope.anomaly", FT_STRING, BASE_NONE,
     "Something in the bytes that should not be so"},
    {Field::finding, "Finding", "iscsiscope.finding", FT_NONE, BASE_NONE,
     "A cause of lost time or failed commands of which this frame is evidence; not in one pass"},
    {Field::finding_kind, "Kind", "iscsiscope.finding.kind", FT_STRING, BASE_NONE,
     "Name of the cause, as in the report: nagle, r2t_ping_pong, packet_loss and others; not in one pass"},
    {Field::finding_evidence, "Evidence", "iscsiscope.finding.evidence", FT_STRING, BASE_NONE,
     "What this frame shows of it; not in one pass"},
    {Field::finding_lost_time, "Lost time", "iscsiscope.finding.lost_time", FT_RELATIVE_TIME, BASE_NONE,
     "Connection time that this cause cost in the whole capture (seconds); not in one pass"},
    {Field::finding_share, "Share", "iscsiscope.finding.share", FT_DOUBLE, BASE_NONE,
     "Lost time over the active life of all connections, 0 to 1; not in one pass"},
    {Field::finding_sentence, "Seen", "iscsiscope.finding.sentence", FT_STRING, BASE_NONE,
     "What was seen in the whole capture, with its main figures; not in one pass"},
    {Field::finding_remedy, "Remedy", "iscsiscope.finding.remedy", FT_STRING, BASE_NONE,
     "What would help; not in one pass"},
};
static_assert(std::size(descriptions) == field_count);

// Wireshark writes the numbers here at registration, and reads the descriptions for ever.
struct Registered {
    std::array<int, field_count> hf;
    std::array<hf_register_info, field_count> info;
    std::array<gint, static_cast<std::size_t>(Subtree::count)> ett;
};
Registered &registered() {
    static Registered r;
    return r;
}

void describe_fields(int protocol) {
    Registered &r = registered();
    r.hf.fill(-1);
    for (const Description &d : descriptions) {
        const auto i = static_cast<std::size_t>(d.field);
        const void *strings = (d.display & BASE_UNIT_STRING) != 0 ? &units_byte_bytes : nullptr;
        r.info[i] = {&r.hf[i], {d.name, d.abbrev, d.type, d.display, strings, 0, d.blurb, HFILL}};
    }
    proto_register_field_array(protocol, r.info.data(), static_cast<int>(r.info.size()));
    r.ett.fill(-1);
    std::array<gint *, static_cast<std::size_t>(Subtree::count)> subtrees;
    for (std::size_t i = 0; i < subtrees.size(); ++i)
        subtrees[i] = &r.ett[i];
    proto_register_subtree_array(subtrees.data(), static_cast<int>(subtrees.size()));
}

} // namespace

void register_experts(int protocol); // experts.cpp

int hf(Field f) {
    return registered().hf[static_cast<std::size_t>(f)];
}

gint ett(Subtree s) {
    return registered().ett[static_cast<std::size_t>(s)];
}

void register_fields(int protocol) {
    describe_fields(protocol);
    register_experts(protocol);
}

} // namespace iscsiscope::plugin
