// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/cell.h"
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

using Row = CycleRecord;

// A phase is known if the cycle was divided into phases.
std::optional<Duration> phase(const Row &r, Duration Phases::*member) {
    return r.has_phases ? std::optional(r.phases.*member) : std::nullopt;
}

std::optional<std::uint32_t> if_command(const Row &r, std::uint32_t v) {
    return r.command_frame != 0 ? std::optional(v) : std::nullopt;
}

std::span<const Column> cycle_columns() {
    static const auto types = names_of<TaskType, TaskType::control>();
    static const auto outcomes = names_of<TaskOutcome, TaskOutcome::no_command>();
    static const Column columns[] = {
        make_column<Row>("cycle", Unit::none, [](const Row &r) { return r.cycle; }),
        make_column<Row>("session", Unit::none, [](const Row &r) { return r.session; }),
        make_column<Row>("stream", Unit::none, [](const Row &r) { return r.stream; }),
        make_column<Row>("cid", Unit::none, [](const Row &r) { return r.cid; }),
        make_column<Row>("itt", Unit::none,
                         [](const Row &r) { return r.tag_known ? std::optional(r.itt) : std::nullopt; }),
        make_column<Row>("cmd_sn", Unit::none, [](const Row &r) { return r.cmd_sn; }),
        make_column<Row>(
            "type", Unit::none, [](const Row &r) { return name(r.type); }, types),
        make_column<Row>("opcode", Unit::none, [](const Row &r) { return r.opcode; }),
        numbers_as_text(
            make_column<Row>("lun", Unit::none, [](const Row &r, Scratch &s) { return lun_cell(r.lun, s); })),
        make_column<Row>("lba", Unit::none, [](const Row &r) { return r.lba; }),
        make_column<Row>("blocks", Unit::none, [](const Row &r) { return r.blocks; }),
        make_column<Row>("bytes_expected", Unit::bytes, [](const Row &r) { return r.bytes_expected; }),
        make_column<Row>("bytes_moved", Unit::bytes, [](const Row &r) { return r.bytes_moved; }),
        make_column<Row>(
            "residual", Unit::bytes,
            [](const Row &r) { return r.residual_known ? std::optional(r.residual) : std::nullopt; }),
        make_column<Row>("command_frame", Unit::none,
                         [](const Row &r) { return frame_cell(r.command_frame); }),
        make_column<Row>("first_data_frame", Unit::none,
                         [](const Row &r) { return frame_cell(r.first_data_frame); }),
        make_column<Row>("last_data_frame", Unit::none,
                         [](const Row &r) { return frame_cell(r.last_data_frame); }),
        make_column<Row>("status_frame", Unit::none, [](const Row &r) { return frame_cell(r.status_frame); }),
        make_column<Row>("end_frame", Unit::none, [](const Row &r) { return frame_cell(r.end_frame); }),
        make_column<Row>("start_ns", Unit::instant, [](const Row &r) { return r.start; }),
        make_column<Row>("command_ns", Unit::time, [](const Row &r) { return phase(r, &Phases::command); }),
        make_column<Row>("first_data_wait_ns", Unit::time,
                         [](const Row &r) { return phase(r, &Phases::first_data_wait); }),
        make_column<Row>("data_ns", Unit::time, [](const Row &r) { return phase(r, &Phases::data); }),
        make_column<Row>("unsolicited_ns", Unit::time,
                         [](const Row &r) { return phase(r, &Phases::unsolicited); }),
        make_column<Row>("r2t_wait_ns", Unit::time, [](const Row &r) { return phase(r, &Phases::r2t_wait); }),
        make_column<Row>("burst_response_ns", Unit::time,
                         [](const Row &r) { return phase(r, &Phases::burst_response); }),
        make_column<Row>("burst_data_ns", Unit::time,
                         [](const Row &r) { return phase(r, &Phases::burst_data); }),
        make_column<Row>("status_wait_ns", Unit::time,
                         [](const Row &r) { return phase(r, &Phases::status_wait); }),
        make_column<Row>("next_command_wait_ns", Unit::time,
                         [](const Row &r) { return r.next_command_wait; }),
        make_column<Row>("response_time_ns", Unit::time, [](const Row &r) { return r.response_time; }),
        make_column<Row>("cycle_time_ns", Unit::time, [](const Row &r) { return r.cycle_time; }),
        make_column<Row>("target_service_ns", Unit::time, [](const Row &r) { return r.target_service; }),
        make_column<Row>("idle_ns", Unit::time, [](const Row &r) { return r.idle; }),
        make_column<Row>("idle_gaps", Unit::none, [](const Row &r) { return r.idle_gaps; }),
        make_column<Row>("r2t_count", Unit::none, [](const Row &r) { return r.r2t_count; }),
        make_column<Row>("data_pdus", Unit::none, [](const Row &r) { return r.data_pdus; }),
        make_column<Row>("retransmitted_segments", Unit::none,
                         [](const Row &r) { return r.retransmitted_segments; }),
        make_column<Row>("queue_depth", Unit::none,
                         [](const Row &r) { return if_command(r, r.queue_depth); }),
        make_column<Row>("session_depth", Unit::none,
                         [](const Row &r) { return if_command(r, r.session_depth); }),
        make_column<Row>(
            "outcome", Unit::none, [](const Row &r) { return name(r.outcome); }, outcomes),
        make_column<Row>("status", Unit::none, [](const Row &r) { return r.status; }),
        make_column<Row>(
            "sense", Unit::none,
            [](const Row &r, Scratch &s) { return r.sense ? sense_cell(*r.sense, s) : std::string_view{}; }),
        make_column<Row>("complete", Unit::none, [](const Row &r) { return r.complete; }),
        make_column<Row>("lost_beyond_tap", Unit::none, [](const Row &r) { return r.lost_beyond_tap; }),
        make_column<Row>("cut_bytes", Unit::bytes, [](const Row &r) { return r.cut_bytes; }),
        make_column<Row>("unseen_bytes", Unit::bytes, [](const Row &r) { return r.unseen_bytes; }),
        since("0.2", make_column<Row>("host_response_time_ns", Unit::time,
                                      [](const Row &r) { return r.host_response_time(); })),
        since("0.2", make_column<Row>("inferred", Unit::none, [](const Row &r) { return r.inferred; })),
        since("0.2", make_column<Row>("command", Unit::none,
                                      [](const Row &r, Scratch &s) {
                                          return r.opcode ? command_cell(*r.opcode, r.service_action, s)
                                                          : std::string_view{};
                                      })),
    };
    return columns;
}

} // namespace

const Table &cycle_table() {
    static const Table table{"cycles", cycle_columns()};
    return table;
}

} // namespace iscsiscope
