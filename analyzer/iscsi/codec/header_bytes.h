// SPDX-License-Identifier: GPL-2.0-or-later
// HeaderBytes: the 48 bytes of a basic header segment, and the size limits of a PDU's parts in bytes.
#pragma once

#include "analyzer/base/crc32c/crc32c.h"

#include <array>
#include <cstddef>

namespace iscsiscope {

inline constexpr std::size_t basic_header_size = 48; // RFC 7143 section 11.2.1
inline constexpr std::size_t max_data_segment_length = (std::size_t{1} << 24) - 1;
inline constexpr std::size_t max_ahs_length = 255 * 4; // TotalAHSLength is one byte, in four-byte words

using HeaderBytes = std::array<std::byte, basic_header_size>;

// Segments of a PDU are padded to four bytes (RFC 7143 section 11.1).
constexpr std::size_t padded(std::size_t length) {
    return (length + 3) & ~std::size_t{3};
}

} // namespace iscsiscope
