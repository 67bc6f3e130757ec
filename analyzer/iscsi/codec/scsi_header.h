// SPDX-License-Identifier: GPL-2.0-or-later
// ScsiHeaderView: adds the fields of a SCSI task: its command, its data and its status (RFC 7143
// sections 11.3, 11.4, 11.7 and 11.8).
#pragma once

#include "analyzer/iscsi/codec/numbered_header.h"

namespace iscsiscope {

class ScsiHeaderView : public NumberedHeaderView {
public:
    using NumberedHeaderView::NumberedHeaderView;

    // SCSI Command.
    bool read_bit() const { return (flags() & 0x40) != 0; }  // R
    bool write_bit() const { return (flags() & 0x20) != 0; } // W
    std::uint32_t expected_data_transfer_length() const { return u32(20); }
    std::span<const std::byte, 16> cdb() const { return std::span<const std::byte, 16>(at(32), 16); }

    // Data-Out, Data-In and R2T: which part of the task's data, in bytes.
    std::uint32_t buffer_offset() const { return u32(40); }
    bool has_buffer_offset() const {
        return is(mask_of(Opcode::data_in) | mask_of(Opcode::data_out) | mask_of(Opcode::r2t));
    }
    std::uint32_t desired_data_transfer_length() const { return u32(44); } // R2T
    bool acknowledge_bit() const { return (flags() & 0x40) != 0; }         // A of Data-In

    // SCSI Response, and Data-In with S.
    std::uint8_t status() const { return wire::load8(at(3)); }
    // True if the PDU ends a task with a status.
    bool has_status() const {
        return opcode() == Opcode::scsi_response || (opcode() == Opcode::data_in && status_bit());
    }
    bool underflow_bit() const { return (flags() & 0x02) != 0; }
    bool overflow_bit() const { return (flags() & 0x04) != 0; }
    std::uint32_t residual_count() const { return u32(44); }
    bool has_residual_count() const { return has_status() && (underflow_bit() || overflow_bit()); }
    std::uint32_t bidirectional_residual_count() const { return u32(40); }
};

} // namespace iscsiscope
