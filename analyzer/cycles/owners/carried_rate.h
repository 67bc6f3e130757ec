// SPDX-License-Identifier: GPL-2.0-or-later
// CarriedRate: the highest rate at which one direction of a connection was seen to carry payload
// (docs/figures.md, "Whose time it is").
//
// In: the payload frames of the direction, each with the time since the payload frame before it. Out: the
// time that bytes need at that rate. A train is a series of frames that continue each other without an idle
// gap. The rate of a train is that of the bytes behind its first frame; a long train is divided into pieces
// of `enough` bytes. Pieces of more bytes replace those of less than half as many, since two frames may have
// waited together in a queue behind the path.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <cstdint>

namespace iscsiscope {

class CarriedRate {
public:
    static constexpr std::uint32_t enough = 64 * 1024; // bytes

    // A frame that continues the train.
    void add(std::uint32_t bytes, Duration spacing) {
        bytes_ += bytes;
        time_ += spacing;
        if (bytes_ >= enough)
            close();
    }
    // The train has ended, or a frame begins a new one.
    void close() {
        if (bytes_ != 0 && time_ > Duration{}) {
            const std::uint32_t size = std::min(bytes_, enough);
            const double rate = static_cast<double>(bytes_) / static_cast<double>(time_.count());
            if (size >= 2 * std::uint64_t{size_})
                rate_ = rate;
            else if (2 * std::uint64_t{size} > size_)
                rate_ = std::max(rate_, rate);
            size_ = std::max(size_, size);
        }
        bytes_ = 0;
        time_ = Duration{};
    }

    // The time that bytes need; zero while no rate of `enough` bytes is known.
    Duration time_of(std::uint64_t bytes) const {
        return size_ < enough ? Duration{}
                              : Duration{static_cast<std::int64_t>(static_cast<double>(bytes) / rate_)};
    }
    // The part of the spacing before a frame that bytes need, all of it while no rate is known. What the
    // bytes need beyond a spacing counts in the next ones of the run: frames may have waited together.
    Duration needed(std::uint32_t bytes, Duration spacing) {
        if (size_ == 0)
            return spacing;
        const Duration all = Duration{static_cast<std::int64_t>(static_cast<double>(bytes) / rate_)} + owed_;
        const Duration now = std::min(all, spacing);
        owed_ = all - now;
        return now;
    }
    // An idle gap has ended the run.
    void pause() {
        close();
        owed_ = Duration{};
    }

private:
    Duration owed_{};         // what the bytes of this run need beyond its spacings so far
    double rate_ = 0;         // bytes per nanosecond
    Duration time_{};         // of the piece under way
    std::uint32_t bytes_ = 0; // of the piece under way
    std::uint32_t size_ = 0;  // bytes of the largest piece, at most `enough`; 0: none yet
};

} // namespace iscsiscope
