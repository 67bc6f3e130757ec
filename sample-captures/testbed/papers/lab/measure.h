// SPDX-License-Identifier: GPL-2.0-or-later
// A capture through the analyzer's engine: the records a study needs, and the whole report. No figure
// of a page is measured anywhere else.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/figures/report.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::papers {

struct Measured {
    Report report;
    std::vector<CycleRecord> reads, writes; // in order of start
    std::vector<BurstRecord> bursts;        // solicited ones
    std::vector<GapRecord> gaps;
};

// A sentence where the capture cannot be read. interval: T_m of the throughput by connection.
Result<Measured> measure(const std::string &capture, Duration interval);

using Cycles = std::span<const CycleRecord>;

// Without the first `count`: while the congestion window grows nothing is typical yet.
Cycles without_first(const std::vector<CycleRecord> &, std::size_t count);

struct CycleMeans {
    std::size_t count = 0;
    double cycle_s = 0, response_s = 0, idle_s = 0; // means, seconds
    double bytes = 0;                               // mean
    double gaps = 0;                                // idle gaps in a cycle, mean
    double idle_share() const { return cycle_s > 0 ? idle_s / cycle_s : 0; }
    // Of one command at a time.
    double bytes_per_second() const { return cycle_s > 0 ? bytes / cycle_s : 0; }
};
CycleMeans means_of(Cycles);

// Median of one figure over cycles, seconds; 0 without one.
double median_seconds(Cycles, std::optional<Duration> CycleRecord::*figure);
double median(std::vector<double>);

// Bytes of tasks that ended in [from, until) over its length, bytes a second.
double rate_between(Cycles, Time from, Time until);
// Over the whole of them: first start to last end.
double rate_of(Cycles);
Time first_start(Cycles);
Time last_end(Cycles);

double seconds(Duration);
double seconds_since(Time origin, Time);

} // namespace iscsiscope::testbed::papers
