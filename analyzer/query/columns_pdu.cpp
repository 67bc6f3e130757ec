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
HeaderMask known_bytes(const PduRecord &r) {
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
        make_column<PduRecord>("frame", Unit::none,
                               [](const PduRecord &r) { return frame_cell(r.pdu.frame); }),
        make_column<PduRecord>("last_frame", Unit::none,
                               [](const PduRecord &r) { return frame_cell(r.pdu.last_frame); }),
        make_column<PduRecord>("delivered_frame", Unit::none,
                               [](const PduRecord &r) { return frame_cell(r.pdu.delivered_frame); }),
        make_column<PduRecord>("stream", Unit::none, [](const PduRecord &r) { return r.connection->stream; }),
        make_column<PduRecord>(
            "direction", Unit::none,
            [](const PduRecord &r) { return direction_names[static_cast<std::size_t>(r.pdu.direction)]; },
            direction_names),
        make_column<PduRecord>("time_ns", Unit::instant, [](const PduRecord &r) { return r.pdu.first_seen; }),
        make_column<PduRecord>("complete_ns", Unit::instant,
                               [](const PduRecord &r) { return r.pdu.complete; }),
        make_column<PduRecord>("delivered_ns", Unit::instant,
                               [](const PduRecord &r) { return r.pdu.delivered; }),
        make_column<PduRecord>(
            "opcode", Unit::none,
            [](const PduRecord &r) { return static_cast<std::uint8_t>(r.pdu.view().opcode()); }),
        make_column<PduRecord>("opcode_name", Unit::none,
                               [](const PduRecord &r) { return name(r.pdu.view().opcode()); }),
        make_column<PduRecord>("final", Unit::none, [](const PduRecord &r) { return r.pdu.view().final(); }),
        make_column<PduRecord>("itt", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::initiator_task_tag.in(known_bytes(r)) &&
                                                    h.has_initiator_task_tag(),
                                                static_cast<std::uint32_t>(h.initiator_task_tag()));
                               }),
        make_column<PduRecord>("ttt", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::target_transfer_tag.in(known_bytes(r)) &&
                                                    h.has_target_transfer_tag(),
                                                static_cast<std::uint32_t>(h.target_transfer_tag()));
                               }),
        numbers_as_text(make_column<PduRecord>("lun", Unit::none,
                                               [](const PduRecord &r, Scratch &s) {
                                                   const HeaderView h = r.pdu.view();
                                                   return h.has_lun() && header_field::lun.in(known_bytes(r))
                                                              ? lun_cell(static_cast<std::uint64_t>(h.lun()),
                                                                         s)
                                                              : std::string_view{};
                                               })),
        make_column<PduRecord>("ahs_length", Unit::bytes,
                               [](const PduRecord &r) { return r.pdu.ahs_length; }),
        make_column<PduRecord>("data_length", Unit::bytes,
                               [](const PduRecord &r) { return r.pdu.data_length; }),
        make_column<PduRecord>(
            "header_digest", Unit::none, [](const PduRecord &r) { return digest(r.pdu.header_digest); },
            digest_states),
        make_column<PduRecord>(
            "data_digest", Unit::none, [](const PduRecord &r) { return digest(r.pdu.data_digest); },
            digest_states),
        make_column<PduRecord>("cmd_sn", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::cmd_sn.in(known_bytes(r)) && h.has_cmd_sn(),
                                                h.cmd_sn().value);
                               }),
        make_column<PduRecord>("stat_sn", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::stat_sn.in(known_bytes(r)) && h.has_stat_sn(),
                                                h.stat_sn().value);
                               }),
        make_column<PduRecord>("exp_stat_sn", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::exp_stat_sn.in(known_bytes(r)) &&
                                                    h.has_exp_stat_sn(),
                                                h.exp_stat_sn().value);
                               }),
        make_column<PduRecord>("exp_cmd_sn", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::exp_cmd_sn.in(known_bytes(r)) &&
                                                    h.has_exp_cmd_sn(),
                                                h.exp_cmd_sn().value);
                               }),
        make_column<PduRecord>("max_cmd_sn", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::max_cmd_sn.in(known_bytes(r)) &&
                                                    h.has_max_cmd_sn(),
                                                h.max_cmd_sn().value);
                               }),
        // R2TSN has the same offset in the header as DataSN.
        make_column<PduRecord>("data_sn", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::data_sn.in(known_bytes(r)) &&
                                                    (h.has_data_sn() || h.has_r2t_sn()),
                                                h.data_sn().value);
                               }),
        make_column<PduRecord>("buffer_offset", Unit::bytes,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::buffer_offset.in(known_bytes(r)) &&
                                                    h.has_buffer_offset(),
                                                h.buffer_offset());
                               }),
        make_column<PduRecord>("desired_length", Unit::bytes,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::desired_length.in(known_bytes(r)) &&
                                                    h.opcode() == Opcode::r2t,
                                                h.desired_data_transfer_length());
                               }),
        make_column<PduRecord>("edtl", Unit::bytes,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(header_field::expected_length.in(known_bytes(r)) &&
                                                    h.opcode() == Opcode::scsi_command,
                                                h.expected_data_transfer_length());
                               }),
        make_column<PduRecord>("status_bit", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(h.opcode() == Opcode::data_in, h.status_bit());
                               }),
        make_column<PduRecord>("status", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(h.has_status(), h.status());
                               }),
        make_column<PduRecord>("response", Unit::none,
                               [](const PduRecord &r) {
                                   const HeaderView h = r.pdu.view();
                                   return field(has_response(h), h.response());
                               }),
        make_column<PduRecord>("cdb", Unit::none,
                               [](const PduRecord &r, Scratch &s) {
                                   const HeaderView h = r.pdu.view();
                                   return h.opcode() == Opcode::scsi_command &&
                                                  header_field::cdb.in(known_bytes(r))
                                              ? cdb_cell(h.cdb(), r.pdu.ahs, s)
                                              : std::string_view{};
                               }),
        make_column<PduRecord>("cut_bytes", Unit::bytes, [](const PduRecord &r) { return r.pdu.cut_bytes; }),
        make_column<PduRecord>("unseen_bytes", Unit::bytes,
                               [](const PduRecord &r) { return r.pdu.unseen_bytes; }),
        since("0.2", make_column<PduRecord>("stream_offset", Unit::bytes,
                                            [](const PduRecord &r) { return r.pdu.offset; })),
        since("0.2", make_column<PduRecord>("header_bytes", Unit::bytes,
                                            [](const PduRecord &r) {
                                                return static_cast<std::uint32_t>(
                                                    std::popcount(r.pdu.in_file));
                                            })),
        since("0.2", make_column<PduRecord>("inferred", Unit::none,
                                            [](const PduRecord &r) { return r.pdu.inferred; })),
    };
    return columns;
}

} // namespace

const Table &pdu_table() {
    static const Table table{"pdus", pdu_columns()};
    return table;
}

} // namespace iscsiscope
