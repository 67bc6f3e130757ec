// SPDX-License-Identifier: GPL-2.0-or-later
// Frame: one record of a capture file, not yet decoded. CaptureReader fills it.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace iscsiscope {

struct Frame {
    FrameNumber number = 0; // from 1, in file order
    Time time{};
    std::uint32_t link_type = 0;        // LINKTYPE_ value of the capturing interface
    std::uint32_t original_length = 0;  // bytes on the wire
    std::uint32_t interface = 0;        // that captured it: its place in CaptureInfo::interfaces
    std::span<const std::byte> bytes{}; // bytes in the file; valid until the next frame is read
};

// A hold on memory in which bytes of frames lie: they stay as they are while it exists, however many frames
// are read meanwhile. Holds of one reader are made, copied and destroyed by one thread at a time.
struct FrameHold {
    std::shared_ptr<const std::byte[]> memory;
    std::size_t size = 0; // bytes

    bool covers(std::span<const std::byte> bytes) const {
        return bytes.data() >= memory.get() && bytes.data() + bytes.size() <= memory.get() + size;
    }
};

} // namespace iscsiscope
