// SPDX-License-Identifier: GPL-2.0-or-later
// Throughput, IOPS and tasks in progress (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/figures/report.h"

namespace iscsiscope {

// Averages over a length of time; empty if that length is not positive.
struct Rates {
    std::optional<double> throughput; // bytes that the tasks moved, per second
    std::optional<double> iops;       // tasks per second
};

Rates rates(std::uint64_t tasks, std::uint64_t bytes, std::optional<Duration> over);

// Returns the rates of all tasks of one type over Report::elapsed(), that is, from the first command of any
// type to the last end, within the range. Empty without a task, or if that time is zero.
Rates rates(const Report &, TaskType);

// Returns the mean number of tasks of one type in progress over Report::elapsed(), by Little's law: the sum
// of their response times over that time. Tasks without an answer are not counted.
std::optional<double> mean_outstanding(const Report &, TaskType);

} // namespace iscsiscope
