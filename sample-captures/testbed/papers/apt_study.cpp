// SPDX-License-Identifier: GPL-2.0-or-later
// Study 4: iSCSI-APT in the real session, against the best N of an exhaustive search.
#include "sample-captures/testbed/papers/apt_runs.h"
#include "sample-captures/testbed/papers/published.h"
#include "sample-captures/testbed/papers/study.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {
namespace {

constexpr std::size_t chunk_reads = 150; // the paper's chunk is 100 to 200 PDUs
constexpr double capacity = 100e6 / 8 * 1448 / 1500;

class AptStudy {
public:
    explicit AptStudy(const StudyContext &context) : lab_(context.lab), paper_(context.published), quick_(context.quick) {}
    StudyPage run();

private:
    AptRequest tuned(const std::string &label, double seconds) const;
    double exhaustive_at(unsigned n) const; // bytes/s, between measured N by a straight line
    bool good(const AptRun &) const;
    void search();
    void seeds();
    void steps();
    void schedule();
    void variants();
    void reads_of(const AptRun &, const std::string &title);

    Lab &lab_;
    const Published &paper_;
    bool quick_;
    StudyPage page_;
    std::map<unsigned, FixedRate> exhaustive_;
    double best_ = 0;         // bytes/s
    unsigned smallest_ = 1;   // N within 3 % of it
    std::vector<AptRun> runs_; // by seed
};

AptRequest AptStudy::tuned(const std::string &label, double seconds) const {
    AptRequest request;
    request.label = label;
    request.connections = most_connections;
    request.tuned = true;
    request.seconds = seconds;
    return request;
}

double AptStudy::exhaustive_at(unsigned n) const {
    const auto above = exhaustive_.lower_bound(n);
    if (above == exhaustive_.end()) {
        return exhaustive_.empty() ? 0 : exhaustive_.rbegin()->second.by_time;
    }
    if (above->first == n || above == exhaustive_.begin()) {
        return above->second.by_time;
    }
    const auto below = std::prev(above);
    const double part = static_cast<double>(n - below->first) / (above->first - below->first);
    return below->second.by_time + part * (above->second.by_time - below->second.by_time);
}

void AptStudy::search() {
    const std::vector<unsigned> all = quick_ ? std::vector<unsigned>{4, 8, 12, 14, 16, 18, 20, 24}
                                             : std::vector<unsigned>{1, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 28, 32};
    for (const unsigned n : all) {
        if (lab_.failure().empty()) {
            exhaustive_[n] = run_fixed(lab_, n, quick_ ? 2.0 : 3.0, chunk_reads);
            best_ = std::max(best_, exhaustive_[n].by_time);
        }
    }
    for (unsigned n = all.front(); n <= all.back(); ++n) {
        if (exhaustive_at(n) >= 0.97 * best_) {
            smallest_ = n;
            break;
        }
    }
}

bool AptStudy::good(const AptRun &run) const {
    return run.settled_s >= 0 && run.settled_s <= 60 && exhaustive_at(run.settled_n) >= 0.97 * best_ &&
           run.settled_n <= static_cast<unsigned>(1.5 * smallest_);
}

void AptStudy::seeds() {
    const unsigned count = quick_ ? 1 : 10;
    Table table{"APT by seed (T_m 0.5 s, median of 3, margin 1.5 %)", {"seed", "settled after, s", "N", "throughput at that N, MB/s", "of the best", "N over the smallest good N", "good", "run valid"}, {}};
    std::size_t met = 0;
    double latest = 0;
    std::string found;
    for (unsigned seed = 1; seed <= count && lab_.failure().empty(); ++seed) {
        AptRequest request = tuned(fmt::format("APT, seed {}", seed), 20);
        request.seed = seed;
        runs_.push_back(run_apt(lab_, request));
        const AptRun &run = runs_.back();
        met += good(run) ? 1 : 0;
        latest = std::max(latest, run.settled_s);
        found += fmt::format("{}{}", found.empty() ? "" : ", ", run.settled_n);
        table.rows.push_back({fmt::format("{}", seed), run.settled_s < 0 ? "never" : fmt::format("{:.1f}", run.settled_s), fmt::format("{}", run.settled_n),
                              fmt::format("{:.2f}", exhaustive_at(run.settled_n) / 1e6), fmt::format("{:.1f} %", 100 * exhaustive_at(run.settled_n) / best_),
                              fmt::format("{:.2f}", static_cast<double>(run.settled_n) / smallest_), good(run) ? "yes" : "no", run.valid ? "yes" : "no"});
    }
    page_.claims.push_back({"converges", "APT converges within 60 s to an N whose throughput is near the best.", fmt::format("N = {} within 60 s (T_m = 5 s)", paper_.value("n_converged")),
                            fmt::format("(1 + PDU/window) round trips a Read: {:.1f} Reads of 64 KiB at once fill the link", capacity * 5 * 0.010 / 65536),
                            fmt::format("{} of {} seeds: N {}; best {:.2f} MB/s, within 3 % from N = {} on; the last settled after {:.1f} s", met, count, found, best_ / 1e6, smallest_, latest),
                            judged(met * 10 >= count * 8, met * 2 >= count),
                            "good: settled within 60 s, throughput within 3 % of the best N of the exhaustive search, N at most 1.5 times the smallest such N. The plateau beyond the "
                            "knee is flat within noise: medians of three and a margin of 1.5 % choose its near end; by the paper's bare comparison the end is left to chance (table of variants)."});
    page_.blocks.emplace_back(Heading{"What APT finds, and what there is to find"});
    Plot plot{"Throughput against N, fixed", "connections N", "throughput, MB/s", {}, false, false, {}, {}, {}};
    Curve by_time{"fixed time (2 s)", Source::measured, {}, 0, false, false, false};
    Curve by_chunk{fmt::format("fixed chunk ({} Reads)", chunk_reads), Source::measured, {}, 3, false, false, false};
    Curve model{"N PDUs in 5 round trips, at most the link", Source::model, {}, 0, false, false, false};
    Curve ends{"where APT ended", Source::measured, {}, 1, true, false, false};
    double time_peak = 0;
    double chunk_peak = 0;
    for (const auto &[n, rate] : exhaustive_) {
        by_time.points.emplace_back(n, rate.by_time / 1e6);
        by_chunk.points.emplace_back(n, rate.by_chunk / 1e6);
        model.points.emplace_back(n, std::min(n * 65536 / 0.050, capacity) / 1e6);
        time_peak = std::max(time_peak, rate.by_time);
        chunk_peak = std::max(chunk_peak, rate.by_chunk);
    }
    for (const AptRun &run : runs_) {
        ends.points.emplace_back(run.settled_n, exhaustive_at(run.settled_n) / 1e6);
    }
    plot.curves = {model, by_time, by_chunk, ends};
    page_.blocks.emplace_back(plot);
    page_.blocks.emplace_back(table);
    const double time_last = exhaustive_.rbegin()->second.by_time / time_peak;
    const double chunk_last = exhaustive_.rbegin()->second.by_chunk / chunk_peak;
    page_.claims.push_back({"chunk", "Measuring by a fixed chunk biases the peak, so time is fixed instead.", "figures 10, 11", "",
                            fmt::format("at N = {}: {:.2f} of the peak by time, {:.2f} by chunk", exhaustive_.rbegin()->first, time_last, chunk_last),
                            judged(chunk_last < time_last - 0.03, chunk_last < time_last),
                            "a chunk ends when its last Read does: the more connections, the more of them stand idle at the end"});
    if (!runs_.empty()) {
        const AptRun &run = runs_.front();
        Plot n{"N over time (seed 1)", "time since the first command, s", "connections", {}, false, false, {}, {}, {}};
        n.curves = {{"connections with a Read", Source::measured, run.n_over_time, 0, false, false, true},
                    {"", Source::model, run.chosen_over_time, 1, false, true, true}};
        page_.blocks.emplace_back(n);
        page_.blocks.emplace_back(Plot{"Throughput over time (seed 1)", "time since the first command, s", "throughput, MB/s",
                                       {{"session", Source::measured, run.rate_over_time, 0, false, true, true}}, false, false, {}, {}, {}});
        page_.blocks.emplace_back(Plot{"Throughput of each connection, last quarter of the run (seed 1)", "connection", "throughput, Mbit/s",
                                       {{"throughput", Source::measured, run.rate_by_connection, 0, false, false, false}}, false, false, {}, {}, {}});
        page_.blocks.emplace_back(Plot{"Congestion window of each connection, median, as the analyzer estimates it (seed 1)", "connection", "congestion window, KB",
                                       {{"window", Source::measured, run.cwnd_by_connection, 2, false, false, false}}, false, false, {}, {}, {}});
        double low = 1e9;
        double high = 0;
        for (const auto &[connection, rate] : run.rate_by_connection) {
            if (rate > 0) {
                low = std::min(low, rate);
                high = std::max(high, rate);
            }
        }
        page_.claims.push_back({"unequal", "At the N found, connections are served unequally though their windows look alike.",
                                fmt::format("{} against {} Mbit/s", paper_.value("slow_connection"), paper_.value("fast_connection")), "",
                                fmt::format("slowest {:.2f}, fastest {:.2f} Mbit/s: {:.1f} times", low, high, high / low), judged(high > 4 * low, high > 1.5 * low),
                                "active connections, last quarter of seed 1's run. NS-2's simulated drop-tail phases are gone in a real kernel with jitter of 0.2 ms"});
    }
}

// Up and down by half: the tuner is told, and must find the new best.
void AptStudy::steps() {
    const double step = quick_ ? 5 : 11;
    AptRequest request = tuned("APT, 100 → 50 → 100 Mbit/s", 3 * step);
    request.schedule = {{0, 100}, {step, 50}, {2 * step, 100}};
    if (quick_) {
        request.tm_s = 0.4;
        request.samples = 1;
    }
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
    const bool follows = rates[0] > 0.93 * capacity && rates[1] > 0.93 * capacity / 2 && rates[2] > 0.93 * capacity;
    page_.claims.push_back({"follows", "APT follows steps of the bandwidth, down and up.", "after steps about 20 s", "",
                            fmt::format("N {:.0f} → {:.0f} → {:.0f}; {:.0f}, {:.0f} and {:.0f} % of the link's payload rate at the end of each step", ns[0], ns[1], ns[2],
                                        100 * rates[0] / capacity, 200 * rates[1] / capacity, 100 * rates[2] / capacity),
                            judged(follows && ns[1] < ns[0] && ns[2] > ns[1], follows),
                            fmt::format("the change was told to the tuner, one T_m late, as in the paper.{}", run.valid ? "" : " The run is not valid.")});
    page_.blocks.emplace_back(Heading{"Steps of the bandwidth: 100, 50, 100 Mbit/s"});
    page_.blocks.emplace_back(Plot{"N over time", "time since the first command, s", "connections",
                                   {{"connections with a Read", Source::measured, run.n_over_time, 0, false, false, true}}, false, false, {}, {}, {}});
    page_.blocks.emplace_back(Plot{"Throughput over time", "time since the first command, s", "throughput, MB/s",
                                   {{"link", Source::model, {{0, capacity / 1e6}, {step, capacity / 2e6}, {2 * step, capacity / 1e6}, {3 * step, capacity / 1e6}}, 7, false, true, true},
                                    {"session", Source::measured, run.rate_over_time, 0, false, true, true}}, false, false, {}, {}, {}});
}

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

// The paper's changing bandwidth, and N fixed at what APT finds first.
void AptStudy::schedule() {
    const double step = quick_ ? 4 : 8;
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
            ends.emplace_back(seconds_since(run.begin, read.end), static_cast<double>(read.bytes_moved) / 1e6);
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
    const double gain = apt_received.empty() || fixed_received.empty() ? 0 : apt_received.back().second / fixed_received.back().second;
    const std::string note = apt.valid && fixed.valid ? "" : " A run is not valid.";
    page_.claims.push_back({"received", "Under changing bandwidth APT receives more than N fixed at its first optimum.", fmt::format("{} times by 700 s", paper_.value("received_gain")), "",
                            fmt::format("{:.3f} times N = {} fixed", gain, request.connections), judged(gain >= 1.03, gain >= 1.0),
                            fmt::format("a kernel with SACK keeps the link full at any N beyond the knee, so there is little to gain; the tuner's search costs a little.{}", note)});
    const double half = request.seconds / 2;
    // The paper's classes, scaled by what a Read takes on the average: N PDUs at the link's rate.
    const double ours = request.connections * 65536 / capacity;
    const double theirs = 29 * 1048576 / 125e6;
    const std::array<double, 5> edges{0.35, 0.70, 1.40, 2.00, 1e9};
    Table table{fmt::format("Read times in the second half, %; classes of the paper times {:.2f} (N PDUs at the link's rate: {:.3f} s here, {:.3f} s there)", ours / theirs, ours, theirs),
                {"Read time up to, s", "fixed published", "fixed measured", "APT published", "APT measured"}, {}};
    double low = 0;
    std::array<double, 2> fast{};
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const double high = edges[i] * ours / theirs;
        const double key = i + 1 == edges.size() ? 0 : edges[i];
        const double f = share_up_to(fixed, half, low, high);
        const double a = share_up_to(apt, half, low, high);
        fast = i == 0 ? std::array<double, 2>{f, a} : fast;
        table.rows.push_back({i + 1 == edges.size() ? "above" : fmt::format("{:.3f}", high), fmt::format("{:.1f}", paper_.at("read_times_fixed", key)), fmt::format("{:.1f}", f),
                              fmt::format("{:.1f}", paper_.at("read_times_apt", key)), fmt::format("{:.1f}", a)});
        low = high;
    }
    page_.claims.push_back({"read-times", "With APT more Reads are fast: the share of the first class grows.", "8.6 → 34.0 % up to 0.35 s", "", fmt::format("{:.1f} → {:.1f} %", fast[0], fast[1]),
                            judged(fast[1] > fast[0] + 10, fast[1] > fast[0]), "classes scaled as the table says." + note});
    const auto mean_deviation = [](const AptRun &run) {
        double sum = 0;
        for (const auto &[at, d] : run.deviation_over_time) {
            sum += d;
        }
        return run.deviation_over_time.empty() ? 0 : sum / static_cast<double>(run.deviation_over_time.size());
    };
    const double apt_deviation = mean_deviation(apt);
    const double fixed_deviation = mean_deviation(fixed);
    page_.claims.push_back({"deviation", "The deviation of the connections' throughputs is larger with APT but steadier.", "larger, steadier", "",
                            fmt::format("mean {:.2f} Mbit/s with APT, {:.2f} fixed", apt_deviation, fixed_deviation), judged(apt_deviation > fixed_deviation * 1.1, apt_deviation > fixed_deviation),
                            "population standard deviation by T_m, the analyzer's." + note});
    page_.blocks.emplace_back(Heading{"A bandwidth schedule, RTT 34 ms"});
    page_.blocks.emplace_back(Plot{"N over time", "time since the first command, s", "connections",
                                   {{"APT", Source::measured, apt.n_over_time, 0, false, false, true}, {"fixed", Source::measured, fixed.n_over_time, 1, false, true, true}}, false, false, {}, {}, {}});
    Curve link{"link", Source::model, {}, 7, false, true, true};
    for (const RateStep &s : request.schedule) {
        link.points.emplace_back(s.at_s, s.mbit / 100 * capacity / 1e6);
    }
    link.points.emplace_back(request.seconds, link.points.back().second);
    page_.blocks.emplace_back(Plot{"Throughput over time", "time since the first command, s", "throughput, MB/s",
                                   {link, {"APT", Source::measured, apt.rate_over_time, 0, false, true, true}, {"fixed", Source::measured, fixed.rate_over_time, 1, false, true, true}}, false, false, {}, {}, {}});
    page_.blocks.emplace_back(Plot{"Received data", "time since the first command, s", "received, MB",
                                   {{"APT", Source::measured, apt_received, 0, false, true, false}, {"fixed", Source::measured, fixed_received, 1, false, true, false}}, false, false, {}, {}, {}});
    page_.blocks.emplace_back(Plot{"Throughput deviation of the connections", "time since the first command, s", "deviation, Mbit/s",
                                   {{"APT", Source::measured, apt.deviation_over_time, 0, false, true, true}, {"fixed", Source::measured, fixed.deviation_over_time, 1, false, true, true}}, false, false, {}, {}, {}});
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
    page_.blocks.emplace_back(Plot{title + (every > 1 ? fmt::format(" (one in {})", every) : ""), "end of the Read since the first command, s", "Read time, s",
                                   {{"Reads", Source::measured, some, 0, true, false, false}}, false, false, {}, {}, {}});
}

// T_m, the bare rule of the paper, the textbook's left-hand point, storage delay, large PDUs.
void AptStudy::variants() {
    Table table{"Variants, one run each", {"variant", "settled after, s", "N", "throughput at that N, of the best", "session, MB/s, last quarter"}, {}};
    const auto add = [&](AptRequest request) {
        AptRun run = run_apt(lab_, request);
        table.rows.push_back({request.label, run.settled_s < 0 ? "never" : fmt::format("{:.1f}", run.settled_s), fmt::format("{}", run.settled_n),
                              request.block_kib == 64 && request.service.empty() && run.settled_n > 0 ? fmt::format("{:.1f} %", 100 * exhaustive_at(run.settled_n) / best_) : "",
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
    page_.claims.push_back({"tm", "T_m of 2 to 5 s converge to N a few apart; 0.5 s misleads.", "figure 14", "",
                            fmt::format("the paper's rule with T_m 0.25, 0.5, 1 s: N {} to {}", fewest, greatest), judged(greatest <= fewest + 4, greatest <= 2 * fewest),
                            "T_m scaled by a tenth with the rate and PDUs by a sixteenth. On the flat plateau the paper's comparison goes by noise; T_m of 0.05 s stands in the table"});
    AptRequest textbook = tuned("textbook's left-hand point", 13);
    textbook.textbook_left = true;
    add(textbook);
    AptRequest storage = tuned("storage delay 3 to 4 ms", 13);
    storage.service = "uniform:3ms..4ms";
    const AptRun delayed = add(storage);
    AptRequest large = tuned("PDUs of 192 KB", 13);
    large.block_kib = 192;
    const AptRun big = add(large);
    AptRequest both = tuned("PDUs of 192 KB, storage delay 3 to 4 ms", 13);
    both.block_kib = 192;
    both.service = "uniform:3ms..4ms";
    const AptRun big_delayed = add(both);
    page_.blocks.emplace_back(Heading{"Measuring time, rules, storage delay, large PDUs"});
    page_.blocks.emplace_back(table);
    const auto relative_spread = [](const AptRun &run) {
        std::vector<double> times;
        for (const auto &[at, time] : run.read_times) {
            if (at > run.settled_s && run.settled_s >= 0) {
                times.push_back(time);
            }
        }
        std::sort(times.begin(), times.end());
        return times.size() < 20 ? 0 : (times[times.size() * 9 / 10] - times[times.size() / 10]) / times[times.size() / 2];
    };
    const double plain_spread = runs_.empty() ? 0 : relative_spread(runs_.front());
    page_.claims.push_back({"read-spread", "A storage delay of 3 to 4 ms spreads the Read times, large PDUs more so.", "figures 19 to 22", "",
                            fmt::format("(90th − 10th percentile) / median: {:.2f} without, {:.2f} with the delay; {:.2f} and {:.2f} with PDUs three times as large", plain_spread,
                                        relative_spread(delayed), relative_spread(big), relative_spread(big_delayed)),
                            judged(relative_spread(delayed) > plain_spread * 1.05 && relative_spread(big) > plain_spread * 1.05, relative_spread(delayed) > plain_spread || relative_spread(big) > plain_spread),
                            "Reads after the tuner had settled, one run each"});
    if (!runs_.empty()) {
        reads_of(runs_.front(), "Read times, no storage delay");
    }
    reads_of(delayed, "Read times, storage delay 3 to 4 ms");
    reads_of(big, "Read times, PDUs of 192 KB");
    reads_of(big_delayed, "Read times, PDUs of 192 KB, storage delay 3 to 4 ms");
}

StudyPage AptStudy::run() {
    page_.scale = "Rates 1 to 10 (100 Mbit/s), queue 1 to 10 (50 packets), socket buffer 1 to 4 (window 16 KB), PDU 1 to 16 "
                  "(64 KB), T_m 1 to 10 (0.5 s); RTT 10 ms as published; delay jitter 0.2 ms so that seeds differ; at most 32 "
                  "connections. The schedule: steps of 15 Mbit/s, RTT 34 ms, window 32 KB.";
    search();
    if (lab_.failure().empty()) {
        seeds();
        steps();
    }
    if (lab_.failure().empty() && !quick_) {
        schedule();
        variants();
    }
    return page_;
}

} // namespace

StudyPage apt_study(const StudyContext &context) {
    return AptStudy(context).run();
}

} // namespace iscsiscope::testbed::papers
