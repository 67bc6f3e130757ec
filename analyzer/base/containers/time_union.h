// SPDX-License-Identifier: GPL-2.0-or-later
// TimeUnion: the length of the union of intervals of time, in bounded memory.
//
// In: intervals [from, to) in any order; those that do not follow each other in time come in where they
// belong. Out: length(), the nanoseconds that at least one interval covers, and sum(), their lengths added.
// State: disjoint stretches of time in order. While there are at most max_stretches, all are solid, that is,
// covered from end to end, and length() is exact. Beyond that, neighbours among the older three quarters are
// joined to stretches of which the covered length is known but not the places. An interval that covers such a
// stretch wholly makes it solid again. One that covers a part of it is counted as far as it must be new;
// uncertain() is how much more the union may cover. So length() stays exact for tasks that come in the order
// of their ends, however long each of them was open, but for the one stretch in which such a task begins.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <vector>

namespace iscsiscope {

class TimeUnion {
public:
    static constexpr std::size_t max_stretches = 512; // of 24 bytes each

    // No effect unless to > from.
    void add(Time from, Time to);

    Duration length() const;
    Duration uncertain() const { return uncertain_; }
    Duration sum() const { return sum_; }

private:
    struct Stretch {
        Time begin{}, end{};
        Duration covered{}; // less than end - begin: the places are not known

        bool solid() const { return covered == end - begin; }
    };
    void insert(Time from, Time to);
    void join_older();

    std::vector<Stretch> stretches_;
    Duration sum_{}, uncertain_{};
};

} // namespace iscsiscope
