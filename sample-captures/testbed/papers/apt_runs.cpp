// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/apt_runs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {
namespace {

std::string quoted(const std::string &text) {
    return "\"" + text + "\"";
}

// The schedule for the link, and the changes reported to the tuner (one T_m later, as in the paper).
void add_schedule(const AptRequest &request, std::vector<Setting> &settings) {
    if (request.schedule.empty())
        return;
    std::string steps, changes;
    double before = 0;
    for (const RateStep &step : request.schedule) {
        steps += fmt::format("{}{{ at = \"{:.0f}ms\", rate = \"{:.0f}kbit/s\" }}", steps.empty() ? "" : ", ",
                             step.at_s * 1e3, step.mbit * 1e3);
        if (step.at_s > 0) {
            changes += fmt::format("{}\"{:.0f}ms:{}\"", changes.empty() ? "" : ", ", step.at_s * 1e3,
                                   step.mbit > before ? "rise" : "fall");
        }
        before = step.mbit;
    }
    settings.push_back(
        {"link.path.backward", fmt::format("{{ schedule = [{}], queue_packets = 50 }}", steps)});
    if (request.tuned && !changes.empty())
        settings.push_back({"program.reader.options.apt-change", "[" + changes + "]"});
}

std::vector<Setting> settings_of(const AptRequest &request) {
    std::vector<Setting> settings = {
        {"seed", fmt::format("{}", request.seed)},
        {"link.path.delay", fmt::format("{:.0f}us", request.rtt_ms * 500)},
        {"host.initiator.window_clamp", quoted(fmt::format("{}KiB", request.window_kib))},
        {"program.reader.options.block", quoted(fmt::format("{}KiB", request.block_kib))},
        {"program.reader.options.connections", fmt::format("{}", request.connections)},
        {"program.reader.options.duration", quoted(fmt::format("{:.0f}ms", request.seconds * 1e3))},
    };
    if (!request.service.empty())
        settings.push_back({"program.target.options.lun", quoted("ram:256MiB,service=" + request.service)});
    if (request.tuned) {
        const std::string apt = "program.reader.options.apt";
        settings.push_back({apt, "true"});
        settings.push_back({apt + "-tm", quoted(fmt::format("{:.0f}ms", request.tm_s * 1e3))});
        settings.push_back({apt + "-samples", fmt::format("{}", request.samples)});
        settings.push_back({apt + "-margin", fmt::format("{}", request.margin)});
        if (request.textbook_left)
            settings.push_back({apt + "-left", quoted("golden")});
    }
    add_schedule(request, settings);
    return settings;
}

void read_tuner(const RunLog &log, AptRun &run) {
    run.tuner = log.tuner;
    for (const TunerRow &row : log.tuner) {
        const double at = static_cast<double>(row.time_ns - to_ns(run.begin)) / 1e9;
        if (run.chosen_over_time.empty())
            run.chosen_over_time.emplace_back(0, row.connections);
        run.chosen_over_time.emplace_back(at, row.next);
        if (row.settled && run.settled_s < 0) {
            run.settled_s = at;
            run.settled_n = row.next;
        }
        run.last_n = row.next;
    }
}

void read_sessions(const Measured &measured, AptRun &run) {
    if (!measured.report.session_figures || measured.report.session_figures->throughput.empty())
        return;
    const ThroughputFigures &figures = measured.report.session_figures->throughput.front();
    const double interval = papers::seconds(figures.interval);
    for (const ThroughputRow &row : figures.rows) {
        const double middle = (static_cast<double>(row.interval) + 0.5) * interval;
        run.n_over_time.emplace_back(middle, static_cast<double>(row.rate.members));
        run.rate_over_time.emplace_back(middle, row.rate.sum / 1e6);
        run.deviation_over_time.emplace_back(middle, row.rate.deviation * 8 / 1e6);
    }
    const std::size_t rows = figures.rows.size();
    // A T_m in which N changed gives no information on how connections share.
    const std::size_t settled = static_cast<std::size_t>(std::max(run.settled_s, 0.0) / interval) + 1;
    const std::size_t from = run.settled_s < 0 ? rows - rows / 4 : std::min(settled, rows);
    for (std::size_t i = 0; i < figures.streams.size() && from < rows; ++i) {
        double bytes = 0;
        for (std::size_t row = from; row < rows; ++row)
            bytes += static_cast<double>(figures.rows[row].bytes[i]);
        run.rate_by_connection.emplace_back(static_cast<double>(i + 1),
                                            bytes * 8 / 1e6 / (interval * static_cast<double>(rows - from)));
        for (const TcpDirectionRow &tcp : measured.report.tcp) {
            if (tcp.figures.stream == figures.streams[i] && tcp.direction == PduDirection::to_initiator &&
                tcp.figures.median_cwnd) {
                run.cwnd_by_connection.emplace_back(static_cast<double>(i + 1),
                                                    static_cast<double>(*tcp.figures.median_cwnd) / 1e3);
            }
        }
    }
}

} // namespace

double AptRun::rate(double from_s, double until_s) const {
    const auto at = [this](double s) { return begin + Duration(static_cast<std::int64_t>(s * 1e9)); };
    return rate_between(reads, at(from_s), at(until_s));
}

AptRun run_apt(Lab &lab, const AptRequest &request) {
    // Late packets lengthen the round trip, and with it what each connection carries.
    const Run &made = lab.run(
        {request.label, "papers/apt", settings_of(request), std::chrono::milliseconds{1}, request.attempts});
    const Measured measured =
        lab.measure(made, "initiator", Duration(static_cast<std::int64_t>(request.tm_s * 1e9)));
    lab.forget(made);
    AptRun run;
    run.valid = made.log.valid;
    run.reads = measured.reads;
    run.begin = first_start(measured.reads);
    read_tuner(made.log, run);
    read_sessions(measured, run);
    for (const CycleRecord &read : measured.reads)
        run.read_times.emplace_back(seconds_since(run.begin, read.end), papers::seconds(*read.response_time));
    return run;
}

bool FixedRate::valid() const {
    return std::any_of(
        runs.begin(), runs.end(), [](const One &one) { return one.valid; });
}

namespace {

double median_of(const FixedRate &rate, double FixedRate::One::*figure) {
    std::vector<double> values;
    for (const FixedRate::One &one : rate.runs)
        if (one.valid || !rate.valid())
            values.push_back(one.*figure);
    return median(std::move(values));
}

} // namespace

double FixedRate::by_time() const {
    return median_of(*this, &One::by_time);
}
double FixedRate::by_chunk() const {
    return median_of(*this, &One::by_chunk);
}

FixedRate::One run_fixed(Lab &lab, unsigned connections, double seconds, std::size_t chunk, unsigned seed,
                         unsigned attempts) {
    AptRequest request;
    request.label = fmt::format("N = {} fixed", connections);
    request.connections = connections;
    request.seconds = seconds;
    request.seed = seed;
    request.attempts = attempts;
    const AptRun run = run_apt(lab, request);
    FixedRate::One rate;
    rate.valid = run.valid;
    rate.by_time = run.rate(1, seconds);
    for (double from = 1; from + search_time_s <= seconds + 1e-6; from += search_time_s)
        rate.by_tm.push_back(run.rate(from, from + search_time_s));
    // A chunk as the paper has it: so many Reads, from the first to the end of the last.
    const Cycles all(run.reads);
    const std::size_t skip = all.size() / 4;
    if (all.size() >= skip + chunk) {
        const Cycles part = all.subspan(skip, chunk);
        double bytes = 0;
        for (const CycleRecord &read : part)
            bytes += static_cast<double>(read.bytes_moved);
        rate.by_chunk = bytes / papers::seconds(last_end(part) - first_start(part));
    }
    return rate;
}

} // namespace iscsiscope::testbed::papers
