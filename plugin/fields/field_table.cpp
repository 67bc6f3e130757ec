// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/field_table.h"

#include "analyzer/figures/cycle_figures.h"

#include "plugin/store/store.h"

#include <cstdio>
#include <vector>

namespace iscsiscope::plugin {
namespace {

constexpr OwnDescription own[] = {
    {"iscsiscope.cycle", "Cycle", FT_NONE},
    {"iscsiscope.cycle.role", "Role", FT_STRING},
    {"iscsiscope.cycle.inferred", "Inferred", FT_BOOLEAN},
    {"iscsiscope.inferred", "Inferred PDUs", FT_NONE},
    {"iscsiscope.inferred.pdus", "PDUs", FT_UINT32},
    {"iscsiscope.inferred.opcode", "PDU", FT_STRING},
    {"iscsiscope.inferred.frame", "Ends in", FT_FRAMENUM},
    {"iscsiscope.inferred.more", "More PDUs", FT_UINT32},
    {"iscsiscope.burst", "Burst", FT_NONE},
    {"iscsiscope.gap", "Idle gap", FT_NONE},
    {"iscsiscope.gap.proof", "Proof", FT_STRING},
    {"iscsiscope.gap.proof_frame", "Proved by", FT_FRAMENUM},
    {"iscsiscope.tcp", "Sender", FT_NONE},
    {"iscsiscope.event", "Event", FT_STRING},
    {"iscsiscope.anomaly", "Anomaly", FT_STRING},
    {"iscsiscope.finding", "Finding", FT_NONE, true},
};
static_assert(std::size(own) == static_cast<std::size_t>(Field::count));

constexpr ColumnDescription cycle_fields[] = {
    {"iscsiscope.cycle.id", "Number", "cycle", Part::number},
    {"iscsiscope.cycle.type", "Type", "type", Part::command},
    {"iscsiscope.cycle.lun", "LUN", "lun", Part::command},
    {"iscsiscope.session.id", "Session", "session", Part::command},
    {"iscsiscope.cycle.itt", "Initiator Task Tag", "itt", Part::facts, BASE_HEX},
    {"iscsiscope.cycle.opcode", "SCSI operation code", "opcode", Part::facts, BASE_HEX},
    {"iscsiscope.cycle.lba", "Logical block address", "lba"},
    {"iscsiscope.cycle.blocks", "Blocks", "blocks"},
    {"iscsiscope.cycle.bytes", "Bytes asked for", "bytes_expected"},
    {"iscsiscope.cycle.outstanding", "Outstanding tasks", "queue_depth"},
    {"iscsiscope.cycle.command_frame", "Command in", "command_frame"},
    {"iscsiscope.cycle.first_data_frame", "First data in", "first_data_frame"},
    {"iscsiscope.cycle.last_data_frame", "Last data in", "last_data_frame"},
    {"iscsiscope.cycle.status_frame", "Status in", "status_frame"},
    {"iscsiscope.cycle.end_frame", "Ended by", "end_frame"},
    {"iscsiscope.session.cid", "Connection ID", "cid"},
    {"iscsiscope.stream", "TCP stream", "stream"},
    {"iscsiscope.cycle.outcome", "Outcome", "outcome", Part::result},
    {"iscsiscope.cycle.bytes_moved", "Bytes moved", "bytes_moved", Part::result},
    {"iscsiscope.cycle.response_time", "Response time", "response_time_ns", Part::result},
    {"iscsiscope.cycle.command", "Command", "command_ns", Part::result},
    {"iscsiscope.cycle.first_data_wait", "First data wait", "first_data_wait_ns", Part::result},
    {"iscsiscope.cycle.data", "Data", "data_ns", Part::result},
    {"iscsiscope.cycle.unsolicited", "Unsolicited data", "unsolicited_ns", Part::result},
    {"iscsiscope.cycle.r2t_wait", "R2T wait", "r2t_wait_ns", Part::result},
    {"iscsiscope.cycle.burst_response", "Burst response", "burst_response_ns", Part::result},
    {"iscsiscope.cycle.burst_data", "Burst data", "burst_data_ns", Part::result},
    {"iscsiscope.cycle.status_wait", "Status wait", "status_wait_ns", Part::result},
    {"iscsiscope.cycle.r2t_count", "R2Ts", "r2t_count", Part::result},
    {"iscsiscope.cycle.clip_filter", "Display filter of the cycle", "clip_filter", Part::result},
    {"iscsiscope.cycle.time", "Cycle time", "cycle_time_ns", Part::late},
    {"iscsiscope.cycle.next_command_wait", "Next command wait", "next_command_wait_ns", Part::late},
    {"iscsiscope.cycle.target_service", "Target service time", "target_service_ns", Part::late},
    {"iscsiscope.cycle.idle", "Idle time", "idle_ns", Part::late},
    {"iscsiscope.cycle.idle_ratio", "Idle ratio", "idle_ratio", Part::late},
    {"iscsiscope.cycle.retransmitted_segments", "Retransmitted segments", "retransmitted_segments",
     Part::late},
};
constexpr ColumnDescription burst_fields[] = {
    {"iscsiscope.burst.number", "Number", "burst"},
    {"iscsiscope.burst.r2tsn", "R2TSN", "r2t_sn"},
    {"iscsiscope.burst.ttt", "Target Transfer Tag", "ttt", Part::facts, BASE_HEX},
    {"iscsiscope.burst.offset", "Buffer offset", "offset"},
    {"iscsiscope.burst.length", "Bytes asked for", "desired_bytes"},
    {"iscsiscope.burst.sent", "Bytes sent", "sent_bytes"},
    {"iscsiscope.burst.r2t_frame", "R2T in", "r2t_frame"},
    {"iscsiscope.burst.first_frame", "First data in", "first_frame"},
    {"iscsiscope.burst.last_frame", "Last data in", "last_frame"},
    {"iscsiscope.burst.wait", "R2T wait", "r2t_wait_ns"},
    {"iscsiscope.burst.response", "Response", "burst_response_ns"},
    {"iscsiscope.burst.time", "Data time", "burst_data_ns"},
};
constexpr ColumnDescription gap_fields[] = {
    {"iscsiscope.gap.time", "Length", "length_ns"},
    {"iscsiscope.gap.kind", "Kind", "kind"},
    {"iscsiscope.gap.cycle", "Cycle", "cycle"},
    {"iscsiscope.gap.stream", "TCP stream", "stream"},
    {"iscsiscope.gap.before_frame", "Frame before", "before_frame"},
    {"iscsiscope.gap.after_frame", "Frame after", "after_frame"},
};
constexpr ColumnDescription tcp_fields[] = {
    {"iscsiscope.tcp.direction", "Direction", "direction"},
    {"iscsiscope.tcp.flight", "In flight", "flight_bytes"},
    {"iscsiscope.tcp.flight_low", "In flight, at least", "flight_low_bytes"},
    {"iscsiscope.tcp.flight_high", "In flight, at most", "flight_high_bytes"},
    {"iscsiscope.tcp.cwnd_estimate", "Congestion window", "cwnd_bytes"},
    {"iscsiscope.tcp.cwnd_low", "Congestion window, at least", "cwnd_low_bytes"},
    {"iscsiscope.tcp.cwnd_high", "Congestion window, at most", "cwnd_high_bytes"},
    {"iscsiscope.tcp.receive_window", "Receive window", "receive_window_bytes"},
    {"iscsiscope.tcp.rtt", "Round trip", "rtt_ns"},
    {"iscsiscope.tcp.state", "State", "state"},
    {"iscsiscope.tcp.limit", "Limit", "limit"},
};
constexpr ColumnDescription finding_fields[] = {
    {"iscsiscope.finding.kind", "Kind", "kind", Part::late},
    {"iscsiscope.finding.evidence", "Evidence", "evidence", Part::late},
    {"iscsiscope.finding.lost_time", "Lost time", "lost_time_ns", Part::late},
    {"iscsiscope.finding.share", "Share", "share", Part::late},
    {"iscsiscope.finding.sentence", "Seen", "sentence", Part::late},
    {"iscsiscope.finding.remedy", "Remedy", "remedy", Part::late},
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
