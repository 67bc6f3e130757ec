// SPDX-License-Identifier: GPL-2.0-or-later
// Study 4, second part: the bandwidth changes, and variants of the tuner and of the load.
#include "sample-captures/testbed/papers/apt_study.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {

// Up and down by half: the tuner gets the change, and must find the new best.
void AptStudy::steps() {
    const double step = quick_ ? 7 : 12;
    AptRequest request = tuned("APT, 100 → 50 → 100 Mbit/s", 3 * step);
    request.schedule = {{0, 100}, {step, 50}, {2 * step, 100}};
    request.samples = 1;
    request.tm_s = quick_ ? 0.5 : 0.8; // at least ten in a step, as in the paper
    const AptRun run = run_apt(lab_, request);
    std::array<double, 3> rates{};
    std::array<double, 3> ns{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double until = static_cast<double>(i + 1) * step;
        rates[i] = run.rate(until - step / 4, until - 0.2);
        for (const auto &[at, n] : run.chosen_over_time)
            ns[i] = at < until ? n : ns[i];
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
             {{"connections with a Read", Source::measured, run.n_over_time, 0, false, false, true}}});
    page_.blocks.emplace_back(
        Plot{"Throughput over time",
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
              {"session", Source::measured, run.rate_over_time, 0, false, true, true}}});
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

// The paper's changing bandwidth, and N fixed at what APT finds first. It begins in the middle: what a fixed
// N costs shows where the bandwidth rises above the one it was found at; where it falls, a kernel with SACK
// keeps the link full with too many connections as well.
void AptStudy::schedule() {
    const double step = 8;
    AptRequest request = tuned("APT under a bandwidth schedule", 7 * step);
    request.rtt_ms = 34;
    request.window_kib = 32;
    request.tm_s = 0.8; // ten in a step, as in the paper
    request.samples = 1;
    const std::array<double, 7> rates{70, 85, 100, 85, 70, 55, 70};
    for (std::size_t i = 0; i < rates.size(); ++i)
        request.schedule.push_back({static_cast<double>(i) * step, rates[i]});
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
        for (const CycleRecord &read : run.reads)
            ends.emplace_back(seconds_since(run.begin, read.end),
                              static_cast<double>(read.bytes_moved) / 1e6);
        std::sort(ends.begin(), ends.end());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            sum += ends[i].second;
            if (i % 50 == 0 || i + 1 == ends.size())
                points.emplace_back(ends[i].first, sum);
        }
        return points;
    };
    const Points apt_received = received(apt);
    const Points fixed_received = received(fixed);
    const double gain = apt_received.empty() || fixed_received.empty()
                            ? 0
                            : apt_received.back().second / fixed_received.back().second;
    const std::string note = apt.valid && fixed.valid ? "" : " A run is not valid.";
    page_.claims.push_back(
        {"received", "Under changing bandwidth APT receives more than N fixed at its first optimum.",
         fmt::format("{} times by 700 s", paper_.value("received_gain")), "",
         fmt::format("{:.3f} times N = {} fixed", gain, request.connections),
         judged(gain >= 1.03, gain >= 1.0),
         fmt::format("the whole run, the tuner's first climb from N = 4 included. The "
                     "schedule goes 70, 85, 100, 85, 70, 55, 70 Mbit/s: a fixed N is too small "
                     "where the bandwidth is above the first; where it is below, a kernel with "
                     "SACK keeps the link full all the same.{}",
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
    struct Deviation {
        double mean = 0, swing = 0; // Mbit/s; its own standard deviation over its mean
    };
    const auto deviation_of = [](const AptRun &run) {
        Deviation d;
        const double n = static_cast<double>(std::max<std::size_t>(run.deviation_over_time.size(), 1));
        double squares = 0;
        for (const auto &[at, value] : run.deviation_over_time) {
            d.mean += value / n;
            squares += value * value / n;
        }
        d.swing = d.mean > 0 ? std::sqrt(std::max(squares - d.mean * d.mean, 0.0)) / d.mean : 0;
        return d;
    };
    const Deviation with_apt = deviation_of(apt);
    const Deviation with_fixed = deviation_of(fixed);
    const bool larger = with_apt.mean > with_fixed.mean;
    const bool steadier = with_apt.swing < with_fixed.swing;
    page_.claims.push_back(
        {"deviation", "The deviation of the connections' throughputs is larger with APT but steadier.",
         "larger, steadier", "",
         fmt::format(
             "mean {:.2f} Mbit/s with APT, {:.2f} fixed; it varies by {:.0f} and {:.0f} % of its mean",
             with_apt.mean, with_fixed.mean, 100 * with_apt.swing, 100 * with_fixed.swing),
         judged(larger && steadier, larger || steadier),
         "population standard deviation by T_m, the analyzer's." + note});
    page_.blocks.emplace_back(Heading{"A bandwidth schedule, RTT 34 ms"});
    page_.blocks.emplace_back(Plot{"N over time",
                                   "time since the first command, s",
                                   "connections",
                                   {{"APT", Source::measured, apt.n_over_time, 0, false, false, true},
                                    {"fixed", Source::measured, fixed.n_over_time, 1, false, true, true}}});
    Curve link{"link", Source::model, {}, 7, false, true, true};
    for (const RateStep &s : request.schedule)
        link.points.emplace_back(s.at_s, s.mbit / 100 * capacity / 1e6);
    link.points.emplace_back(request.seconds, link.points.back().second);
    page_.blocks.emplace_back(
        Plot{"Throughput over time",
             "time since the first command, s",
             "throughput, MB/s",
             {link,
              {"APT", Source::measured, apt.rate_over_time, 0, false, true, true},
              {"fixed", Source::measured, fixed.rate_over_time, 1, false, true, true}}});
    page_.blocks.emplace_back(Plot{"Received data",
                                   "time since the first command, s",
                                   "received, MB",
                                   {{"APT", Source::measured, apt_received, 0, false, true},
                                    {"fixed", Source::measured, fixed_received, 1, false, true}}});
    page_.blocks.emplace_back(
        Plot{"Throughput deviation of the connections",
             "time since the first command, s",
             "deviation, Mbit/s",
             {{"APT", Source::measured, apt.deviation_over_time, 0, false, true, true},
              {"fixed", Source::measured, fixed.deviation_over_time, 1, false, true, true}}});
    page_.blocks.emplace_back(table);
    reads_of(apt, "Read times with APT under the schedule");
    reads_of(fixed, "Read times with N fixed under the schedule");
}

void AptStudy::reads_of(const AptRun &run, const std::string &title) {
    Points some;
    const std::size_t every = std::max<std::size_t>(run.read_times.size() / 2500, 1);
    for (std::size_t i = 0; i < run.read_times.size(); i += every)
        some.push_back(run.read_times[i]);
    page_.blocks.emplace_back(Plot{title + (every > 1 ? fmt::format(" (one in {})", every) : ""),
                                   "end of the Read since the first command, s",
                                   "Read time, s",
                                   {{"Reads", Source::measured, some, 0, true}}});
}

// T_m, the bare rule of the paper, the textbook's left-hand point, storage delay, large PDUs.
void AptStudy::variants() {
    Table table{"Variants, one run each, one T_m a point",
                {"variant", "settled after, s", "N", "throughput at that N, of the best",
                 "session, MB/s, last quarter"},
                {}};
    const auto add = [&](AptRequest request) {
        request.samples = 1;
        const AptRun run = run_apt(lab_, request);
        table.rows.push_back(
            {request.label, run.settled_s < 0 ? "never" : fmt::format("{:.1f}", run.settled_s),
             fmt::format("{}", run.settled_n),
             request.block_kib == 64 && request.service.empty() && run.settled_n > 0
                 ? fmt::format("{:.1f} %", 100 * exhaustive_at(run.settled_n) / best_)
                 : "",
             fmt::format("{:.2f}", run.rate(request.seconds * 0.75, request.seconds) / 1e6)});
        return run.settled_n;
    };
    unsigned fewest = most_connections;
    unsigned greatest = 0;
    // The paper's 0.5, 2, 3, 4 and 5 s over 5. A search has at most some 13 points.
    for (const double tm : {0.1, 0.4, 0.6, 0.8, 1.0}) {
        AptRequest request = tuned(fmt::format("the paper's rule, T_m {} s", tm), std::max(4.0, 15 * tm));
        request.tm_s = tm;
        request.margin = 0;
        const unsigned n = add(request);
        if (tm > 0.3 && n > 0) {
            fewest = std::min(fewest, n);
            greatest = std::max(greatest, n);
        }
    }
    page_.claims.push_back(
        {"tm", "T_m of 2 to 5 s converge to N a few apart; 0.5 s misleads.", "figure 14", "",
         fmt::format("the paper's rule with T_m 0.4, 0.6, 0.8, 1 s: N {} to {}", fewest, greatest),
         judged(greatest <= fewest + 4, greatest <= 2 * fewest),
         "T_m scaled by a fifth. On the flat plateau the paper's comparison goes by noise; T_m of 0.1 s "
         "stands "
         "in the table"});
    AptRequest textbook = tuned("textbook's left-hand point", 15);
    textbook.textbook_left = true;
    add(textbook);
    AptRequest storage = tuned("storage delay 3 to 4 ms", 15);
    storage.service = "uniform:3ms..4ms";
    add(storage);
    AptRequest large = tuned("PDUs of 192 KB", 15);
    large.block_kib = 192;
    add(large);
    page_.blocks.emplace_back(Heading{"Measuring time, rules, storage delay, large PDUs"});
    page_.blocks.emplace_back(table);
}

// Read times with and without a storage delay, and with PDUs three times as large: at the same N, so that
// nothing else differs.
void AptStudy::spread() {
    struct Case {
        std::string title, service;
        unsigned block_kib;
        double spread_ms = 0, relative = 0;
    };
    std::array<Case, 4> cases{{{"no storage delay", "", 64},
                               {"storage delay 3 to 4 ms", "uniform:3ms..4ms", 64},
                               {"PDUs of 192 KB", "", 192},
                               {"PDUs of 192 KB, storage delay 3 to 4 ms", "uniform:3ms..4ms", 192}}};
    std::vector<double> found;
    for (const AptRun &run : runs_)
        if (run.settled_n > 0)
            found.push_back(run.settled_n);
    const auto n = static_cast<unsigned>(found.empty() ? smallest_ : median(found));
    bool valid = true;
    std::string text;
    for (Case &c : cases) {
        AptRequest request;
        request.label = fmt::format("N = {} fixed, {}", n, c.title);
        request.connections = n;
        request.service = c.service;
        request.block_kib = c.block_kib;
        request.seconds = c.block_kib > 64 ? 12 : 6;
        const AptRun run = run_apt(lab_, request);
        valid = valid && run.valid;
        std::vector<double> times;
        for (const auto &[at, time] : run.read_times)
            if (at > 1)
                times.push_back(time * 1e3);
        std::sort(times.begin(), times.end());
        if (times.size() >= 20) {
            c.spread_ms = times[times.size() * 9 / 10] - times[times.size() / 10];
            c.relative = c.spread_ms / times[times.size() / 2];
        }
        text += fmt::format("{}{}: {:.0f} ms ({:.2f} of the median)", text.empty() ? "" : "; ", c.title,
                            c.spread_ms, c.relative);
        reads_of(run, fmt::format("Read times, N = {}, {}", n, c.title));
    }
    const bool delay_spreads = cases[1].spread_ms > 1.05 * cases[0].spread_ms;
    const bool large_spreads = cases[2].spread_ms > 1.05 * cases[0].spread_ms;
    page_.claims.push_back(
        {"read-spread", "A storage delay of 3 to 4 ms spreads the Read times, large PDUs more so.",
         "figures 19 to 22", "", "90th less 10th percentile: " + text,
         judged(delay_spreads && large_spreads, delay_spreads || large_spreads),
         fmt::format(
             "N = {}, where APT ended on the median; the first second left out. A drop-tail queue and a "
             "kernel's timers spread the Read times without a storage delay as well.{}",
             n, valid ? "" : " A run is not valid.")});
}

} // namespace iscsiscope::testbed::papers
