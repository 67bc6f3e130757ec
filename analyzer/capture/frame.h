// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace iscsiscope {

// One record of a capture file, undecoded.
struct Frame {
    FrameNumber number = 0;
    Time time{};
    std::uint32_t link_type = 0;        // LINKTYPE_ value of the interface it came from
    std::uint32_t original_length = 0;  // bytes that passed
    std::span<const std::byte> bytes{}; // bytes in the file; valid until the next frame is read
};

} // namespace iscsiscope
