// SPDX-License-Identifier: GPL-2.0-or-later
// UnpackBounds: how much a compressed capture may unpack to, and how long that may take. A small file can
// stand for terabytes; memory does not grow with them, but the time does.
#pragma once

#include "analyzer/base/time.h"

namespace iscsiscope {

struct UnpackBounds {
    // Unpacked bytes for one compressed byte. Reads of zeros reach 4,200 (zstd -19, segments of 64 KiB).
    double ratio = 10'000;
    std::uint64_t free_bytes = 256ULL << 20; // the ratio counts only above so many unpacked bytes
    Duration time = std::chrono::hours{1};   // spent by the unpacking alone, on the wall clock
};

// The bound that ended the unpacking before the end of the file.
enum class UnpackBound : std::uint8_t { none, ratio, time };

} // namespace iscsiscope
