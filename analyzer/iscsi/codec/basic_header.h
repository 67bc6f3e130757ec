// SPDX-License-Identifier: GPL-2.0-or-later
// BasicHeaderView: the fields that every basic header segment has in the same place (RFC 7143
// section 11.2.1): opcode, flags, lengths, LUN and Initiator Task Tag. HeaderView adds those of the opcodes.
#pragma once

#include "analyzer/iscsi/codec/header_bytes.h"
#include "analyzer/iscsi/codec/opcode.h"
#include "analyzer/iscsi/codec/tags.h"
#include "analyzer/iscsi/codec/wire.h"

#include <cstdint>
#include <span>

namespace iscsiscope {

class BasicHeaderView {
public:
    explicit BasicHeaderView(std::span<const std::byte, basic_header_size> bytes) : p_(bytes.data()) {}
    explicit BasicHeaderView(const HeaderBytes &bytes) : p_(bytes.data()) {}

    std::span<const std::byte, basic_header_size> bytes() const {
        return std::span<const std::byte, basic_header_size>(p_, basic_header_size);
    }

    Opcode opcode() const { return static_cast<Opcode>(wire::load8(p_) & 0x3f); }
    bool immediate() const { return (wire::load8(p_) & 0x40) != 0; }
    std::uint8_t flags() const { return wire::load8(p_ + 1); } // F, and bits whose meaning the opcode decides
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
    bool has_lun() const {
        return is(mask_of(Opcode::scsi_command) | mask_of(Opcode::data_out) | mask_of(Opcode::data_in) |
                  mask_of(Opcode::r2t) | mask_of(Opcode::task_management_request) | mask_of(Opcode::nop_out) |
                  mask_of(Opcode::nop_in) | mask_of(Opcode::text_request) | mask_of(Opcode::text_response) |
                  mask_of(Opcode::snack_request) | mask_of(Opcode::async_message));
    }
    InitiatorTaskTag initiator_task_tag() const { return InitiatorTaskTag{u32(16)}; }
    bool has_initiator_task_tag() const {
        return is_known(opcode()) && opcode() != Opcode::async_message && opcode() != Opcode::reject;
    }

protected:
    // For fields of some opcodes: where they begin, 32 bits there, and whether the opcode is one of a set.
    const std::byte *at(std::size_t offset) const { return p_ + offset; }
    std::uint32_t u32(std::size_t offset) const { return wire::load32(p_ + offset); }
    static constexpr std::uint64_t mask_of(Opcode o) { return std::uint64_t{1} << static_cast<unsigned>(o); }
    bool is(std::uint64_t set) const { return (set & mask_of(opcode())) != 0; }

private:
    const std::byte *p_;
};

} // namespace iscsiscope
