// SPDX-License-Identifier: GPL-2.0-or-later
// Course: when the time that it sums was spent. Bins of one width, multiples of it since the epoch; only
// those in which there is time are kept, and the width doubles when they become too many. A bin knows when
// the first part in it began and the last one ended, so that what begins or ends in it is dated to its
// packet.
#pragma once

#include "analyzer/base/time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iscsiscope {

struct CourseBin {
    std::int64_t number = 0; // it begins this many widths after the epoch
    Duration time{};         // spent in it; more than its width where parts overlap
    Time first{}, last{};    // within it: begin of the first part, end of the last one
    FrameNumber frame = 0;   // of the part that begins first, as add() was given it; 0: not known
    std::uint64_t count = 0; // parts that begin in it
};

class Course {
public:
    static constexpr std::size_t usual_bins = 128;

    Course() = default;
    explicit Course(std::size_t max_bins) : max_bins_(max_bins) {}

    // Adds a part. Parts may overlap and come in any order.
    void add(Time start, Duration length, FrameNumber frame = 0);
    // Adds a value at a time: all of it belongs to the bin of that time.
    void add_value(Time at, Duration value, FrameNumber frame = 0);
    void merge(const Course &);
    // Makes bins at least so wide.
    void widen(Duration width);

    bool empty() const { return bins_.empty(); }
    Duration width() const { return width_; }                 // 1 ms and more, a power of two of it
    std::span<const CourseBin> bins() const { return bins_; } // by number, each with time in it
    Duration time() const;                                    // of all

private:
    void put(const CourseBin &);
    void halve();
    std::int64_t number_of(Time) const;

    std::size_t max_bins_ = usual_bins;
    Duration width_ = std::chrono::milliseconds(1);
    std::vector<CourseBin> bins_;
};

} // namespace iscsiscope
