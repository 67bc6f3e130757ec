// SPDX-License-Identifier: GPL-2.0-or-later
// What tasks amount to per second (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/figures/report.h"

namespace iscsiscope {

// Averages over a length of time. Empty where that length is not positive.
struct Rates {
    std::optional<double> throughput; // bytes that the tasks moved, per second
    std::optional<double> iops;       // tasks per second
};

Rates rates(std::uint64_t tasks, std::uint64_t bytes, std::optional<Duration> over);

// Of all tasks of one type, over Report::elapsed(): from the first command of any type to the last end,
// within the range. Empty without a task, or where all of that is one instant.
Rates rates(const Report &, TaskType);

// Tasks of one type in progress on average over Report::elapsed(), by Little's law: the sum of their
// response times over the time passed. Tasks without an answer are not in it.
std::optional<double> mean_outstanding(const Report &, TaskType);

} // namespace iscsiscope
