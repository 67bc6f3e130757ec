// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iscsiscope::crc32c_detail {

// The processor's CRC32C instruction. `update` is null if it has none; it works on the raw register, without
// the inversions at start and end.
struct Hardware {
    std::uint32_t (*update)(std::uint32_t crc, const std::byte *p, std::size_t length) = nullptr;
    std::string_view name;
};

Hardware find_hardware();

} // namespace iscsiscope::crc32c_detail
