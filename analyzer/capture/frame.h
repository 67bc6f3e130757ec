// SPDX-License-Identifier: GPL-2.0-or-later
// Frame: one record of a capture file, not yet decoded. CaptureReader fills it.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace iscsiscope {

struct Frame {
    FrameNumber number = 0; // from 1, in file order
    Time time{};
    std::uint32_t link_type = 0;        // LINKTYPE_ value of the capturing interface
    std::uint32_t original_length = 0;  // bytes on the wire
    std::span<const std::byte> bytes{}; // bytes in the file; valid until the next frame is read
};

} // namespace iscsiscope
