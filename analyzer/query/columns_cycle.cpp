// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/cell.h"
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

// A phase is known if the cycle was divided into phases.
std::optional<Duration> phase(const CycleRecord &r, Duration Phases::*member) {
    return r.has_phases ? std::optional(r.phases.*member) : std::nullopt;
}

std::optional<std::uint32_t> if_command(const CycleRecord &r, std::uint32_t v) {
    return r.command_frame ? std::optional(v) : std::nullopt;
}

std::span<const Column> cycle_columns() {
    static const auto types = names_of<TaskType, TaskType::control>();
    static const auto outcomes = names_of<TaskOutcome, TaskOutcome::no_command>();
    static const Column columns[] = {
        make_column<CycleRecord>("cycle", Unit::none, [](const CycleRecord &r) { return r.cycle; }),
        make_column<CycleRecord>("session", Unit::none, [](const CycleRecord &r) { return r.session; }),
        make_column<CycleRecord>("stream", Unit::none, [](const CycleRecord &r) { return r.stream; }),
        make_column<CycleRecord>("cid", Unit::none, [](const CycleRecord &r) { return r.cid; }),
        make_column<CycleRecord>(
            "itt", Unit::none,
            [](const CycleRecord &r) { return r.tag_known ? std::optional(r.itt) : std::nullopt; }),
        make_column<CycleRecord>("cmd_sn", Unit::none, [](const CycleRecord &r) { return r.cmd_sn; }),
        make_column<CycleRecord>(
            "type", Unit::none, [](const CycleRecord &r) { return name(r.type); }, types),
        make_column<CycleRecord>("opcode", Unit::none, [](const CycleRecord &r) { return r.opcode; }),
        numbers_as_text(make_column<CycleRecord>(
            "lun", Unit::none, [](const CycleRecord &r, Scratch &s) { return lun_cell(r.lun, s); })),
        make_column<CycleRecord>("lba", Unit::none, [](const CycleRecord &r) { return r.lba; }),
        make_column<CycleRecord>("blocks", Unit::none, [](const CycleRecord &r) { return r.blocks; }),
        make_column<CycleRecord>("bytes_expected", Unit::bytes,
                                 [](const CycleRecord &r) { return r.bytes_expected; }),
        make_column<CycleRecord>("bytes_moved", Unit::bytes,
                                 [](const CycleRecord &r) { return r.bytes_moved; }),
        make_column<CycleRecord>(
            "residual", Unit::bytes,
            [](const CycleRecord &r) { return r.residual_known ? std::optional(r.residual) : std::nullopt; }),
        make_column<CycleRecord>("command_frame", Unit::none,
                                 [](const CycleRecord &r) { return frame_cell(r.command_frame); }),
        make_column<CycleRecord>("first_data_frame", Unit::none,
                                 [](const CycleRecord &r) { return frame_cell(r.first_data_frame); }),
        make_column<CycleRecord>("last_data_frame", Unit::none,
                                 [](const CycleRecord &r) { return frame_cell(r.last_data_frame); }),
        make_column<CycleRecord>("status_frame", Unit::none,
                                 [](const CycleRecord &r) { return frame_cell(r.status_frame); }),
        make_column<CycleRecord>("end_frame", Unit::none,
                                 [](const CycleRecord &r) { return frame_cell(r.end_frame); }),
        make_column<CycleRecord>("start_ns", Unit::instant, [](const CycleRecord &r) { return r.start; }),
        make_column<CycleRecord>("command_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::command); }),
        make_column<CycleRecord>("first_data_wait_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::first_data_wait); }),
        make_column<CycleRecord>("data_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::data); }),
        make_column<CycleRecord>("unsolicited_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::unsolicited); }),
        make_column<CycleRecord>("r2t_wait_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::r2t_wait); }),
        make_column<CycleRecord>("burst_response_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::burst_response); }),
        make_column<CycleRecord>("burst_data_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::burst_data); }),
        make_column<CycleRecord>("status_wait_ns", Unit::time,
                                 [](const CycleRecord &r) { return phase(r, &Phases::status_wait); }),
        make_column<CycleRecord>("next_command_wait_ns", Unit::time,
                                 [](const CycleRecord &r) { return r.next_command_wait; }),
        make_column<CycleRecord>("response_time_ns", Unit::time,
                                 [](const CycleRecord &r) { return r.response_time; }),
        make_column<CycleRecord>("cycle_time_ns", Unit::time,
                                 [](const CycleRecord &r) { return r.cycle_time; }),
        make_column<CycleRecord>("target_service_ns", Unit::time,
                                 [](const CycleRecord &r) { return r.target_service; }),
        make_column<CycleRecord>("idle_ns", Unit::time, [](const CycleRecord &r) { return r.idle; }),
        make_column<CycleRecord>("idle_gaps", Unit::none, [](const CycleRecord &r) { return r.idle_gaps; }),
        make_column<CycleRecord>("r2t_count", Unit::none, [](const CycleRecord &r) { return r.r2t_count; }),
        make_column<CycleRecord>("data_pdus", Unit::none, [](const CycleRecord &r) { return r.data_pdus; }),
        make_column<CycleRecord>("retransmitted_segments", Unit::none,
                                 [](const CycleRecord &r) { return r.retransmitted_segments; }),
        make_column<CycleRecord>("queue_depth", Unit::none,
                                 [](const CycleRecord &r) { return if_command(r, r.queue_depth); }),
        make_column<CycleRecord>("session_depth", Unit::none,
                                 [](const CycleRecord &r) { return if_command(r, r.session_depth); }),
        make_column<CycleRecord>(
            "outcome", Unit::none, [](const CycleRecord &r) { return name(r.outcome); }, outcomes),
        make_column<CycleRecord>("status", Unit::none, [](const CycleRecord &r) { return r.status; }),
        make_column<CycleRecord>("sense", Unit::none,
                                 [](const CycleRecord &r, Scratch &s) {
                                     return r.sense ? sense_cell(*r.sense, s) : std::string_view{};
                                 }),
        make_column<CycleRecord>("complete", Unit::none, [](const CycleRecord &r) { return r.complete; }),
        make_column<CycleRecord>("lost_beyond_tap", Unit::none,
                                 [](const CycleRecord &r) { return r.lost_beyond_tap; }),
        make_column<CycleRecord>("cut_bytes", Unit::bytes, [](const CycleRecord &r) { return r.cut_bytes; }),
        make_column<CycleRecord>("unseen_bytes", Unit::bytes,
                                 [](const CycleRecord &r) { return r.unseen_bytes; }),
        since("0.2", make_column<CycleRecord>("host_response_time_ns", Unit::time,
                                              [](const CycleRecord &r) { return r.host_response_time(); })),
        since("0.2", make_column<CycleRecord>("inferred", Unit::none,
                                              [](const CycleRecord &r) { return r.inferred; })),
        since("0.2", make_column<CycleRecord>("command", Unit::none,
                                              [](const CycleRecord &r, Scratch &s) {
                                                  return r.opcode
                                                             ? command_cell(*r.opcode, r.service_action, s)
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
