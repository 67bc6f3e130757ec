// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/field_table.h"

#include "analyzer/figures/cycle_figures.h"
#include "analyzer/words/protocol_words.h"

#include "plugin/store/store.h"

#include <cstdio>
#include <vector>

namespace iscsiscope::plugin {
namespace {

// Names of the enumerators below a count; empty for others. The names of opcodes have gaps.
template <class Enum, std::size_t count>
std::string_view name_below(std::uint8_t number) {
    return number < count ? std::string_view(name(static_cast<Enum>(number))) : std::string_view{};
}

std::string_view opcode_name(std::uint8_t number) {
    const std::string_view known = name(static_cast<Opcode>(number));
    return known == "unknown" ? std::string_view{} : known;
}

constexpr std::size_t gap_proof_count = static_cast<std::size_t>(GapProof::reset) + 1;

constexpr OwnDescription own[] = {
    {"iscsiscope.cycle", "Cycle", FT_NONE},
    {"iscsiscope.cycle.role", "Cycle role", FT_UINT8, false, name_below<Role, role_count>},
    {"iscsiscope.cycle.inferred", "Cycle inferred", FT_BOOLEAN},
    {"iscsiscope.cycle.phases", "Phases", FT_NONE},
    {"iscsiscope.inferred", "Inferred PDUs", FT_NONE},
    {"iscsiscope.inferred.pdus", "Inferred PDUs, number", FT_UINT32},
    {"iscsiscope.inferred.opcode", "Inferred PDU", FT_UINT8, false, opcode_name},
    {"iscsiscope.inferred.frame", "Inferred PDU ends in", FT_FRAMENUM},
    {"iscsiscope.burst", "Burst", FT_NONE},
    {"iscsiscope.gap", "Idle gap", FT_NONE},
    {"iscsiscope.gap.proof", "Gap proof", FT_UINT8, false, name_below<GapProof, gap_proof_count>},
    {"iscsiscope.gap.proof_frame", "Gap proved by", FT_FRAMENUM},
    {"iscsiscope.ledger", "Time of the gap", FT_NONE, true},
    {"iscsiscope.ledger.trouble", "Beyond the distance", FT_BOOLEAN, true},
    {"iscsiscope.tcp", "Sender", FT_NONE},
    {"iscsiscope.event", "iSCSI event", FT_STRING},
    {"iscsiscope.anomaly", "Capture anomaly", FT_UINT8, false, name_below<AnomalyKind, anomaly_kind_count>},
    {"iscsiscope.finding", "Finding", FT_NONE, true},
    {"iscsiscope.finding.title", "Finding title", FT_STRING, true},
    {"iscsiscope.finding.sentence", "Seen", FT_STRING, true},
    {"iscsiscope.finding.remedy", "Remedy", FT_STRING, true},
    {"iscsiscope.finding.frame", "Further evidence", FT_FRAMENUM, true},
};
static_assert(std::size(own) == static_cast<std::size_t>(Field::count));

// The names stand alone as titles of columns.
constexpr ColumnDescription cycle_fields[] = {
    {"iscsiscope.cycle.id", "Cycle number", "cycle", Part::number},
    {"iscsiscope.cycle.type", "Cycle type", "type", Part::command},
    {"iscsiscope.cycle.lun", "Cycle LUN", "lun", Part::command},
    {"iscsiscope.session.id", "iSCSI session", "session", Part::command},
    {"iscsiscope.cycle.itt", "Initiator Task Tag", "itt", Part::facts, BASE_HEX},
    {"iscsiscope.cycle.opcode", "SCSI command", "opcode", Part::facts, BASE_HEX},
    {"iscsiscope.cycle.lba", "Logical block address", "lba"},
    {"iscsiscope.cycle.bytes", "Bytes asked for", "bytes_expected"},
    {"iscsiscope.cycle.outstanding", "Commands in flight", "queue_depth"},
    {"iscsiscope.cycle.command_frame", "Command in", "command_frame", Part::facts, BASE_DEC,
     FT_FRAMENUM_REQUEST},
    {"iscsiscope.cycle.first_data_frame", "First data in", "first_data_frame"},
    {"iscsiscope.cycle.last_data_frame", "Last data in", "last_data_frame"},
    {"iscsiscope.cycle.status_frame", "Status in", "status_frame"},
    {"iscsiscope.cycle.end_frame", "Ended by", "end_frame", Part::facts, BASE_DEC, FT_FRAMENUM_RESPONSE},
    {"iscsiscope.session.cid", "iSCSI connection ID", "cid"},
    {"iscsiscope.stream", "TCP stream", "stream"},
    {"iscsiscope.cycle.outcome", "Cycle outcome", "outcome", Part::result},
    {"iscsiscope.cycle.bytes_moved", "Bytes moved", "bytes_moved", Part::result},
    {"iscsiscope.cycle.response_time", "iSCSI response time", "response_time_ns", Part::result},
    {"iscsiscope.cycle.r2t_count", "Number of R2Ts", "r2t_count", Part::result},
    {"iscsiscope.cycle.clip_filter", "Display filter of the cycle", "clip_filter", Part::result},
    {"iscsiscope.cycle.command", "Command in transit", "command_ns", Part::phase},
    {"iscsiscope.cycle.first_data_wait", "Wait for first data", "first_data_wait_ns", Part::phase},
    {"iscsiscope.cycle.data", "Data in transit", "data_ns", Part::phase},
    {"iscsiscope.cycle.unsolicited", "Unsolicited data in transit", "unsolicited_ns", Part::phase},
    {"iscsiscope.cycle.r2t_wait", "Wait for R2Ts", "r2t_wait_ns", Part::phase},
    {"iscsiscope.cycle.burst_response", "Wait for data after R2Ts", "burst_response_ns", Part::phase},
    {"iscsiscope.cycle.burst_data", "Solicited data in transit", "burst_data_ns", Part::phase},
    {"iscsiscope.cycle.status_wait", "Wait for status", "status_wait_ns", Part::phase},
    {"iscsiscope.cycle.time", "Cycle time", "cycle_time_ns", Part::late},
    {"iscsiscope.cycle.next_command_wait", "Wait for next command", "next_command_wait_ns", Part::late},
    {"iscsiscope.cycle.target_service", "Target service time", "target_service_ns", Part::late},
    {"iscsiscope.cycle.idle", "Idle time in the cycle", "idle_ns", Part::late},
    {"iscsiscope.cycle.idle_ratio", "Idle ratio of the cycle", "idle_ratio", Part::late},
    {"iscsiscope.cycle.retransmitted_segments", "Segments sent again", "retransmitted_segments", Part::late},
};
constexpr ColumnDescription burst_fields[] = {
    {"iscsiscope.burst.number", "Burst number", "burst"},
    {"iscsiscope.burst.r2tsn", "R2TSN", "r2t_sn"},
    {"iscsiscope.burst.offset", "Buffer offset", "offset"},
    {"iscsiscope.burst.length", "Bytes the R2T asks for", "desired_bytes"},
    {"iscsiscope.burst.r2t_frame", "R2T in", "r2t_frame"},
    {"iscsiscope.burst.first_frame", "First data of the burst in", "first_frame"},
    {"iscsiscope.burst.last_frame", "Last data of the burst in", "last_frame"},
    {"iscsiscope.burst.sent", "Bytes sent in the burst", "sent_bytes", Part::result},
    {"iscsiscope.burst.wait", "Wait for the R2T", "r2t_wait_ns", Part::result},
    {"iscsiscope.burst.response", "Wait for data after the R2T", "burst_response_ns", Part::result},
    {"iscsiscope.burst.time", "Data time of the burst", "burst_data_ns", Part::result},
};
constexpr ColumnDescription gap_fields[] = {
    {"iscsiscope.gap.time", "Idle gap length", "length_ns"},
    {"iscsiscope.gap.kind", "Idle gap kind", "kind"},
    {"iscsiscope.gap.cycle", "Idle gap within cycle", "cycle"},
    {"iscsiscope.gap.before_frame", "Frame before the gap", "before_frame"},
    {"iscsiscope.gap.after_frame", "Frame after the gap", "after_frame"},
};
constexpr ColumnDescription ledger_fields[] = {
    {"iscsiscope.ledger.owner", "Owner of the time", "owner", Part::late},
    {"iscsiscope.ledger.cause", "Cause of the time", "cause", Part::late},
    {"iscsiscope.ledger.time", "Owned time", "length_ns", Part::late},
    {"iscsiscope.ledger.cycle", "Time of cycle", "cycle", Part::late},
};
constexpr ColumnDescription tcp_fields[] = {
    {"iscsiscope.tcp.flight", "Bytes in flight", "flight_bytes"},
    {"iscsiscope.tcp.flight_low", "Bytes in flight, at least", "flight_low_bytes"},
    {"iscsiscope.tcp.flight_high", "Bytes in flight, at most", "flight_high_bytes"},
    {"iscsiscope.tcp.cwnd_estimate", "Congestion window", "cwnd_bytes"},
    {"iscsiscope.tcp.cwnd_low", "Congestion window, at least", "cwnd_low_bytes"},
    {"iscsiscope.tcp.cwnd_high", "Congestion window, at most", "cwnd_high_bytes"},
    {"iscsiscope.tcp.receive_window", "Receive window", "receive_window_bytes"},
    {"iscsiscope.tcp.rtt", "TCP round trip", "rtt_ns"},
    {"iscsiscope.tcp.state", "Sender's state", "state"},
    {"iscsiscope.tcp.limit", "Sender's limit", "limit"},
};
constexpr ColumnDescription finding_fields[] = {
    {"iscsiscope.finding.kind", "Finding kind", "kind", Part::late},
    {"iscsiscope.finding.evidence", "This frame shows", "evidence", Part::late},
    {"iscsiscope.finding.lost_time", "Lost time", "lost_time_ns", Part::late},
    {"iscsiscope.finding.share", "Share of the busy time", "share", Part::late},
};

// The time is stated where a finding is counted, on its first frame, and only if some was lost.
template <class T>
std::optional<T> if_time_was_lost(const FindingOnFrame &f, T figure) {
    return f.first && f.finding->lost_time > Duration{} ? std::optional(figure) : std::nullopt;
}

// The columns of `cycles` and what only the plugin shows.
const Table &shown_cycle_table() {
    using Row = CycleRecord;
    static const std::vector<Column> columns = [] {
        const std::span<const Column> rows = cycle_table().columns;
        std::vector<Column> all(rows.begin(), rows.end());
        all.push_back(make_column<Row>("clip_filter", Unit::none, [](const Row &r, Scratch &s) {
            const int length = std::snprintf(s.data(), s.size(), "iscsiscope.cycle.id == %llu",
                                             static_cast<unsigned long long>(r.cycle.number));
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
        make_column<Row>(
            "kind", Unit::none, [](const Row &r) { return name(r.finding->kind); }, finding_names),
        make_column<Row>("evidence", Unit::none, [](const Row &r) { return Value::text(r.evidence->word); }),
        make_column<Row>("lost_time_ns", Unit::time,
                         [](const Row &r) { return if_time_was_lost(r, r.finding->lost_time); }),
        make_column<Row>("share", Unit::share,
                         [](const Row &r) { return if_time_was_lost(r, r.finding->share); }),
    };
    static const Table table{"findings", columns};
    return table;
}

constexpr SubtreeColumns all_subtrees[] = {
    {Subtree::cycle, shown_cycle_table, cycle_fields},
    {Subtree::burst, burst_table, burst_fields},
    {Subtree::gap, gap_table, gap_fields},
    {Subtree::ledger, ledger_table, ledger_fields},
    {Subtree::tcp, tcp_table, tcp_fields},
    {Subtree::finding, finding_table, finding_fields},
};

} // namespace

std::span<const SubtreeColumns> subtree_columns() {
    return all_subtrees;
}

std::span<const OwnDescription> own_fields() {
    return own;
}

std::string command_name(std::uint8_t opcode) {
    const std::string words = command_words(opcode, std::nullopt);
    return words.starts_with("opcode ") ? "" : words;
}

} // namespace iscsiscope::plugin
