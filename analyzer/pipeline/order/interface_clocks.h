// SPDX-License-Identifier: GPL-2.0-or-later
// InterfaceClocks: how far apart the clocks of a file's interfaces are, such as those of two ports of a tap
// that stamp in hardware. A file holds frames about in the order in which they passed, so that the least time
// from a frame of one interface to the next one of another is that of the path, and how far the other clock
// is ahead; the way back shows the same with the other sign (RFC 5905 section 8 measures clocks so).
//
// In: interface and stamp of the frames of a file, in its order. Out: how far each clock is ahead of that of
// the interface with the first frame, and how sure that is. Not stated: less than `least`, which
// SegmentOrder puts in order; of an interface with less than `enough` changes to and from the first one;
// where the two ways contradict each other, as where frames are late in the file; and where the time of the
// path is not short beside it.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/capture/bytes/unpack_bounds.h"
#include "analyzer/capture/frame.h"
#include "analyzer/pipeline/order/order_summary.h"
#include "analyzer/pipeline/order/segment_order.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

class InterfaceClocks {
public:
    static constexpr Duration least = SegmentOrder::longest_wait;
    static constexpr std::uint64_t enough = 8;                             // changes each way
    static constexpr Duration late_in_file = std::chrono::milliseconds(1); // several clocks' jitter
    static constexpr std::size_t frames_read = 4096;

    // Of the first frames of a regular file. Of one that cannot be read, nothing.
    static std::vector<InterfaceClock> of_file(const std::string &path, const UnpackBounds &);

    void add(const Frame &);
    // In the order of the interfaces.
    std::vector<InterfaceClock> apart() const;

private:
    struct Way {
        Duration least = Duration::max();
        std::uint64_t changes = 0;
        void add(Duration);
    };
    struct Ways {
        Way to, from; // the first interface → this one → the first one
    };
    std::optional<std::uint32_t> first_; // interface of the first frame
    std::uint32_t last_ = 0;             // interface of the frame before
    Time last_time_{};
    std::map<std::uint32_t, Ways> ways_;
};

} // namespace iscsiscope
