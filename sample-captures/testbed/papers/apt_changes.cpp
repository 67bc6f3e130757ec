// SPDX-License-Identifier: GPL-2.0-or-later
// Study 4, second part: the bandwidth changes, and variants of the tuner and of the load.
#include "sample-captures/testbed/papers/apt_study.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {

// Up and down by half: the tuner is told, and must find the new best.
void AptStudy::steps() {
    const double step = quick_ ? 5 : 11;
    AptRequest request = tuned("APT, 100 → 50 → 100 Mbit/s", 3 * step);
    request.schedule = {{0, 100}, {step, 50}, {2 * step, 100}};
    request.samples = 1;
    request.tm_s = quick_ ? 0.4 : 0.5;
    const AptRun run = run_apt(lab_, request);
    std::array<double, 3> rates{};
    std::array<double, 3> ns{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double until = static_cast<double>(i + 1) * step;
        rates[i] = run.rate(until - step / 4, until - 0.2);
        for (const auto &[at, n] : run.chosen_over_time) {
            ns[i] = at < until ? n : ns[i];
        }
    }
    const bool follows =
        rates[0] > 0.93 * capacity && rates[1] > 0.93 * capacity / 2 && rates[2] > 0.93 * capacity;
    page_.claims.push_back({"follows", "APT follows steps of the bandwidth, down and up.",
                            "after steps about 20 s", "",
                            fmt::format("N {:.0f} → {:.0f} → {:.0f}; {:.0f}, {:.0f} and {:.0f} % of the "
                                        "link's payload rate at the end of each step",
                                        ns[0], ns[1], ns[2], 100 * rates[0] / capacity,
                                        200 * rates[1] / capacity, 100 * rates[2] / capacity),
                            judged(follows && ns[1] < ns[0] && ns[2] > ns[1], follows),
                            fmt::format("the change was told to the tuner, one T_m late, as in the paper.{}",
                                        run.valid ? "" : " The run is not valid.")});
    page_.blocks.emplace_back(Heading{"Steps of the bandwidth: 100, 50, 100 Mbit/s"});
    page_.blocks.emplace_back(
        Plot{"N over time",
             "time since the first command, s",
             "connections",
             {{"connections with a Read", Source::measured, run.n_over_time, 0, false, false, true}},
             false,
             false,
             {},
             {},
             {}});
    page_.blocks.emplace_back(Plot{"Throughput over time",
                                   "time since the first command, s",
                                   "throughput, MB/s",
                                   {{"link",
                                     Source::model,
                                     {{0, capacity / 1e6},
                                      {step, capacity / 2e6},
                                      {2 * step, capacity / 1e6},
                                      {3 * step, capacity / 1e6}},
                                     7,
                                     false,
                                     true,
                                     true},
                                    {"session", Source::measured, run.rate_over_time, 0, false, true, true}},
                                   false,
                                   false,
                                   {},
                                   {},
                                   {}});
}

namespace {

double share_up_to(const AptRun &run, double from_s, double low, double high) {
    double count = 0;
    double all = 0;
    for (const auto &[at, time] : run.read_times) {
        if (at >= from_s) {
            all += 1;
            count += time > low && time <= high ? 1 : 0;
        }
    }
    return all > 0 ? 100 * count / all : 0;
}

} // namespace

// The paper's changing bandwidth, and N fixed at what APT finds first.
void AptStudy::schedule() {
    const double step = quick_ ? 4 : 6;
    AptRequest request = tuned("APT under a bandwidth schedule", 7 * step);
    request.rtt_ms = 34;
    request.window_kib = 32;
    request.tm_s = quick_ ? 0.4 : 0.5;
    request.samples = 1;
    const std::array<double, 7> rates{100, 85, 70, 55, 70, 85, 100};
    for (std::size_t i = 0; i < (quick_ ? 3 : rates.size()); ++i) {
        request.schedule.push_back({static_cast<double>(i) * step, rates[i]});
    }
    request.seconds = static_cast<double>(request.schedule.size()) * step;
    const AptRun apt = run_apt(lab_, request);
    request.tuned = false;
    request.connections = apt.settled_n > 0 ? apt.settled_n : 20;
    request.label = fmt::format("N = {} fixed under a bandwidth schedule", request.connections);
    const AptRun fixed = run_apt(lab_, request);
    const auto received = [](const AptRun &run) {
        Points points;
        double sum = 0;
        std::vector<std::pair<double, double>> ends;
        for (const CycleRecord &read : run.reads) {
            ends.emplace_back(seconds_since(run.begin, read.end),
                              static_cast<double>(read.bytes_moved) / 1e6);
        }
        std::sort(ends.begin(), ends.end());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            sum += ends[i].second;
            if (i % 50 == 0 || i + 1 == ends.size()) {
                points.emplace_back(ends[i].first, sum);
            }
        }
        return points;
    };
    const Points apt_received = received(apt);
    const Points fixed_received = received(fixed);
    const double gain = apt_received.empty() || fixed_received.empty()
                            ? 0
                            : apt_received.back().second / fixed_received.back().second;
    const std::string note = apt.valid && fixed.valid ? "" : " A run is not valid.";
    page_.claims.push_back({"received",
                            "Under changing bandwidth APT receives more than N fixed at its first optimum.",
                            fmt::format("{} times by 700 s", paper_.value("received_gain")), "",
                            fmt::format("{:.3f} times N = {} fixed", gain, request.connections),
                            judged(gain >= 1.03, gain >= 1.0),
                            fmt::format("a kernel with SACK keeps the link full at any N beyond the knee, so "
                                        "there is little to gain; the tuner's search costs a little.{}",
                                        note)});
    const double half = request.seconds / 2;
    // The paper's classes, scaled by what a Read takes on the average: N PDUs at the link's rate.
    const double ours = request.connections * 65536 / capacity;
    const double theirs = 29 * 1048576 / 125e6;
    const std::array<double, 5> edges{0.35, 0.70, 1.40, 2.00, 1e9};
    Table table{fmt::format("Read times in the second half, %; classes of the paper times {:.2f} (N PDUs at "
                            "the link's rate: {:.3f} s here, {:.3f} s there)",
                            ours / theirs, ours, theirs),
                {"Read time up to, s", "fixed published", "fixed measured", "APT published", "APT measured"},
                {}};
    double low = 0;
    std::array<double, 2> fast{};
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const double high = edges[i] * ours / theirs;
        const double key = i + 1 == edges.size() ? 0 : edges[i];
        const double f = share_up_to(fixed, half, low, high);
        const double a = share_up_to(apt, half, low, high);
        fast = i == 0 ? std::array<double, 2>{f, a} : fast;
        table.rows.push_back(
            {i + 1 == edges.size() ? "above" : fmt::format("{:.3f}", high),
             fmt::format("{:.1f}", paper_.at("read_times_fixed", key)), fmt::format("{:.1f}", f),
             fmt::format("{:.1f}", paper_.at("read_times_apt", key)), fmt::format("{:.1f}", a)});
        low = high;
    }
    page_.claims.push_back(
        {"read-times", "With APT more Reads are fast: the share of the first class grows.",
         "8.6 → 34.0 % up to 0.35 s", "", fmt::format("{:.1f} → {:.1f} %", fast[0], fast[1]),
         judged(fast[1] > fast[0] + 10, fast[1] > fast[0]), "classes scaled as the table says." + note});
    const auto mean_deviation = [](const AptRun &run) {
        double sum = 0;
        for (const auto &[at, d] : run.deviation_over_time) {
            sum += d;
        }
        return run.deviation_over_time.empty() ? 0
                                               : sum / static_cast<double>(run.deviation_over_time.size());
    };
    const double apt_deviation = mean_deviation(apt);
    const double fixed_deviation = mean_deviation(fixed);
    page_.claims.push_back(
        {"deviation", "The deviation of the connections' throughputs is larger with APT but steadier.",
         "larger, steadier", "",
         fmt::format("mean {:.2f} Mbit/s with APT, {:.2f} fixed", apt_deviation, fixed_deviation),
         judged(apt_deviation > fixed_deviation * 1.1, apt_deviation > fixed_deviation),
         "population standard deviation by T_m, the analyzer's." + note});
    page_.blocks.emplace_back(Heading{"A bandwidth schedule, RTT 34 ms"});
    page_.blocks.emplace_back(Plot{"N over time",
                                   "time since the first command, s",
                                   "connections",
                                   {{"APT", Source::measured, apt.n_over_time, 0, false, false, true},
                                    {"fixed", Source::measured, fixed.n_over_time, 1, false, true, true}},
                                   false,
                                   false,
                                   {},
                                   {},
                                   {}});
    Curve link{"link", Source::model, {}, 7, false, true, true};
    for (const RateStep &s : request.schedule) {
        link.points.emplace_back(s.at_s, s.mbit / 100 * capacity / 1e6);
    }
    link.points.emplace_back(request.seconds, link.points.back().second);
    page_.blocks.emplace_back(Plot{"Throughput over time",
                                   "time since the first command, s",
                                   "throughput, MB/s",
                                   {link,
                                    {"APT", Source::measured, apt.rate_over_time, 0, false, true, true},
                                    {"fixed", Source::measured, fixed.rate_over_time, 1, false, true, true}},
                                   false,
                                   false,
                                   {},
                                   {},
                                   {}});
    page_.blocks.emplace_back(Plot{"Received data",
                                   "time since the first command, s",
                                   "received, MB",
                                   {{"APT", Source::measured, apt_received, 0, false, true, false},
                                    {"fixed", Source::measured, fixed_received, 1, false, true, false}},
                                   false,
                                   false,
                                   {},
                                   {},
                                   {}});
    page_.blocks.emplace_back(
        Plot{"Throughput deviation of the connections",
             "time since the first command, s",
             "deviation, Mbit/s",
             {{"APT", Source::measured, apt.deviation_over_time, 0, false, true, true},
              {"fixed", Source::measured, fixed.deviation_over_time, 1, false, true, true}},
             false,
             false,
             {},
             {},
             {}});
    page_.blocks.emplace_back(table);
    reads_of(apt, "Read times with APT under the schedule");
    reads_of(fixed, "Read times with N fixed under the schedule");
}

void AptStudy::reads_of(const AptRun &run, const std::string &title) {
    Points some;
    const std::size_t every = std::max<std::size_t>(run.read_times.size() / 2500, 1);
    for (std::size_t i = 0; i < run.read_times.size(); i += every) {
        some.push_back(run.read_times[i]);
    }
    page_.blocks.emplace_back(Plot{title + (every > 1 ? fmt::format(" (one in {})", every) : ""),
                                   "end of the Read since the first command, s",
                                   "Read time, s",
                                   {{"Reads", Source::measured, some, 0, true, false, false}},
                                   false,
                                   false,
                                   {},
                                   {},
                                   {}});
}

// T_m, the bare rule of the paper, the textbook's left-hand point, storage delay, large PDUs.
void AptStudy::variants() {
    Table table{"Variants, one run each",
                {"variant", "settled after, s", "N", "throughput at that N, of the best",
                 "session, MB/s, last quarter"},
                {}};
    const auto add = [&](AptRequest request) {
        AptRun run = run_apt(lab_, request);
        table.rows.push_back(
            {request.label, run.settled_s < 0 ? "never" : fmt::format("{:.1f}", run.settled_s),
             fmt::format("{}", run.settled_n),
             request.block_kib == 64 && request.service.empty() && run.settled_n > 0
                 ? fmt::format("{:.1f} %", 100 * exhaustive_at(run.settled_n) / best_)
                 : "",
             fmt::format("{:.2f}", run.rate(request.seconds * 0.75, request.seconds) / 1e6)});
        return run;
    };
    unsigned fewest = most_connections;
    unsigned greatest = 0;
    for (const double tm : {0.05, 0.25, 0.5, 1.0}) {
        AptRequest request = tuned(fmt::format("the paper's rule, T_m {} s", tm), std::max(6.0, 18 * tm));
        request.tm_s = tm;
        request.samples = 1;
        request.margin = 0;
        const AptRun run = add(request);
        if (tm >= 0.25 && run.settled_n > 0) {
            fewest = std::min(fewest, run.settled_n);
            greatest = std::max(greatest, run.settled_n);
        }
    }
    page_.claims.push_back(
        {"tm", "T_m of 2 to 5 s converge to N a few apart; 0.5 s misleads.", "figure 14", "",
         fmt::format("the paper's rule with T_m 0.25, 0.5, 1 s: N {} to {}", fewest, greatest),
         judged(greatest <= fewest + 4, greatest <= 2 * fewest),
         "T_m scaled by a tenth with the rate and PDUs by a sixteenth. On the flat plateau the paper's "
         "comparison goes by noise; T_m of 0.05 s stands in the table"});
    AptRequest textbook = tuned("textbook's left-hand point", 11);
    textbook.textbook_left = true;
    add(textbook);
    AptRequest storage = tuned("storage delay 3 to 4 ms", 11);
    storage.service = "uniform:3ms..4ms";
    const AptRun delayed = add(storage);
    AptRequest large = tuned("PDUs of 192 KB", 11);
    large.block_kib = 192;
    const AptRun big = add(large);
    AptRequest both = tuned("PDUs of 192 KB, storage delay 3 to 4 ms", 11);
    both.block_kib = 192;
    both.service = "uniform:3ms..4ms";
    const AptRun big_delayed = add(both);
    page_.blocks.emplace_back(Heading{"Measuring time, rules, storage delay, large PDUs"});
    page_.blocks.emplace_back(table);
    const auto relative_spread = [](const AptRun &run) {
        std::vector<double> times;
        for (const auto &[at, time] : run.read_times) {
            if (at > 6) {
                times.push_back(time);
            }
        }
        std::sort(times.begin(), times.end());
        return times.size() < 20
                   ? 0
                   : (times[times.size() * 9 / 10] - times[times.size() / 10]) / times[times.size() / 2];
    };
    const double plain_spread = runs_.empty() ? 0 : relative_spread(runs_.front());
    page_.claims.push_back(
        {"read-spread", "A storage delay of 3 to 4 ms spreads the Read times, large PDUs more so.",
         "figures 19 to 22", "",
         fmt::format("(90th − 10th percentile) / median: {:.2f} without, {:.2f} with the delay; {:.2f} and "
                     "{:.2f} with PDUs three times as large",
                     plain_spread, relative_spread(delayed), relative_spread(big),
                     relative_spread(big_delayed)),
         judged(relative_spread(delayed) > plain_spread * 1.05 && relative_spread(big) > plain_spread * 1.05,
                relative_spread(delayed) > plain_spread || relative_spread(big) > plain_spread),
         "Reads from the sixth second on, one run each, N as the tuner has it"});
    if (!runs_.empty()) {
        reads_of(runs_.front(), "Read times, no storage delay");
    }
    reads_of(delayed, "Read times, storage delay 3 to 4 ms");
    reads_of(big, "Read times, PDUs of 192 KB");
    reads_of(big_delayed, "Read times, PDUs of 192 KB, storage delay 3 to 4 ms");
}

} // namespace iscsiscope::testbed::papers
