// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iscsiscope::crc32c_detail {

// The processor's own CRC32C; update is null where it has none. update works on the register as it
// is, without the inversions at start and end.
struct Hardware {
    std::uint32_t (*update)(std::uint32_t crc, const std::byte *p, std::size_t length) = nullptr;
    std::string_view name;
};

Hardware find_hardware();

} // namespace iscsiscope::crc32c_detail
