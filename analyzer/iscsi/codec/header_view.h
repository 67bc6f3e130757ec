// SPDX-License-Identifier: GPL-2.0-or-later
// HeaderView: reads the fields of a basic header segment of 48 bytes in place (RFC 7143 section 11). Each
// base adds a group of fields: BasicHeaderView what all PDUs have, NumberedHeaderView the sequence numbers,
// ScsiHeaderView command, data and status; here are those of the other PDUs.
// Accessors read the field's offset for any opcode; the has_... predicates return whether the opcode has the
// field. A view is a pointer: pass it by value; the bytes must outlive it.
#pragma once

#include "analyzer/iscsi/codec/scsi_header.h"

namespace iscsiscope {

class HeaderView : public ScsiHeaderView {
public:
    using ScsiHeaderView::ScsiHeaderView;

    // Of many PDUs (sections 11.7, 11.8, 11.10, 11.11, 11.18, 11.19). In a SNACK Request (11.16) the field is
    // a Target Transfer Tag or a SNACK Tag.
    TargetTransferTag target_transfer_tag() const { return TargetTransferTag{u32(20)}; }
    bool has_target_transfer_tag() const {
        return is(mask_of(Opcode::nop_out) | mask_of(Opcode::nop_in) | mask_of(Opcode::data_out) |
                  mask_of(Opcode::data_in) | mask_of(Opcode::r2t) | mask_of(Opcode::text_request) |
                  mask_of(Opcode::text_response) | mask_of(Opcode::snack_request));
    }
    // Byte 2: SCSI Response, Task Management Response, Logout Response (response), Reject (reason).
    std::uint8_t response() const { return wire::load8(at(2)); }

    // Task Management Request (section 11.5); function is the reason of a Logout Request (11.14) as well.
    std::uint8_t function() const { return flags() & 0x7f; }
    InitiatorTaskTag referenced_task_tag() const { return InitiatorTaskTag{u32(20)}; }

    // Login, Text and Logout (sections 11.10 to 11.15).
    bool continue_bit() const { return (flags() & 0x40) != 0; } // C of Login and Text
    std::uint16_t tsih() const { return wire::load16(at(14)); } // Login
    std::uint16_t cid() const { return wire::load16(at(20)); }  // Login Request, Logout Request
    std::uint8_t login_status_class() const { return wire::load8(at(36)); }
    std::uint8_t login_status_detail() const { return wire::load8(at(37)); }
};

} // namespace iscsiscope
