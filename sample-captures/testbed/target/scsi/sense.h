// SPDX-License-Identifier: GPL-2.0-or-later
// Sense data as this disk gives it (SPC-4 section 4.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope::testbed {

struct Sense {
    std::uint8_t key = 0;
    std::uint8_t asc = 0;
    std::uint8_t ascq = 0;
    std::optional<std::uint32_t> information{}; // MISCOMPARE: offset of the first byte that differs
};

namespace sense {
inline constexpr Sense no_sense{0x0, 0x00, 0x00};
inline constexpr Sense not_ready_stopped{0x2, 0x04, 0x02};        // initializing command required
inline constexpr Sense medium_error_read{0x3, 0x11, 0x00};        // unrecovered read error
inline constexpr Sense medium_error_write{0x3, 0x0c, 0x00};       // write error
inline constexpr Sense invalid_opcode{0x5, 0x20, 0x00};           //
inline constexpr Sense lba_out_of_range{0x5, 0x21, 0x00};         //
inline constexpr Sense invalid_field_in_cdb{0x5, 0x24, 0x00};     //
inline constexpr Sense no_such_lun{0x5, 0x25, 0x00};              //
inline constexpr Sense invalid_parameter{0x5, 0x26, 0x00};        //
inline constexpr Sense parameter_list_length{0x5, 0x1a, 0x00};    //
inline constexpr Sense invalid_information_unit{0x5, 0x0e, 0x03}; // data-out shorter than the CDB needs
inline constexpr Sense mode_parameters_changed{0x6, 0x2a, 0x01};
inline constexpr Sense reset_occurred{0x6, 0x29, 0x03};
inline constexpr Sense commands_cleared{0x6, 0x2f, 0x00};
inline constexpr Sense write_protected{0x7, 0x27, 0x02}; // logical unit software write protected
inline constexpr Sense medium_write_protected{0x7, 0x27, 0x00};
inline constexpr Sense miscompare{0xe, 0x1d, 0x00};
// RFC 7143 section 11.4.7.2.
inline constexpr Sense unexpected_unsolicited_data{0xb, 0x0c, 0x0c};
inline constexpr Sense incorrect_amount_of_data{0xb, 0x0c, 0x0d};
inline constexpr Sense protocol_service_crc_error{0xb, 0x47, 0x05};
} // namespace sense

// In fixed format (18 bytes) or, with D_SENSE, descriptor format.
std::vector<std::byte> encode_sense(const Sense &, bool descriptor_format);

} // namespace iscsiscope::testbed
