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
    std::uint8_t asc = 0;   // additional sense code
    std::uint8_t ascq = 0;  // its qualifier
    bool code_known = true; // false: asc and ascq were sent but are cut in the capture
    bool deferred = false;  // belongs to an earlier command
    bool descriptor_format = false;
    std::optional<std::uint64_t> information; // usually the failing LBA
};

// Sense data as in records: key << 16 | ASC << 8 | ASCQ; if these are cut, key << 16 | sense_code_cut.
inline constexpr std::uint32_t sense_code_cut = std::uint32_t{1} << 24;
constexpr std::uint32_t packed(const SenseData &d) {
    const std::uint32_t key = std::uint32_t{d.key} << 16;
    return d.code_known ? key | std::uint32_t{d.asc} << 8 | d.ascq : key | sense_code_cut;
}
constexpr std::uint8_t sense_key_of(std::uint32_t packed_sense) {
    return static_cast<std::uint8_t>(packed_sense >> 16 & 0x0f);
}

// nullopt: not sense data, or too short to contain a key. `sent`: its length as sent, in bytes.
std::optional<SenseData> parse_sense(std::span<const std::byte> sense, std::size_t sent);
std::optional<SenseData> parse_sense(std::span<const std::byte> sense);

// The data segment of a SCSI Response is a two-byte SenseLength, sense data, and response data (RFC 7143
// section 11.4.7). Returns the sense data within it as far as it is known.
std::span<const std::byte> sense_of_response(std::span<const std::byte> data_segment);
// The same, parsed. `sent`: DataSegmentLength; data_segment may be shorter.
std::optional<SenseData> parse_response_sense(std::span<const std::byte> data_segment, std::size_t sent);

// What a device scan of a host gets from healthy targets.
enum class ScanSense : std::uint8_t {
    not_supported, // the target's answer to a command that it does not support
    // UNIT ATTENTION with POWER ON, RESET, OR BUS DEVICE RESET OCCURRED, which the first command of a new
    // session gets (SAM-5 section 5.14), or with REPORTED LUNS DATA HAS CHANGED, which leads to a new scan.
    first_contact,
};
// nullopt: a healthy target gives no such sense data to a scan.
constexpr std::optional<ScanSense> scan_sense(std::uint32_t packed_sense) {
    if (packed_sense == 0x052000 || packed_sense == 0x052400 || packed_sense == 0x052500)
        return ScanSense::not_supported;
    if (packed_sense >> 8 == 0x0629 || packed_sense == 0x063f0e)
        return ScanSense::first_contact;
    return std::nullopt;
}

std::string_view sense_key_name(std::uint8_t key); // "MEDIUM ERROR"

} // namespace iscsiscope
