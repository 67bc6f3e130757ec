// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/field_table.h"

#include "analyzer/figures/cycle_figures.h"

#include "plugin/store/store.h"

#include <cstdio>
#include <vector>

namespace iscsiscope::plugin {
namespace {

constexpr OwnDescription own[] = {
    {"iscsiscope.cycle", "Cycle", FT_NONE, "SCSI command of which this frame carries bytes"},
    {"iscsiscope.cycle.role", "Role", FT_STRING,
     "What this frame carries: command, immediate_data, r2t, data_out, data_in, status"},
    {"iscsiscope.burst", "Burst", FT_NONE, "R2T with the Data-Out that answers it"},
    {"iscsiscope.gap", "Idle gap", FT_NONE,
     "Interval without payload on the connection, ended by this frame"},
    {"iscsiscope.gap.proof", "Proof", FT_STRING, "What the frame that follows shows of the gap's kind"},
    {"iscsiscope.gap.proof_frame", "Proved by", FT_FRAMENUM, "Frame that proves the gap's kind"},
    {"iscsiscope.tcp", "Sender", FT_NONE,
     "What the TCP sender of this segment of new data knew, wherever the capture was taken"},
    {"iscsiscope.event", "Event", FT_STRING,
     "Task management, reset, reject, asynchronous message, logout, NOP"},
    {"iscsiscope.anomaly", "Anomaly", FT_STRING, "Something in the bytes that should not be so"},
    {"iscsiscope.finding", "Finding", FT_NONE,
     "A cause of lost time or failed commands of which this frame is evidence; not in one pass"},
};
static_assert(std::size(own) == static_cast<std::size_t>(Field::count));

constexpr ColumnDescription cycle_fields[] = {
    {"iscsiscope.cycle.id", "Number", "cycle", "Number of the cycle, from 0 in order of its first PDU",
     Part::number},
    {"iscsiscope.cycle.type", "Type", "type", "read, write or control", Part::command},
    {"iscsiscope.cycle.lun", "LUN", "lun", "Logical unit number; multi-level ones as 16 hexadecimal digits",
     Part::command},
    {"iscsiscope.session.id", "Session", "session", "Number of the iSCSI session, from 0", Part::command},
    {"iscsiscope.cycle.itt", "Initiator Task Tag", "itt", "Initiator Task Tag of the command", Part::facts,
     BASE_HEX},
    {"iscsiscope.cycle.opcode", "SCSI operation code", "opcode", "First byte of the command descriptor block",
     Part::facts, BASE_HEX},
    {"iscsiscope.cycle.lba", "Logical block address", "lba", "First block read or written"},
    {"iscsiscope.cycle.blocks", "Blocks", "blocks", "Blocks read or written"},
    {"iscsiscope.cycle.bytes", "Bytes asked for", "bytes_expected",
     "Expected Data Transfer Length of the command"},
    {"iscsiscope.cycle.outstanding", "Outstanding tasks", "queue_depth",
     "Tasks outstanding on the connection at the command, itself included"},
    {"iscsiscope.cycle.command_frame", "Command in", "command_frame",
     "Frame with the first byte of the command"},
    {"iscsiscope.cycle.first_data_frame", "First data in", "first_data_frame",
     "Frame with the first byte of data"},
    {"iscsiscope.cycle.last_data_frame", "Last data in", "last_data_frame",
     "Frame that delivered the last data"},
    {"iscsiscope.cycle.status_frame", "Status in", "status_frame",
     "Frame that first carried the last byte of the status"},
    {"iscsiscope.cycle.end_frame", "Ended by", "end_frame",
     "Frame that delivered the status, or told that none will come"},
    {"iscsiscope.session.cid", "Connection ID", "cid", "CID of the connection, from its login"},
    {"iscsiscope.stream", "TCP stream", "stream", "Number of the TCP connection, as tcp.stream counts"},
    {"iscsiscope.cycle.outcome", "Outcome", "outcome",
     "good, check_condition, busy, aborted, reset, connection_lost and others", Part::result},
    {"iscsiscope.cycle.bytes_moved", "Bytes moved", "bytes_moved",
     "Payload of Data-In, or of immediate data and Data-Out", Part::result},
    {"iscsiscope.cycle.response_time", "Response time", "response_time_ns",
     "From the command to the delivery of the status (seconds)", Part::result},
    {"iscsiscope.cycle.command", "Command", "command_ns",
     "Phase: until the command's header was delivered (seconds)", Part::result},
    {"iscsiscope.cycle.first_data_wait", "First data wait", "first_data_wait_ns",
     "Phase: waiting for the first Data-In (seconds)", Part::result},
    {"iscsiscope.cycle.data", "Data", "data_ns", "Phase: from the first to the last Data-In (seconds)",
     Part::result},
    {"iscsiscope.cycle.unsolicited", "Unsolicited data", "unsolicited_ns",
     "Phase: immediate and unsolicited data under way (seconds)", Part::result},
    {"iscsiscope.cycle.r2t_wait", "R2T wait", "r2t_wait_ns", "Phase: waiting for an R2T (seconds)",
     Part::result},
    {"iscsiscope.cycle.burst_response", "Burst response", "burst_response_ns",
     "Phase: an R2T delivered whose data has not begun (seconds)", Part::result},
    {"iscsiscope.cycle.burst_data", "Burst data", "burst_data_ns",
     "Phase: solicited data under way (seconds)", Part::result},
    {"iscsiscope.cycle.status_wait", "Status wait", "status_wait_ns",
     "Phase: waiting for the status (seconds)", Part::result},
    {"iscsiscope.cycle.r2t_count", "R2Ts", "r2t_count", "R2T PDUs of the cycle", Part::result},
    {"iscsiscope.cycle.clip_filter", "Display filter of the cycle", "clip_filter",
     "A display filter that selects the frames of this cycle", Part::result},
    {"iscsiscope.cycle.time", "Cycle time", "cycle_time_ns",
     "Response time and the wait for the next command (seconds); not in one pass", Part::late},
    {"iscsiscope.cycle.next_command_wait", "Next command wait", "next_command_wait_ns",
     "From the end to the next command of the connection (seconds); not in one pass", Part::late},
    {"iscsiscope.cycle.target_service", "Target service time", "target_service_ns",
     "Wait for the target less the network's share (seconds); not in one pass", Part::late},
    {"iscsiscope.cycle.idle", "Idle time", "idle_ns",
     "Time of the connection's idle gaps inside the cycle (seconds); not in one pass", Part::late},
    {"iscsiscope.cycle.idle_ratio", "Idle ratio", "idle_ratio",
     "Idle time over cycle time, 0 to 1; not in one pass", Part::late},
    {"iscsiscope.cycle.retransmitted_segments", "Retransmitted segments", "retransmitted_segments",
     "Segments that carry bytes of the cycle again; not in one pass", Part::late},
};
constexpr ColumnDescription burst_fields[] = {
    {"iscsiscope.burst.number", "Number", "burst",
     "Number of the burst in its cycle; 0 is the unsolicited data"},
    {"iscsiscope.burst.r2tsn", "R2TSN", "r2t_sn", "R2T sequence number"},
    {"iscsiscope.burst.ttt", "Target Transfer Tag", "ttt", "Tag of the R2T", Part::facts, BASE_HEX},
    {"iscsiscope.burst.offset", "Buffer offset", "offset", "Where in the command's data the burst begins"},
    {"iscsiscope.burst.length", "Bytes asked for", "desired_bytes",
     "Desired Data Transfer Length of the R2T"},
    {"iscsiscope.burst.sent", "Bytes sent", "sent_bytes", "Payload of the Data-Out PDUs"},
    {"iscsiscope.burst.r2t_frame", "R2T in", "r2t_frame", "Frame that delivered the R2T"},
    {"iscsiscope.burst.first_frame", "First data in", "first_frame",
     "Frame with the first byte of the burst"},
    {"iscsiscope.burst.last_frame", "Last data in", "last_frame",
     "Frame that delivered the last byte of the burst"},
    {"iscsiscope.burst.wait", "R2T wait", "r2t_wait_ns",
     "From the command, or the data before, to the R2T (seconds)"},
    {"iscsiscope.burst.response", "Response", "burst_response_ns",
     "From the R2T to its first Data-Out (seconds)"},
    {"iscsiscope.burst.time", "Data time", "burst_data_ns",
     "From the first to the last byte of the burst (seconds)"},
};
constexpr ColumnDescription gap_fields[] = {
    {"iscsiscope.gap.time", "Length", "length_ns", "Length of the gap (seconds)"},
    {"iscsiscope.gap.kind", "Kind", "kind", "What was waited for"},
    {"iscsiscope.gap.cycle", "Cycle", "cycle", "Cycle that went on after the gap"},
    {"iscsiscope.gap.stream", "TCP stream", "stream", "Connection that was idle"},
    {"iscsiscope.gap.before_frame", "Frame before", "before_frame", "Last frame with payload before the gap"},
    {"iscsiscope.gap.after_frame", "Frame after", "after_frame", "Frame that ended the gap"},
};
constexpr ColumnDescription tcp_fields[] = {
    {"iscsiscope.tcp.direction", "Direction", "direction", "to_target or to_initiator"},
    {"iscsiscope.tcp.flight", "In flight", "flight_bytes",
     "Bytes that the sender held to be under way behind this segment"},
    {"iscsiscope.tcp.flight_low", "In flight, at least", "flight_low_bytes",
     "Lower bound of the bytes in flight"},
    {"iscsiscope.tcp.flight_high", "In flight, at most", "flight_high_bytes",
     "Upper bound of the bytes in flight"},
    {"iscsiscope.tcp.cwnd_estimate", "Congestion window", "cwnd_bytes",
     "Estimate of the congestion window, while it was seen to hold the sender"},
    {"iscsiscope.tcp.cwnd_low", "Congestion window, at least", "cwnd_low_bytes",
     "Lower bound of the congestion window"},
    {"iscsiscope.tcp.cwnd_high", "Congestion window, at most", "cwnd_high_bytes",
     "Upper bound of the congestion window"},
    {"iscsiscope.tcp.receive_window", "Receive window", "receive_window_bytes",
     "Room in the receiver's window as the sender knew it"},
    {"iscsiscope.tcp.rtt", "Round trip", "rtt_ns", "Latest round trip of the sender (seconds)"},
    {"iscsiscope.tcp.state", "State", "state",
     "slow_start, avoidance, recovery, loss, idle_restart or unknown"},
    {"iscsiscope.tcp.limit", "Limit", "limit",
     "What held the sender: application, receive_window, send_buffer, cwnd, pacing or unknown"},
};
constexpr ColumnDescription finding_fields[] = {
    {"iscsiscope.finding.kind", "Kind", "kind",
     "Name of the cause, as in the report: nagle, r2t_ping_pong, packet_loss and others; not in one pass"},
    {"iscsiscope.finding.evidence", "Evidence", "evidence", "What this frame shows of it; not in one pass"},
    {"iscsiscope.finding.lost_time", "Lost time", "lost_time_ns",
     "Connection time that this cause cost in the whole capture (seconds); not in one pass"},
    {"iscsiscope.finding.share", "Share", "share",
     "Lost time over the active life of all connections, 0 to 1; not in one pass"},
    {"iscsiscope.finding.sentence", "Seen", "sentence",
     "What was seen in the whole capture, with its main figures; not in one pass"},
    {"iscsiscope.finding.remedy", "Remedy", "remedy", "What would help; not in one pass"},
};

template <class T>
std::optional<T> if_time_was_lost(const FindingOnFrame &f, T figure) {
    return f.finding->lost_time > Duration{} ? std::optional(figure) : std::nullopt;
}

// The columns of `cycles` and what only the plugin shows.
const Table &shown_cycle_table() {
    using Row = CycleRecord;
    static const std::vector<Column> columns = [] {
        const std::span<const Column> rows = cycle_table().columns;
        std::vector<Column> all(rows.begin(), rows.end());
        all.push_back(make_column<Row>("clip_filter", Unit::none, [](const Row &r, Scratch &s) {
            const int length = std::snprintf(s.data(), s.size(), "iscsiscope.cycle.id == %llu",
                                             static_cast<unsigned long long>(r.cycle));
            return std::string_view(s.data(), static_cast<std::size_t>(length));
        }));
        all.push_back(
            make_column<Row>("idle_ratio", Unit::share, [](const Row &r) { return idle_ratio(r); }));
        return all;
    }();
    static const Table table{"cycles", columns};
    return table;
}

// Rows: FindingOnFrame. A text that is empty is shown as well.
const Table &finding_table() {
    using Row = FindingOnFrame;
    static const Column columns[] = {
        make_column<Row>("kind", Unit::none, [](const Row &r) { return name(r.finding->kind); }),
        make_column<Row>("evidence", Unit::none, [](const Row &r) { return Value::text(r.evidence->word); }),
        make_column<Row>("lost_time_ns", Unit::time,
                         [](const Row &r) { return if_time_was_lost(r, r.finding->lost_time); }),
        make_column<Row>("share", Unit::share,
                         [](const Row &r) { return if_time_was_lost(r, r.finding->share); }),
        make_column<Row>("sentence", Unit::none,
                         [](const Row &r) { return Value::text(r.finding->sentence); }),
        make_column<Row>("remedy", Unit::none, [](const Row &r) { return Value::text(r.finding->remedy); }),
    };
    static const Table table{"findings", columns};
    return table;
}

constexpr SubtreeColumns subtrees[] = {
    {Subtree::cycle, shown_cycle_table, cycle_fields},
    {Subtree::burst, burst_table, burst_fields},
    {Subtree::gap, gap_table, gap_fields},
    {Subtree::tcp, tcp_table, tcp_fields},
    {Subtree::finding, finding_table, finding_fields},
};

} // namespace

std::span<const SubtreeColumns> subtree_columns() {
    return subtrees;
}

std::span<const OwnDescription> own_fields() {
    return own;
}

} // namespace iscsiscope::plugin
