// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the tables bursts, gaps and connections.
#include "analyzer/query/cell.h"
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::span<const Column> burst_columns() {
    using Row = BurstRecord;
    static const Column columns[] = {
        make_column<Row>("cycle", Unit::none, [](const Row &r) { return r.cycle; }),
        make_column<Row>("stream", Unit::none, [](const Row &r) { return r.stream; }),
        make_column<Row>("burst", Unit::none, [](const Row &r) { return r.burst; }),
        make_column<Row>("r2t_sn", Unit::none, [](const Row &r) { return r.r2t_sn; }),
        make_column<Row>("ttt", Unit::none, [](const Row &r) { return r.ttt; }),
        make_column<Row>("offset", Unit::bytes, [](const Row &r) { return r.offset; }),
        make_column<Row>("desired_bytes", Unit::bytes,
                         [](const Row &r) { return r.desired_bytes.value_or(0); }),
        make_column<Row>("sent_bytes", Unit::bytes, [](const Row &r) { return r.sent_bytes; }),
        make_column<Row>("pdus", Unit::none, [](const Row &r) { return r.pdus; }),
        make_column<Row>("r2t_frame", Unit::none, [](const Row &r) { return frame_cell(r.r2t_frame); }),
        make_column<Row>("first_frame", Unit::none, [](const Row &r) { return frame_cell(r.first_frame); }),
        make_column<Row>("last_frame", Unit::none, [](const Row &r) { return frame_cell(r.last_frame); }),
        make_column<Row>("r2t_wait_ns", Unit::time, [](const Row &r) { return r.r2t_wait; }),
        make_column<Row>("burst_response_ns", Unit::time, [](const Row &r) { return r.burst_response; }),
        make_column<Row>("burst_data_ns", Unit::time, [](const Row &r) { return r.burst_data; }),
        make_column<Row>("final_seen", Unit::none, [](const Row &r) { return r.final_seen; }),
    };
    return columns;
}

// The frames that prove a gap kind caused by TCP, as "original:12 repeat:19".
template <class Row>
std::string_view proof_cell(const Row &r, Scratch &s) {
    char *out = s.data();
    char *const end = out + s.size();
    for (const GapProofFrame &p : r.proof) {
        if (p.frame) {
            out = fmt::format_to_n(out, static_cast<std::size_t>(end - out), "{}{}:{}",
                                   out == s.data() ? "" : " ", name(p.proof), *p.frame)
                      .out;
        }
    }
    return {s.data(), static_cast<std::size_t>(out - s.data())};
}

std::span<const Column> gap_columns() {
    using Row = GapRecord;
    static const auto kinds = names_of<GapKind, GapKind::unclassified>();
    static const auto owners = names_of<Owner, Owner::unknown>();
    static const Column columns[] = {
        make_column<Row>("stream", Unit::none, [](const Row &r) { return r.stream; }),
        make_column<Row>("cycle", Unit::none, [](const Row &r) { return r.cycle; }),
        make_column<Row>("start_ns", Unit::instant, [](const Row &r) { return r.start; }),
        make_column<Row>("length_ns", Unit::time, [](const Row &r) { return r.length; }),
        make_column<Row>(
            "kind", Unit::none, [](const Row &r) { return name(r.kind); }, kinds),
        make_column<Row>("before_frame", Unit::none, [](const Row &r) { return frame_cell(r.before_frame); }),
        make_column<Row>("after_frame", Unit::none, [](const Row &r) { return frame_cell(r.after_frame); }),
        make_column<Row>("proof", Unit::none, [](const Row &r, Scratch &s) { return proof_cell(r, s); }),
        since("0.2", make_column<Row>("path_ns", Unit::time, [](const Row &r) { return r.path; })),
        since("0.2", make_column<Row>("end_ns", Unit::time, [](const Row &r) { return r.end_part; })),
        since("0.2", make_column<Row>("unasked_ns", Unit::time, [](const Row &r) { return r.without_task; })),
        since("0.2", make_column<Row>(
                         "end_owner", Unit::none, [](const Row &r) { return name(r.end_owner); }, owners)),
    };
    return columns;
}

std::span<const Column> ledger_columns() {
    using Row = LedgerEntry;
    static const auto types = names_of<TaskType, TaskType::control>();
    static const auto owners = names_of<Owner, Owner::unknown>();
    static const Column columns[] = {
        since("0.2", make_column<Row>("stream", Unit::none, [](const Row &r) { return r.stream; })),
        since("0.2", make_column<Row>("session", Unit::none, [](const Row &r) { return r.session; })),
        since("0.2", numbers_as_text(make_column<Row>(
                         "lun", Unit::none, [](const Row &r, Scratch &s) { return lun_cell(r.lun, s); }))),
        since("0.2", make_column<Row>(
                         "type", Unit::none, [](const Row &r) { return name(r.type); }, types)),
        since("0.2", make_column<Row>("cycle", Unit::none, [](const Row &r) { return r.cycle; })),
        since("0.2", make_column<Row>("start_ns", Unit::instant, [](const Row &r) { return r.start; })),
        since("0.2", make_column<Row>("length_ns", Unit::time, [](const Row &r) { return r.length; })),
        since("0.2", make_column<Row>(
                         "owner", Unit::none, [](const Row &r) { return name(r.owner); }, owners)),
        since("0.2", make_column<Row>(
                         "cause", Unit::none, [](const Row &r) { return name(r.cause); }, cause_names)),
        since("0.2", make_column<Row>("trouble", Unit::none, [](const Row &r) { return r.trouble; })),
        since("0.2", make_column<Row>(
                         "gap", Unit::none,
                         [](const Row &r) { return r.gap ? std::optional(name(*r.gap)) : std::nullopt; },
                         std::span(cause_names).first(gap_kind_count))),
        since("0.2", make_column<Row>("before_frame", Unit::none,
                                      [](const Row &r) { return frame_cell(r.before_frame); })),
        since("0.2", make_column<Row>("after_frame", Unit::none,
                                      [](const Row &r) { return frame_cell(r.after_frame); })),
        since("0.2", make_column<Row>("proof", Unit::none,
                                      [](const Row &r, Scratch &s) { return proof_cell(r, s); })),
    };
    return columns;
}

std::optional<double> position_of(const ConnectionRecord &r, double CapturePosition::*part) {
    return r.capture_position ? std::optional((*r.capture_position).*part) : std::nullopt;
}

// Whose part of the busy time; empty where that is not known.
std::optional<Duration> owned_by(const ConnectionRecord &r, Owner owner) {
    return r.busy() ? std::optional(r.owners[owner]) : std::nullopt;
}

std::span<const Column> connection_columns() {
    using Row = ConnectionRecord;
    static const auto outcomes = names_of<ConnectionOutcome, ConnectionOutcome::open>();
    static const Column columns[] = {
        make_column<Row>("stream", Unit::none, [](const Row &r) { return r.stream; }),
        make_column<Row>("session", Unit::none, [](const Row &r) { return r.session; }),
        make_column<Row>("cid", Unit::none, [](const Row &r) { return r.cid; }),
        make_column<Row>("initiator_address", Unit::none,
                         [](const Row &r, Scratch &s) { return address_cell(r.initiator.address, s); }),
        make_column<Row>("initiator_port", Unit::none, [](const Row &r) { return r.initiator.port; }),
        make_column<Row>("target_address", Unit::none,
                         [](const Row &r, Scratch &s) { return address_cell(r.target.address, s); }),
        make_column<Row>("target_port", Unit::none, [](const Row &r) { return r.target.port; }),
        make_column<Row>("initiator_name", Unit::none,
                         [](const Row &r) -> const std::string & { return r.initiator_name; }),
        make_column<Row>("target_name", Unit::none,
                         [](const Row &r) -> const std::string & { return r.target_name; }),
        make_column<Row>("first_frame", Unit::none, [](const Row &r) { return frame_cell(r.first_frame); }),
        make_column<Row>("last_frame", Unit::none, [](const Row &r) { return frame_cell(r.last_frame); }),
        make_column<Row>("start_ns", Unit::instant, [](const Row &r) { return r.start; }),
        make_column<Row>("end_ns", Unit::instant, [](const Row &r) { return r.end; }),
        make_column<Row>("bytes_to_target", Unit::bytes, [](const Row &r) { return r.bytes_to_target; }),
        make_column<Row>("bytes_to_initiator", Unit::bytes,
                         [](const Row &r) { return r.bytes_to_initiator; }),
        make_column<Row>("tasks", Unit::none, [](const Row &r) { return r.tasks; }),
        make_column<Row>("capture_position", Unit::share,
                         [](const Row &r) { return position_of(r, &CapturePosition::value); }),
        make_column<Row>("rtt_to_initiator_ns", Unit::time, [](const Row &r) { return r.rtt_to_initiator; }),
        make_column<Row>("rtt_to_target_ns", Unit::time, [](const Row &r) { return r.rtt_to_target; }),
        make_column<Row>(
            "outcome", Unit::none, [](const Row &r) { return name(r.outcome); }, outcomes),
        make_column<Row>("capture_position_low", Unit::share,
                         [](const Row &r) { return position_of(r, &CapturePosition::low); }),
        make_column<Row>("capture_position_high", Unit::share,
                         [](const Row &r) { return position_of(r, &CapturePosition::high); }),
        make_column<Row>("active_ns", Unit::time, [](const Row &r) { return r.active(); }),
        since("0.2", make_column<Row>("busy_ns", Unit::time, [](const Row &r) { return r.busy(); })),
        since("0.2", make_column<Row>("unasked_ns", Unit::time, [](const Row &r) { return r.without_task; })),
        since("0.2", make_column<Row>("busy_at_least", Unit::none,
                                      [](const Row &r) {
                                          return r.without_task ? std::optional(r.busy_at_least)
                                                                : std::nullopt;
                                      })),
        since("0.2", make_column<Row>("busy_transfer_ns", Unit::time,
                                      [](const Row &r) { return owned_by(r, Owner::transfer); })),
        since("0.2", make_column<Row>("busy_network_ns", Unit::time,
                                      [](const Row &r) { return owned_by(r, Owner::network); })),
        since("0.2", make_column<Row>("busy_target_ns", Unit::time,
                                      [](const Row &r) { return owned_by(r, Owner::target); })),
        since("0.2", make_column<Row>("busy_host_ns", Unit::time,
                                      [](const Row &r) { return owned_by(r, Owner::host); })),
        since("0.2", make_column<Row>("busy_unknown_ns", Unit::time,
                                      [](const Row &r) { return owned_by(r, Owner::unknown); })),
    };
    return columns;
}

} // namespace

const Table &burst_table() {
    static const Table table{"bursts", burst_columns()};
    return table;
}

const Table &gap_table() {
    static const Table table{"gaps", gap_columns()};
    return table;
}

const Table &ledger_table() {
    static const Table table{"ledger", ledger_columns()};
    return table;
}

const Table &connection_table() {
    static const Table table{"connections", connection_columns()};
    return table;
}

} // namespace iscsiscope
