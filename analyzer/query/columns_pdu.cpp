// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/cell.h"
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

constexpr std::string_view digest_states[] = {"none", "ok", "bad", "unknown"};

std::string_view digest(DigestState s) {
    return digest_states[static_cast<std::size_t>(s)];
}

// A header field that not every opcode has: empty unless `there`.
template <class T>
std::optional<T> field(bool there, T v) {
    return there ? std::optional<T>(v) : std::nullopt;
}

// Which bytes of the header the columns show: those in the file; of an inferred PDU also those that follow
// from other PDUs.
HeaderMask known_bytes(const PduRow &r) {
    const HeaderMask known = r.pdu.inferred ? r.pdu.known : r.pdu.in_file;
    return r.pdu.tag_stands_in ? known & ~header_field::initiator_task_tag.mask() : known;
}

// True for opcodes with a response code (SCSI, Task Management and Logout Response) or a reason (Reject).
bool has_response(HeaderView h) {
    switch (h.opcode()) {
    case Opcode::scsi_response:
    case Opcode::task_management_response:
    case Opcode::logout_response:
    case Opcode::reject:
        return true;
    default:
        return false;
    }
}

std::span<const Column> pdu_columns() {
    static const Column columns[] = {
        make_column<PduRow>("frame", Unit::none, [](const PduRow &r) { return frame_cell(r.pdu.frame); }),
        make_column<PduRow>("last_frame", Unit::none,
                            [](const PduRow &r) { return frame_cell(r.pdu.last_frame); }),
        make_column<PduRow>("delivered_frame", Unit::none,
                            [](const PduRow &r) { return frame_cell(r.pdu.delivered_frame); }),
        make_column<PduRow>("stream", Unit::none, [](const PduRow &r) { return r.connection.stream; }),
        make_column<PduRow>(
            "direction", Unit::none,
            [](const PduRow &r) { return direction_names[static_cast<std::size_t>(r.pdu.direction)]; },
            direction_names),
        make_column<PduRow>("time_ns", Unit::instant, [](const PduRow &r) { return r.pdu.first_seen; }),
        make_column<PduRow>("complete_ns", Unit::instant, [](const PduRow &r) { return r.pdu.complete; }),
        make_column<PduRow>("delivered_ns", Unit::instant, [](const PduRow &r) { return r.pdu.delivered; }),
        make_column<PduRow>("opcode", Unit::none,
                            [](const PduRow &r) { return static_cast<std::uint8_t>(r.pdu.view().opcode()); }),
        make_column<PduRow>("opcode_name", Unit::none,
                            [](const PduRow &r) { return name(r.pdu.view().opcode()); }),
        make_column<PduRow>("final", Unit::none, [](const PduRow &r) { return r.pdu.view().final(); }),
        make_column<PduRow>("itt", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::initiator_task_tag.in(known_bytes(r)) &&
                                                 h.has_initiator_task_tag(),
                                             static_cast<std::uint32_t>(h.initiator_task_tag()));
                            }),
        make_column<PduRow>("ttt", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::target_transfer_tag.in(known_bytes(r)) &&
                                                 h.has_target_transfer_tag(),
                                             static_cast<std::uint32_t>(h.target_transfer_tag()));
                            }),
        numbers_as_text(make_column<PduRow>("lun", Unit::none,
                                            [](const PduRow &r, Scratch &s) {
                                                const HeaderView h = r.pdu.view();
                                                return h.has_lun() && header_field::lun.in(known_bytes(r))
                                                           ? lun_cell(static_cast<std::uint64_t>(h.lun()), s)
                                                           : std::string_view{};
                                            })),
        make_column<PduRow>("ahs_length", Unit::bytes, [](const PduRow &r) { return r.pdu.ahs_length; }),
        make_column<PduRow>("data_length", Unit::bytes, [](const PduRow &r) { return r.pdu.data_length; }),
        make_column<PduRow>(
            "header_digest", Unit::none, [](const PduRow &r) { return digest(r.pdu.header_digest); },
            digest_states),
        make_column<PduRow>(
            "data_digest", Unit::none, [](const PduRow &r) { return digest(r.pdu.data_digest); },
            digest_states),
        make_column<PduRow>("cmd_sn", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::cmd_sn.in(known_bytes(r)) && h.has_cmd_sn(),
                                             h.cmd_sn().value);
                            }),
        make_column<PduRow>("stat_sn", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::stat_sn.in(known_bytes(r)) && h.has_stat_sn(),
                                             h.stat_sn().value);
                            }),
        make_column<PduRow>("exp_stat_sn", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::exp_stat_sn.in(known_bytes(r)) &&
                                                 h.has_exp_stat_sn(),
                                             h.exp_stat_sn().value);
                            }),
        make_column<PduRow>("exp_cmd_sn", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::exp_cmd_sn.in(known_bytes(r)) &&
                                                 h.has_exp_cmd_sn(),
                                             h.exp_cmd_sn().value);
                            }),
        make_column<PduRow>("max_cmd_sn", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::max_cmd_sn.in(known_bytes(r)) &&
                                                 h.has_max_cmd_sn(),
                                             h.max_cmd_sn().value);
                            }),
        // R2TSN has the same offset in the header as DataSN.
        make_column<PduRow>("data_sn", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::data_sn.in(known_bytes(r)) &&
                                                 (h.has_data_sn() || h.has_r2t_sn()),
                                             h.data_sn().value);
                            }),
        make_column<PduRow>("buffer_offset", Unit::bytes,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::buffer_offset.in(known_bytes(r)) &&
                                                 h.has_buffer_offset(),
                                             h.buffer_offset());
                            }),
        make_column<PduRow>("desired_length", Unit::bytes,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::desired_length.in(known_bytes(r)) &&
                                                 h.opcode() == Opcode::r2t,
                                             h.desired_data_transfer_length());
                            }),
        make_column<PduRow>("edtl", Unit::bytes,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(header_field::expected_length.in(known_bytes(r)) &&
                                                 h.opcode() == Opcode::scsi_command,
                                             h.expected_data_transfer_length());
                            }),
        make_column<PduRow>("status_bit", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(h.opcode() == Opcode::data_in, h.status_bit());
                            }),
        make_column<PduRow>("status", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(h.has_status(), h.status());
                            }),
        make_column<PduRow>("response", Unit::none,
                            [](const PduRow &r) {
                                const HeaderView h = r.pdu.view();
                                return field(has_response(h), h.response());
                            }),
        make_column<PduRow>("cdb", Unit::none,
                            [](const PduRow &r, Scratch &s) {
                                const HeaderView h = r.pdu.view();
                                return h.opcode() == Opcode::scsi_command &&
                                               header_field::cdb.in(known_bytes(r))
                                           ? cdb_cell(h.cdb(), r.pdu.ahs, s)
                                           : std::string_view{};
                            }),
        make_column<PduRow>("cut_bytes", Unit::bytes, [](const PduRow &r) { return r.pdu.cut_bytes; }),
        make_column<PduRow>("unseen_bytes", Unit::bytes, [](const PduRow &r) { return r.pdu.unseen_bytes; }),
        since("0.2", make_column<PduRow>("stream_offset", Unit::bytes,
                                         [](const PduRow &r) { return r.pdu.offset; })),
        since("0.2", make_column<PduRow>("header_bytes", Unit::bytes,
                                         [](const PduRow &r) {
                                             return static_cast<std::uint32_t>(std::popcount(r.pdu.in_file));
                                         })),
        since("0.2",
              make_column<PduRow>("inferred", Unit::none, [](const PduRow &r) { return r.pdu.inferred; })),
    };
    return columns;
}

} // namespace

const Table &pdu_table() {
    static const Table table{"pdus", pdu_columns()};
    return table;
}

} // namespace iscsiscope
