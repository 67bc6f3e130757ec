// SPDX-License-Identifier: GPL-2.0-or-later
// Operation codes of RFC 7143 section 11.2.1.2.
#pragma once

#include <cstdint>
#include <string_view>

namespace iscsiscope {

enum class Opcode : std::uint8_t {
    nop_out = 0x00,
    scsi_command = 0x01,
    task_management_request = 0x02,
    login_request = 0x03,
    text_request = 0x04,
    data_out = 0x05,
    logout_request = 0x06,
    snack_request = 0x10,
    nop_in = 0x20,
    scsi_response = 0x21,
    task_management_response = 0x22,
    login_response = 0x23,
    text_response = 0x24,
    data_in = 0x25,
    logout_response = 0x26,
    r2t = 0x31,
    async_message = 0x32,
    reject = 0x3f,
};

// The PDU's name as RFC 7143 writes it ("SCSI Command", "Data-In", "R2T"); "unknown" for a value
// that is none of the above.
std::string_view name(Opcode);

// True if an initiator sends the opcode. Defined for any six-bit value, known or not.
constexpr bool is_request(Opcode o) {
    return static_cast<std::uint8_t>(o) < 0x20;
}

// True for the enumerators; false for vendor-specific and unassigned codes.
constexpr bool is_known(Opcode o) {
    const auto v = static_cast<std::uint8_t>(o);
    return v <= 0x06 || v == 0x10 || (v >= 0x20 && v <= 0x26) || v == 0x31 || v == 0x32 || v == 0x3f;
}

} // namespace iscsiscope
