// SPDX-License-Identifier: GPL-2.0-or-later
// ForwardStep: whether a long time without a segment has passed, or the clock of the capture was set forward.
//
// In: the segments before that time, latest first, and earlier samples of timestamps; then the segments
// behind it. Out: a verdict. Nothing passed if the timestamps (RFC 7323) of both ends of a connection went on
// by less than half of that time, by the tick that they had before, or the longest one that the RFC allows;
// it passed as soon as those of one end did go on. Without timestamps it is not known, and then the time
// passed. Those of SYNs tell nothing: SYN cookies and devices in between make their own.
#pragma once

#include "analyzer/capture/segment.h"
#include "analyzer/pipeline/order/timestamp_samples.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

class ForwardStep {
public:
    // Shorter steps are not looked for: most pauses are that short.
    static constexpr Duration least = std::chrono::milliseconds(450);
    // RFC 7323 section 5.4: a tick lasts at most a second. Of a tick that is not known.
    static constexpr Duration longest_tick = std::chrono::seconds(1);
    static constexpr std::size_t looked_at = 256;   // segments behind it
    static constexpr std::int32_t enough_ticks = 2; // bound how long one is

    enum class Verdict : std::uint8_t { open, passed, stepped };

    // before, behind: the times around it; frame: the first one behind it.
    ForwardStep(Time before, Time behind, FrameNumber frame)
        : before_(before), behind_(behind), frame_(frame) {}

    void add_before(const Segment &);
    // Behind all add_before().
    void add_sample(const TimestampSamples::Sample &);
    Verdict judge(const Segment &behind);

    Time before() const { return before_; }
    Time behind() const { return behind_; }
    FrameNumber frame() const { return frame_; }

private:
    // The timestamps of one direction of a connection before it.
    struct Stamp {
        Endpoint source, destination;
        std::uint32_t value = 0, first_value = 0; // the latest, the earliest
        Time time{}, first_time{};
        bool stopped = false; // behind it they had not gone on

        Duration tick() const;
    };
    Stamp *stamp_of(const Endpoint &source, const Endpoint &destination);

    Time before_, behind_;
    FrameNumber frame_;
    std::vector<Stamp> stamps_;
    std::size_t seen_ = 0; // behind it
};

} // namespace iscsiscope
