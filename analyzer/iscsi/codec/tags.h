// SPDX-License-Identifier: GPL-2.0-or-later
// Identifiers of RFC 7143 as distinct types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

enum class InitiatorTaskTag : std::uint32_t { reserved = 0xffffffff };
enum class TargetTransferTag : std::uint32_t { reserved = 0xffffffff };

// The eight bytes of a LUN field, big-endian, undecoded; scsi/lun.h decodes it.
enum class Lun : std::uint64_t {};

using Isid = std::array<std::byte, 6>;

} // namespace iscsiscope
