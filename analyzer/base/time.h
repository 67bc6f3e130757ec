// SPDX-License-Identifier: GPL-2.0-or-later
// Time and Duration: integer nanoseconds on the clock that stamped the capture's frames.
#pragma once

#include "analyzer/base/compact_optional.h"

#include <chrono>
#include <cstdint>

namespace iscsiscope {

// The clock that stamped the frames (Unix epoch, UTC). It has no now(): times come from frames.
struct CaptureClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<CaptureClock, duration>;
    static constexpr bool is_steady = false;
};

using Duration = CaptureClock::duration;
using Time = CaptureClock::time_point;

// Number of a frame in its file, from 1, as in Wireshark.
using FrameNumber = std::uint64_t;
using OptionalFrame = CompactOptional<FrameNumber>; // empty: there is no such frame

// Empty for 0, which means "no such frame" inside the engine.
constexpr OptionalFrame known_frame(FrameNumber f) {
    return f != 0 ? OptionalFrame(f) : std::nullopt;
}

constexpr void keep_earlier(OptionalFrame &first, OptionalFrame frame) {
    if (frame && (!first || *frame < *first))
        first = frame;
}

// Nanoseconds since the Unix epoch.
constexpr std::int64_t to_ns(Time t) {
    return t.time_since_epoch().count();
}
constexpr std::int64_t to_ns(Duration d) {
    return d.count();
}
constexpr Time time_from_ns(std::int64_t ns) {
    return Time{Duration{ns}};
}

} // namespace iscsiscope
