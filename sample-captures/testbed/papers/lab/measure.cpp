// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/lab/measure.h"

#include "analyzer/figures/read_report.h"

#include <algorithm>

namespace iscsiscope::testbed::papers {
namespace {

class Keeper final : public RecordSink {
public:
    explicit Keeper(Measured &into) : into_(into) {}
    void on_cycle(const CycleRecord &record) override {
        if (record.outcome == TaskOutcome::good && record.type != TaskType::control)
            (record.type == TaskType::read ? into_.reads : into_.writes).push_back(record);
    }
    void on_burst(const BurstRecord &record) override {
        if (record.burst > 0)
            into_.bursts.push_back(record);
    }
    void on_gap(const GapRecord &record) override { into_.gaps.push_back(record); }

private:
    Measured &into_;
};

} // namespace

Result<Measured> measure(const std::string &capture, Duration interval) {
    Measured measured;
    Keeper keeper(measured);
    ReportRequest request;
    request.files = {capture};
    request.interval = interval;
    request.more = {&keeper};
    auto read = read_report(request);
    if (!read.ok())
        return std::move(read.failure());
    measured.report = std::move(read.value());
    const auto by_start = [](const CycleRecord &a, const CycleRecord &b) { return a.start < b.start; };
    std::sort(measured.reads.begin(), measured.reads.end(), by_start);
    std::sort(measured.writes.begin(), measured.writes.end(), by_start);
    return measured;
}

Cycles without_first(const std::vector<CycleRecord> &all, std::size_t count) {
    return Cycles(all).subspan(std::min(count, all.size()));
}

CycleMeans means_of(Cycles cycles) {
    CycleMeans means;
    for (const CycleRecord &cycle : cycles) {
        if (!cycle.cycle_time || !cycle.idle)
            continue; // the last one has no next command
        ++means.count;
        means.cycle_s += seconds(*cycle.cycle_time);
        means.response_s += seconds(*cycle.response_time);
        means.idle_s += seconds(*cycle.idle);
        means.bytes += static_cast<double>(cycle.bytes_moved);
        means.gaps += cycle.idle_gaps;
    }
    const double n = static_cast<double>(std::max<std::size_t>(means.count, 1));
    for (double *sum : {&means.cycle_s, &means.response_s, &means.idle_s, &means.bytes, &means.gaps})
        *sum /= n;
    return means;
}

double median(std::vector<double> values) {
    if (values.empty())
        return 0;
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
}

double median_seconds(Cycles cycles, std::optional<Duration> CycleRecord::*figure) {
    std::vector<double> values;
    for (const CycleRecord &cycle : cycles)
        if (cycle.*figure)
            values.push_back(seconds(*(cycle.*figure)));
    return median(std::move(values));
}

double rate_between(Cycles cycles, Time from, Time until) {
    std::uint64_t bytes = 0;
    for (const CycleRecord &cycle : cycles)
        bytes += cycle.end >= from && cycle.end < until ? cycle.bytes_moved : 0;
    const double length = seconds(until - from);
    return length > 0 ? static_cast<double>(bytes) / length : 0;
}

Time first_start(Cycles cycles) {
    return cycles.empty() ? Time{} : cycles.front().start;
}

Time last_end(Cycles cycles) {
    Time last{};
    for (const CycleRecord &cycle : cycles)
        last = std::max(last, cycle.end);
    return last;
}

double rate_of(Cycles cycles) {
    return rate_between(cycles, first_start(cycles), last_end(cycles) + Duration{1});
}

double seconds(Duration d) {
    return static_cast<double>(d.count()) / 1e9;
}

double seconds_since(Time origin, Time t) {
    return seconds(t - origin);
}

} // namespace iscsiscope::testbed::papers
