// SPDX-License-Identifier: GPL-2.0-or-later
// Sense data in fixed and descriptor format (SPC-4 section 4.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace iscsiscope {

struct SenseData {
    std::uint8_t key = 0;
    std::uint8_t asc = 0;  // additional sense code
    std::uint8_t ascq = 0; // its qualifier
    bool deferred = false; // belongs to an earlier command
    bool descriptor_format = false;
    std::optional<std::uint64_t> information; // the failing LBA, as a rule
};

// nullopt: not sense data, or too short to hold a key.
std::optional<SenseData> parse_sense(std::span<const std::byte> sense);

// The data segment of a SCSI Response: a two-byte SenseLength, the sense, response data (RFC 7143
// section 11.4.7). Gives the sense within it, cut to what is there.
std::span<const std::byte> sense_of_response(std::span<const std::byte> data_segment);

std::string_view sense_key_name(std::uint8_t key);                     // "MEDIUM ERROR"
std::string_view sense_code_name(std::uint8_t asc, std::uint8_t ascq); // "" if not a common one

} // namespace iscsiscope
