// SPDX-License-Identifier: GPL-2.0-or-later
// HeaderView: reads the fields of a basic header segment of 48 bytes in place (RFC 7143 section 11).
// Accessors read the field's offset for any opcode; the has_... predicates return whether the opcode has the
// field. A view is a pointer: pass it by value; the bytes must outlive it.
#pragma once

#include "analyzer/iscsi/codec/header_bytes.h"
#include "analyzer/iscsi/codec/opcode.h"
#include "analyzer/iscsi/codec/serial.h"
#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/codec/wire.h"

#include <cstdint>
#include <span>

namespace iscsiscope {

class HeaderView {
public:
    explicit HeaderView(std::span<const std::byte, basic_header_size> bytes) : p_(bytes.data()) {}
    explicit HeaderView(const HeaderBytes &bytes) : p_(bytes.data()) {}

    std::span<const std::byte, basic_header_size> bytes() const {
        return std::span<const std::byte, basic_header_size>(p_, basic_header_size);
    }

    Opcode opcode() const { return static_cast<Opcode>(wire::load8(p_) & 0x3f); }
    bool immediate() const { return (wire::load8(p_) & 0x40) != 0; }
    std::uint8_t flags() const { return wire::load8(p_ + 1); }
    bool final() const { return (flags() & 0x80) != 0; }

    // Lengths in bytes.
    std::uint32_t total_ahs_length() const { return wire::load8(p_ + 4) * std::uint32_t{4}; }
    std::uint32_t data_segment_length() const { return wire::load24(p_ + 5); }
    std::uint32_t padded_data_segment_length() const { return (data_segment_length() + 3) & ~3u; }
    std::uint32_t header_length() const { return std::uint32_t{basic_header_size} + total_ahs_length(); }
    // Length of the whole PDU. Only a PDU with a data segment has a data digest (RFC 7143 section 11.1).
    std::uint32_t pdu_length(bool header_digest, bool data_digest) const {
        const std::uint32_t data = padded_data_segment_length();
        return header_length() + (header_digest ? 4u : 0u) + data + (data_digest && data != 0 ? 4u : 0u);
    }

    Lun lun() const { return Lun{wire::load64(p_ + 8)}; }
    InitiatorTaskTag initiator_task_tag() const { return InitiatorTaskTag{u32(16)}; }
    TargetTransferTag target_transfer_tag() const { return TargetTransferTag{u32(20)}; }
    InitiatorTaskTag referenced_task_tag() const { return InitiatorTaskTag{u32(20)}; }
    CmdSn cmd_sn() const { return CmdSn{u32(24)}; }
    StatSn exp_stat_sn() const { return StatSn{u32(28)}; }
    StatSn stat_sn() const { return StatSn{u32(24)}; }
    CmdSn exp_cmd_sn() const { return CmdSn{u32(28)}; }
    CmdSn max_cmd_sn() const { return CmdSn{u32(32)}; }
    CmdSn ref_cmd_sn() const { return CmdSn{u32(32)}; } // Task Management Request
    DataSn data_sn() const { return DataSn{u32(36)}; }
    DataSn r2t_sn() const { return DataSn{u32(36)}; }
    DataSn exp_data_sn() const { return DataSn{u32(36)}; }
    std::uint32_t buffer_offset() const { return u32(40); }
    std::uint32_t desired_data_transfer_length() const { return u32(44); }
    std::uint32_t expected_data_transfer_length() const { return u32(20); }
    std::uint32_t bidirectional_residual_count() const { return u32(40); }
    std::uint32_t residual_count() const { return u32(44); }
    // SCSI Command; 16 bytes.
    std::span<const std::byte, 16> cdb() const { return std::span<const std::byte, 16>(p_ + 32, 16); }

    // Byte 2: SCSI Response, Task Management Response, Logout Response (response), Reject (reason).
    std::uint8_t response() const { return wire::load8(p_ + 2); }
    std::uint8_t status() const { return wire::load8(p_ + 3); } // SCSI Response; Data-In with S
    std::uint8_t function() const { return flags() & 0x7f; }    // Task Management, Logout reason
    bool status_bit() const { return (flags() & 0x01) != 0; }   // S of Data-In
    bool underflow_bit() const { return (flags() & 0x02) != 0; }
    bool overflow_bit() const { return (flags() & 0x04) != 0; }
    bool acknowledge_bit() const { return (flags() & 0x40) != 0; } // A of Data-In
    bool read_bit() const { return (flags() & 0x40) != 0; }        // R of SCSI Command
    bool write_bit() const { return (flags() & 0x20) != 0; }       // W of SCSI Command
    bool continue_bit() const { return (flags() & 0x40) != 0; }    // C of Login and Text
    std::uint16_t tsih() const { return wire::load16(p_ + 14); }   // Login
    std::uint16_t cid() const { return wire::load16(p_ + 20); }    // Login Request, Logout Request
    std::uint8_t login_status_class() const { return wire::load8(p_ + 36); }
    std::uint8_t login_status_detail() const { return wire::load8(p_ + 37); }

    bool has_lun() const {
        return is(mask_of(Opcode::scsi_command) | mask_of(Opcode::data_out) | mask_of(Opcode::data_in) |
                  mask_of(Opcode::r2t) | mask_of(Opcode::task_management_request) | mask_of(Opcode::nop_out) |
                  mask_of(Opcode::nop_in) | mask_of(Opcode::text_request) | mask_of(Opcode::text_response) |
                  mask_of(Opcode::snack_request) | mask_of(Opcode::async_message));
    }
    bool has_initiator_task_tag() const {
        return is_known(opcode()) && opcode() != Opcode::async_message && opcode() != Opcode::reject;
    }
    // In a SNACK Request the field is a Target Transfer Tag or a SNACK Tag.
    bool has_target_transfer_tag() const {
        return is(mask_of(Opcode::nop_out) | mask_of(Opcode::nop_in) | mask_of(Opcode::data_out) |
                  mask_of(Opcode::data_in) | mask_of(Opcode::r2t) | mask_of(Opcode::text_request) |
                  mask_of(Opcode::text_response) | mask_of(Opcode::snack_request));
    }
    bool has_cmd_sn() const {
        return is(mask_of(Opcode::nop_out) | mask_of(Opcode::scsi_command) |
                  mask_of(Opcode::task_management_request) | mask_of(Opcode::login_request) |
                  mask_of(Opcode::text_request) | mask_of(Opcode::logout_request));
    }
    // True if the PDU uses up a number of the command window (RFC 7143 section 4.2.2.1).
    bool consumes_cmd_sn() const { return has_cmd_sn() && !immediate(); }
    bool has_exp_stat_sn() const { return is_known(opcode()) && is_request(opcode()); }
    // Data-In has a StatSN only with S. R2T carries the next StatSN without using it up.
    bool has_stat_sn() const {
        return is_known(opcode()) && !is_request(opcode()) && (opcode() != Opcode::data_in || status_bit());
    }
    // True if the PDU advances StatSN. R2T and a NOP-In that answers no NOP-Out do not (RFC 7143
    // sections 11.8.3 and 11.19.2).
    bool consumes_stat_sn() const {
        return has_stat_sn() && opcode() != Opcode::r2t &&
               !(opcode() == Opcode::nop_in && initiator_task_tag() == InitiatorTaskTag::reserved);
    }
    bool has_exp_cmd_sn() const { return is_known(opcode()) && !is_request(opcode()); }
    bool has_max_cmd_sn() const { return has_exp_cmd_sn(); }
    bool has_data_sn() const { return is(mask_of(Opcode::data_in) | mask_of(Opcode::data_out)); }
    bool has_r2t_sn() const { return opcode() == Opcode::r2t; }
    bool has_buffer_offset() const {
        return is(mask_of(Opcode::data_in) | mask_of(Opcode::data_out) | mask_of(Opcode::r2t));
    }
    // True if the PDU ends a task with a status.
    bool has_status() const {
        return opcode() == Opcode::scsi_response || (opcode() == Opcode::data_in && status_bit());
    }
    bool has_residual_count() const { return has_status() && (underflow_bit() || overflow_bit()); }

private:
    static constexpr std::uint64_t mask_of(Opcode o) { return std::uint64_t{1} << static_cast<unsigned>(o); }
    bool is(std::uint64_t set) const { return (set & mask_of(opcode())) != 0; }
    std::uint32_t u32(std::size_t offset) const { return wire::load32(p_ + offset); }

    const std::byte *p_;
};

} // namespace iscsiscope
