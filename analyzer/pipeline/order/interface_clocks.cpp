// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/order/interface_clocks.h"

#include "analyzer/capture/files/capture_reader.h"

#include <algorithm>

namespace iscsiscope {

void InterfaceClocks::Way::add(Duration d) {
    least = std::min(least, d);
    ++changes;
}

void InterfaceClocks::add(const Frame &frame) {
    if (!first_) {
        first_ = frame.interface;
    } else if (frame.interface != last_) {
        const Duration passed = frame.time - last_time_;
        if (last_ == *first_)
            ways_[frame.interface].to.add(passed);
        else if (frame.interface == *first_)
            ways_[last_].from.add(passed);
    }
    last_ = frame.interface;
    last_time_ = frame.time;
}

std::vector<InterfaceClock> InterfaceClocks::apart() const {
    constexpr Duration finest = std::chrono::microseconds(1); // most stamps are no finer
    std::vector<InterfaceClock> all;
    for (const auto &[interface, ways] : ways_) {
        if (std::min(ways.to.changes, ways.from.changes) < enough)
            continue;
        const Duration ahead = (ways.to.least - ways.from.least) / 2;
        const Duration path = ways.to.least + ways.from.least;
        if (std::chrono::abs(ahead) >= least && path >= -late_in_file && path * 4 <= std::chrono::abs(ahead))
            all.push_back({interface, *first_, ahead,
                           path < Duration{} ? late_in_file : std::max<Duration>(path / 2, finest)});
    }
    return all;
}

std::vector<InterfaceClock> InterfaceClocks::of_file(const std::string &path, const UnpackBounds &bounds) {
    IgnoredAnomalies ignored; // anomalies are reported when the file is read
    const auto opened = CaptureReader::open(path, ignored, bounds);
    if (!opened.ok() || !opened.value()->file_size())
        return {};
    CaptureReader &reader = *opened.value();
    constexpr std::size_t soon = 256; // frames, before which files describe their interfaces
    InterfaceClocks clocks;
    Frame frame;
    for (std::size_t n = 0; n < frames_read && reader.next(frame); ++n) {
        if (n == soon && reader.info().interfaces.size() < 2)
            return {};
        clocks.add(frame);
    }
    return clocks.apart();
}

} // namespace iscsiscope
