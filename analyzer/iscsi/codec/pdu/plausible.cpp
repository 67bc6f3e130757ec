// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/plausible.h"

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Largest command window (MaxCmdSN - ExpCmdSN + 1) of serial numbers of 32 bits (RFC 7143 section 4.2.2.1).
// Most stacks offer up to some thousands, but targets are known that send MaxCmdSN far ahead.
constexpr std::uint32_t max_window = std::uint32_t{1} << 31;
// Largest plausible AHS area: an extended CDB of 244 bytes and a bidirectional length, with their headers.
constexpr std::uint32_t max_real_ahs = 248 + 8;
// 8192 is the limit during login (RFC 7143 section 13.12); some stacks send more.
constexpr std::uint32_t max_login_text = 65536;
// RFC 7143 section 13.12: in force until the receiver declares another limit.
constexpr std::uint32_t default_max_recv_data_segment_length = 8192;
// RFC 7143 section 11.12: a Login Request always has the immediate bit.
constexpr std::uint8_t login_request_first_byte = 0x43;

bool zero(HeaderView h, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i)
        if (h.bytes()[i] != std::byte{0})
            return false;
    return true;
}

// A logical unit number as defined in SAM-5 section 4.7; more than two levels (a bridge behind a bridge) are
// refused. A LUN is also accepted where the field is reserved, since some stacks fill it in.
bool lun_like(HeaderView h) {
    const auto v = static_cast<std::uint64_t>(h.lun());
    const auto bus = (v >> 56) & 0x3f;
    switch (v >> 62) {
    case 0: // peripheral: bus 0 is this level, another bus a level below
        return (v & (bus == 0 ? 0x0000ffffffffffff : 0x00000000ffffffff)) == 0;
    case 1: // flat
    case 2: // logical unit
        return (v & 0x0000ffffffffffff) == 0;
    default: // extended: well-known unit of two bytes, flat of four
        return (v >> 56) == 0xc1 ? (v & 0x0000ffffffffffff) == 0
                                 : (v >> 56) == 0xd2 && (v & 0x00000000ffffffff) == 0;
    }
}

// Where the LUN is reserved (Data-In without A, NOP-In that answers no NOP-Out: RFC 7143 sections 11.7.4 and
// 11.19.3), LIO fills it with ones.
bool answer_lun_like(HeaderView h) {
    return lun_like(h) || ~static_cast<std::uint64_t>(h.lun()) == 0;
}

bool window_like(HeaderView h) {
    return h.max_cmd_sn().value - h.exp_cmd_sn().value + 1 <= max_window;
}

bool status_like(std::uint8_t s) {
    switch (s) {
    case 0x00:
    case 0x02:
    case 0x04:
    case 0x08:
    case 0x18:
    case 0x28:
    case 0x30:
    case 0x40:
        return true;
    default:
        return false;
    }
}

// Unlike data that is mostly zero, a PDU has sequence numbers: after the login ExpStatSN is beyond its start,
// and StatSN, ExpCmdSN and MaxCmdSN all zero would be a closed window.
bool numbered(HeaderView h) {
    return !(is_request(h.opcode()) ? zero(h, 24, 31) : zero(h, 24, 35));
}

bool no_data(HeaderView h) {
    return h.data_segment_length() == 0;
}

// Of byte 1 only the F bit is set.
bool only_final(HeaderView h) {
    return h.flags() == 0x80;
}

bool task_tag(HeaderView h) {
    return h.initiator_task_tag() != InitiatorTaskTag::reserved;
}

bool scsi_command(HeaderView h) {
    return (h.flags() & 0x18) == 0 && zero(h, 2, 3) && h.total_ahs_length() <= max_real_ahs && lun_like(h) &&
           h.data_segment_length() <= h.expected_data_transfer_length() && ScsiCommand::parse(h);
}

bool scsi_response(HeaderView h) {
    return (h.flags() & 0xe1) == 0x80 && (h.response() <= 1 || h.response() >= 0x80) &&
           status_like(h.status()) && lun_like(h) && window_like(h) && ScsiResponse::parse(h);
}

bool task_management_request(HeaderView h) {
    return zero(h, 2, 7) && lun_like(h) && TaskManagementRequest::parse(h);
}

bool task_management_response(HeaderView h) {
    return only_final(h) && (h.response() <= 7 || h.response() == 255) && zero(h, 3, 7) && lun_like(h) &&
           window_like(h) && task_tag(h) && TaskManagementResponse::parse(h);
}

bool login_request(HeaderView h) {
    return (h.flags() & 0x30) == 0 && zero(h, 2, 4) && h.data_segment_length() <= max_login_text &&
           zero(h, 22, 23) && zero(h, 32, 47) && LoginRequest::parse(h);
}

bool login_response(HeaderView h) {
    return (h.flags() & 0x30) == 0 && zero(h, 2, 4) && h.data_segment_length() <= max_login_text &&
           zero(h, 20, 23) && zero(h, 38, 47) && h.login_status_class() <= 3 &&
           (h.login_status_class() != 0 || h.login_status_detail() == 0) && window_like(h) &&
           LoginResponse::parse(h);
}

bool text_request(HeaderView h) {
    return (h.flags() & 0x3f) == 0 && zero(h, 2, 4) && lun_like(h) && zero(h, 32, 47) &&
           TextRequest::parse(h);
}

bool text_response(HeaderView h) {
    return (h.flags() & 0x3f) == 0 && zero(h, 2, 4) && lun_like(h) && window_like(h) &&
           TextResponse::parse(h);
}

bool data_out(HeaderView h) {
    return (h.flags() & 0x7f) == 0 && zero(h, 2, 4) && !no_data(h) && lun_like(h) && DataOut::parse(h);
}

// Some targets set the status field also without S.
bool data_in(HeaderView h) {
    return (h.flags() & 0x38) == 0 && zero(h, 2, 2) && status_like(h.status()) &&
           (h.status_bit() || !no_data(h)) && answer_lun_like(h) && window_like(h) && DataIn::parse(h);
}

bool r2t(HeaderView h) {
    return only_final(h) && zero(h, 2, 7) && lun_like(h) && window_like(h) && R2t::parse(h);
}

bool nop_out(HeaderView h) {
    return only_final(h) && zero(h, 2, 4) && lun_like(h) && NopOut::parse(h);
}

bool nop_in(HeaderView h) {
    return only_final(h) && zero(h, 2, 4) && answer_lun_like(h) && window_like(h) && NopIn::parse(h);
}

bool logout_request(HeaderView h) {
    return zero(h, 2, 7) && lun_like(h) && task_tag(h) && LogoutRequest::parse(h);
}

bool logout_response(HeaderView h) {
    return only_final(h) && h.response() <= 3 && zero(h, 3, 7) && lun_like(h) && window_like(h) &&
           task_tag(h) && LogoutResponse::parse(h);
}

bool snack_request(HeaderView h) {
    return (h.flags() & 0x70) == 0 && zero(h, 2, 7) && lun_like(h) && SnackRequest::parse(h);
}

bool async_message(HeaderView h) {
    return only_final(h) && zero(h, 2, 4) && !task_tag(h) && lun_like(h) && window_like(h) &&
           AsyncMessage::parse(h);
}

bool reject(HeaderView h) {
    return only_final(h) && h.response() != 0 && (h.response() <= 0x0c || h.response() == 0xff) &&
           zero(h, 3, 4) && h.data_segment_length() >= basic_header_size && !task_tag(h) && lun_like(h) &&
           window_like(h) && Reject::parse(h);
}

} // namespace

bool plausible_header(HeaderView h, PduDirection direction) {
    // The first PDUs of a login may have all numbers zero, but then they have an ISID or text.
    if (h.opcode() == Opcode::login_request || h.opcode() == Opcode::login_response) {
        if (zero(h, 5, 13))
            return false;
    } else if (!numbered(h)) {
        return false;
    }
    return allowed_header(h, direction);
}

bool allowed_header(HeaderView h, PduDirection direction) {
    // Bit 0 of byte 0 is reserved; the immediate bit exists in numbered requests only.
    const std::uint8_t first = wire::load8(h.bytes().data());
    if ((first & 0x80) != 0 || (h.immediate() && !h.has_cmd_sn()))
        return false;
    if (is_request(h.opcode()) != (direction == PduDirection::to_target))
        return false;
    switch (h.opcode()) {
    case Opcode::nop_out:
        return nop_out(h);
    case Opcode::scsi_command:
        return scsi_command(h);
    case Opcode::task_management_request:
        return task_management_request(h);
    case Opcode::login_request:
        return login_request(h);
    case Opcode::text_request:
        return text_request(h);
    case Opcode::data_out:
        return data_out(h);
    case Opcode::logout_request:
        return logout_request(h);
    case Opcode::snack_request:
        return snack_request(h);
    case Opcode::nop_in:
        return nop_in(h);
    case Opcode::scsi_response:
        return scsi_response(h);
    case Opcode::task_management_response:
        return task_management_response(h);
    case Opcode::login_response:
        return login_response(h);
    case Opcode::text_response:
        return text_response(h);
    case Opcode::data_in:
        return data_in(h);
    case Opcode::logout_response:
        return logout_response(h);
    case Opcode::r2t:
        return r2t(h);
    case Opcode::async_message:
        return async_message(h);
    case Opcode::reject:
        return reject(h);
    }
    return false;
}

bool allowed_part(HeaderView h, HeaderMask known, PduDirection direction) {
    using namespace header_field;
    if (known == whole_header)
        return allowed_header(h, direction);
    if (!extent.in(known))
        return false;
    // Fields that are not known get a value that every opcode allows: zero, and no length below what it must
    // be.
    HeaderBytes filled;
    std::copy(h.bytes().begin(), h.bytes().end(), filled.begin());
    for (const HeaderField f : {lun, initiator_task_tag, target_transfer_tag, stat_sn, exp_cmd_sn, max_cmd_sn,
                                data_sn, buffer_offset, desired_length})
        if (!f.in(known))
            std::fill_n(filled.begin() + f.at, f.size, std::byte{0});
    if (!exp_cmd_sn.in(known) || !max_cmd_sn.in(known))
        std::fill_n(filled.begin() + exp_cmd_sn.at, exp_cmd_sn.size + max_cmd_sn.size, std::byte{0});
    if (h.opcode() == Opcode::r2t && !desired_length.in(known))
        wire::store32(filled.data() + desired_length.at, 1);
    if (h.opcode() == Opcode::scsi_command && !expected_length.in(known))
        wire::store32(filled.data() + expected_length.at, h.data_segment_length());
    return allowed_header(HeaderView{filled}, direction);
}

bool plausible_beginning(HeaderView h, std::size_t there, PduDirection direction) {
    if (there == basic_header_size)
        return plausible_header(h, direction);
    // Data that is mostly zero is none: a header has tags and numbers.
    const auto numbers = h.bytes().subspan<16, partial_header - 16>();
    return allowed_part(h, (HeaderMask{1} << there) - 1, direction) &&
           std::any_of(numbers.begin(), numbers.end(), [](std::byte b) { return b != std::byte{0}; });
}

bool login_phase_header(HeaderView h, PduDirection direction, bool first) {
    const std::uint8_t first_byte = wire::load8(h.bytes().data());
    const std::uint32_t length = h.data_segment_length();
    if (h.total_ahs_length() != 0 || length > default_max_recv_data_segment_length)
        return false;
    if (direction == PduDirection::to_target)
        return first_byte == login_request_first_byte && (length > 0 || !first);
    return first_byte == static_cast<std::uint8_t>(Opcode::login_response) ||
           (first_byte == static_cast<std::uint8_t>(Opcode::reject) && length >= basic_header_size);
}

} // namespace iscsiscope
