// SPDX-License-Identifier: GPL-2.0-or-later
// The additional sense codes and their qualifiers that T10 assigned, by the list of its web page
// (asc-num.txt, as of November 2024).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace iscsiscope {

struct SenseCode {
    std::uint8_t asc;
    std::uint8_t first, last; // qualifiers with this meaning; several where the qualifier is a number
    std::string_view name;
};
std::array<std::span<const SenseCode>, 2> sense_codes(); // sorted, in two parts

// "INVALID FIELD IN CDB"; "" for a code that T10 did not assign, those of vendors (80h and above) included.
std::string_view sense_code_name(std::uint8_t asc, std::uint8_t ascq);

namespace scsi_detail {
inline constexpr std::uint8_t first_high_code = 0x3a;
std::span<const SenseCode> sense_codes_low(), sense_codes_high(); // below it, and from it on
} // namespace scsi_detail

} // namespace iscsiscope
