// SPDX-License-Identifier: GPL-2.0-or-later
// Study 1: sequential Reads over a long path; cycle = k·d + B/T, nothing fitted.
#include "sample-captures/testbed/papers/lab.h"
#include "sample-captures/testbed/papers/published.h"
#include "sample-captures/testbed/papers/study.h"

#include "analyzer/cycles/records.h"
#include "analyzer/model/cycle_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace iscsiscope::testbed::papers {
namespace {

constexpr std::size_t warm_up = 8;                // Reads until the congestion window holds a Read
constexpr double ip_over_payload = 1500.0 / 1448; // of full segments with timestamps

struct BlockSize {
    std::string name;         // as published
    std::string block, split; // options; split empty: one Read
    double read = 0;          // bytes of one Read, mean
    std::size_t reads = 1;    // a block
    unsigned colour = 0;
};
const std::array<BlockSize, 5> blocks{{{"default: 500 KB in four", "500KiB", "130560", 128000, 4, 0},
                                       {"125 KB", "125KiB", "", 128000, 1, 1},
                                       {"1 MB", "1MiB", "", 1 << 20, 1, 2},
                                       {"2 MB", "2MiB", "", 2 << 20, 1, 3},
                                       {"4 MB", "4MiB", "", 4 << 20, 1, 4}}};

// How the target sends: Nagle's algorithm on and the status apart; header and data of a PDU by two writes as
// well; TCP_NODELAY.
enum class Sending { nagle, legacy, no_delay };

// One delay and block size: the Reads, the baseline that gives T, the model.
struct Point {
    double delay_ms = 0;
    double d_s = 0;   // from the shim's log
    double layer = 0; // T, bytes/s, from the socket's turns
    double model_s = 0;
    CycleMeans means;
    double k_seen = 0; // idle time of a cycle over d
    double throughput = 0;
    std::map<std::string, std::pair<double, double>> gaps; // kind → count a Read, mean ms
    bool valid = false;
    double cycle_s = 0; // median
    double error() const { return cycle_s > 0 ? model_s / cycle_s - 1 : 0; }
};

class LatencyStudy {
public:
    explicit LatencyStudy(const StudyContext &context)
        : lab_(context.lab), paper_(context.published), quick_(context.quick) {}
    StudyPage run();

private:
    std::vector<Setting> path(double delay_ms) const;
    double layer_below(double delay_ms, double bytes, double &d_s, bool &valid);
    Point measure(double delay_ms, const BlockSize &size, Sending);
    double socket(double delay_ms);
    void ladder(double delay_ms);
    void claims();
    void figures();

    Lab &lab_;
    const Published &paper_;
    bool quick_;
    StudyPage page_;
    std::map<std::size_t, std::map<double, Point>> points_; // by block, by delay
    std::map<double, Point> two_gaps_, legacy_;
    Points sockets_;
    std::map<std::pair<double, double>, double> layers_; // by delay and bytes of a turn
};

std::vector<Setting> LatencyStudy::path(double delay_ms) const {
    const double layer = paper_.at("layer_below", delay_ms);
    return {{"link.path.delay", fmt::format("{}us", std::lround(delay_ms * 1000))},
            {"link.path.rate", fmt::format("{:.0f}kbit/s", layer * 8e3 * ip_over_payload)}};
}

// The delay that was really held: what was set and how late packets were on the median.
double held_delay(double delay_ms, const RunLog &log) {
    return delay_ms / 1e3 + static_cast<double>(log.lateness_p50_ns) / 1e9;
}

std::chrono::nanoseconds bound_for(double delay_ms) {
    return std::chrono::microseconds(std::clamp(std::lround(delay_ms * 250), 150L, 1000L));
}

double LatencyStudy::layer_below(double delay_ms, double bytes, double &d_s, bool &valid) {
    const auto known = layers_.find({delay_ms, bytes});
    if (known != layers_.end()) {
        return known->second;
    }
    std::vector<Setting> settings = path(delay_ms);
    const int turns = bytes > 500000 ? 10 : 40;
    settings.push_back({"program.socket.options.bytes", fmt::format("\"{:.0f}B\"", bytes)});
    settings.push_back({"program.socket.options.count", fmt::format("{}", turns)});
    const Run &run =
        lab_.run({fmt::format("socket, {} ms, turns of {:.0f} bytes", delay_ms, bytes),
                  "papers/latency-socket", settings, bound_for(delay_ms), delay_ms < 0.5 ? 2U : 4U});
    const Measured measured = lab_.measure(run, "initiator", std::chrono::seconds{5}, true);
    lab_.forget(run);
    std::vector<double> rates = turn_rates(measured.pieces);
    rates.erase(rates.begin(),
                rates.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(rates.size(), 6)));
    valid = valid && run.log.valid;
    d_s = held_delay(delay_ms, run.log);
    return layers_[{delay_ms, bytes}] = median(rates);
}

Point LatencyStudy::measure(double delay_ms, const BlockSize &size, Sending sending) {
    Point point;
    point.delay_ms = delay_ms;
    std::vector<Setting> settings = path(delay_ms);
    settings.push_back({"program.reader.options.block", "\"" + size.block + "\""});
    settings.push_back(
        {"program.reader.options.split", size.split.empty() ? "false" : "\"" + size.split + "\""});
    const double cycle = 4 * delay_ms / 1e3 + size.read / 20e6;
    const double wanted = static_cast<double>(warm_up) + (quick_ ? 14 : 60);
    const double reads = std::min(wanted, static_cast<double>(warm_up) + (quick_ ? 1.2 : 3.5) / cycle);
    settings.push_back(
        {"program.reader.options.count",
         fmt::format("{}", std::max(3L, std::lround(reads / static_cast<double>(size.reads))))});
    if (sending == Sending::legacy) {
        settings.push_back({"program.target.options.legacy-send", "true"});
    } else if (sending == Sending::no_delay) {
        settings.push_back({"program.target.options.nagle", "\"off\""});
    }
    constexpr std::array<const char *, 3> labels{"", ", legacy-send", ", TCP_NODELAY"};
    const Run &run =
        lab_.run({fmt::format("{}, {} ms{}", size.name, delay_ms, labels[static_cast<std::size_t>(sending)]),
                  "papers/latency-read", settings, bound_for(delay_ms), delay_ms < 0.5 ? 2U : 4U});
    const Measured measured = lab_.measure(run, "initiator");
    lab_.forget(run);
    point.valid = run.log.valid;
    double socket_d = 0;
    point.layer = layer_below(delay_ms, size.read, socket_d, point.valid);
    point.d_s = held_delay(delay_ms, run.log);
    const Cycles steady = without_first(measured.reads, std::min(warm_up, measured.reads.size() / 3));
    point.means = means_of(steady);
    point.cycle_s = median_seconds(steady, &CycleRecord::cycle_time);
    point.throughput = point.means.bytes_per_second();
    point.k_seen = point.d_s > 0 ? point.means.idle_s / point.d_s : 0;
    ModelSettings model;
    model.type = TaskType::read;
    model.block = point.means.bytes;
    model.rtt = 2 * point.d_s * 1e9;
    // Large Reads are several PDUs, whose tails do not wait: there k is what the gaps say, an even integer.
    const bool counted_k = size.read > 500000;
    model.base_delays = sending == Sending::no_delay || (counted_k && point.k_seen < 3) ? 2 : 4;
    model.path_rate = point.layer;
    point.model_s = evaluate(model).parts.total() / 1e9;
    std::map<std::uint64_t, bool> counted;
    for (const CycleRecord &cycle_record : steady) {
        counted[cycle_record.cycle] = true;
    }
    for (const GapRecord &gap : measured.gaps) {
        if (gap.cycle && counted.count(*gap.cycle) > 0) {
            auto &[count, length] = point.gaps[std::string(name(gap.kind))];
            count += 1;
            length += papers::seconds(gap.length) * 1e3;
        }
    }
    for (auto &[kind, figures] : point.gaps) {
        figures.second /= figures.first;
        figures.first /= static_cast<double>(std::max<std::size_t>(steady.size(), 1));
    }
    return point;
}

// A stream as long as it takes to settle, over the same path.
double LatencyStudy::socket(double delay_ms) {
    std::vector<Setting> settings = path(delay_ms);
    const double bytes = paper_.at("layer_below", delay_ms) * 1e6 * (quick_ ? 1.0 : 3.0);
    settings.push_back({"program.socket.options.bytes", fmt::format("\"{:.0f}B\"", bytes)});
    settings.push_back({"program.socket.options.count", "1"});
    const Run &run = lab_.run({fmt::format("socket, {} ms, one stream", delay_ms), "papers/latency-socket",
                               settings, std::nullopt, 3});
    const Measured measured = lab_.measure(run, "initiator", std::chrono::seconds{5}, true);
    lab_.forget(run);
    return stream_rate(measured.pieces, 0.6);
}

// The segments of one Read as they pass between the hosts; the target's side is drawn one delay away.
void LatencyStudy::ladder(double delay_ms) {
    std::vector<Setting> settings = path(delay_ms);
    settings.push_back({"program.reader.options.count", "6"});
    const Run &run = lab_.run(
        {fmt::format("ladder, {} ms", delay_ms), "papers/latency-read", settings, bound_for(delay_ms), 3});
    const Measured measured = lab_.measure(run, "initiator", std::chrono::seconds{5}, true);
    lab_.forget(run);
    if (measured.reads.size() < 14) {
        return;
    }
    const CycleRecord &read = measured.reads[13];
    const double d = held_delay(delay_ms, run.log) * 1e3;
    Curve to_target{"command", Source::measured, {}, 1, false, true, false};
    Curve to_initiator{"Data-In and status", Source::measured, {}, 0, false, true, false};
    for (const Piece &piece : measured.pieces) {
        const double at = seconds_since(read.start, piece.time) * 1e3;
        if (at < -0.001 || piece.time > read.end || piece.stream != read.stream) {
            continue;
        }
        Curve &curve = piece.from_opener ? to_target : to_initiator;
        curve.points.emplace_back(piece.from_opener ? at : at - d, piece.from_opener ? 0 : 1);
        curve.points.emplace_back(piece.from_opener ? at + d : at, piece.from_opener ? 1 : 0);
        curve.points.emplace_back(std::nan(""), std::nan(""));
    }
    Plot plot;
    plot.title =
        fmt::format("One Read at {} ms one way: segments with payload (0: initiator, 1: target)", delay_ms);
    plot.x_label = "time since the command, ms";
    plot.y_label = "initiator → target";
    plot.curves = {to_target, to_initiator};
    plot.y_max = 1.05;
    page_.blocks.emplace_back(plot);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

void LatencyStudy::claims() {
    const auto &standard = points_[0];
    double worst_long = 0;
    double worst_short = 0;
    double worst_idle = 0;
    std::string model_text, idle_text, idle_model, idle_published, invalid;
    for (const auto &[delay, point] : standard) {
        if (delay < 0.9) {
            continue;
        }
        const double error = std::fabs(point.error());
        (delay >= 4 ? worst_long : worst_short) = std::max(delay >= 4 ? worst_long : worst_short, error);
        worst_idle =
            std::max(worst_idle, std::fabs(point.means.idle_share() * 100 - paper_.at("idle_share", delay)));
        const std::string comma = model_text.empty() ? "" : ", ";
        model_text += fmt::format("{}{} ms {:+.1f} %", comma, delay, point.error() * 100);
        idle_text += fmt::format("{}{} ms {:.1f} %", comma, delay, point.means.idle_share() * 100);
        idle_model += fmt::format("{}{} ms {:.1f} %", comma, delay, 400 * point.d_s / point.model_s);
        idle_published += fmt::format("{}{} ms {} %", comma, delay, paper_.at("idle_share", delay));
        invalid += point.valid ? "" : fmt::format(" The run at {} ms is not valid.", delay);
    }
    page_.claims.push_back(
        {"model", "The cycle is 4·d + B/T.", "model off by 9, 8, 4, 1, 4 % at 1 to 16 ms",
         "4·d + B/T, d by the links' log, T by the socket's turns", "model off by: " + model_text,
         judged(worst_long <= 0.08 && worst_short <= 0.15, worst_long <= 0.2 && worst_short <= 0.3),
         fmt::format(
             "median cycle; largest error {:.1f} % from 4 ms on (bar 8 %), {:.1f} % below (bar 15 %).{}",
             worst_long * 100, worst_short * 100, invalid)});
    page_.claims.push_back(
        {"idle-share", "Most of the cycle is idle, more with every millisecond of delay.", idle_published,
         idle_model, idle_text, judged(worst_idle <= 4, worst_idle <= 8),
         fmt::format("largest difference {:.1f} points (bar 4), the layer below set for each delay "
                     "as the published shares imply.{}",
                     worst_idle, invalid)});
    const Point &far = points_[0][16];
    const auto held = far.gaps.find("ack_held_data");
    const auto held_status = far.gaps.find("ack_held_status");
    const auto first = far.gaps.find("target_first_data");
    const double held_count = (held != far.gaps.end() ? held->second.first : 0) +
                              (held_status != far.gaps.end() ? held_status->second.first : 0);
    const double first_count = first != far.gaps.end() ? first->second.first : 0;
    std::string kinds;
    for (const auto &[kind, figures] : far.gaps) {
        if (figures.first >= 0.02) {
            kinds += fmt::format("{}{:.2f} {} of {:.1f} ms", kinds.empty() ? "" : ", ", figures.first, kind,
                                 figures.second);
        }
    }
    page_.claims.push_back(
        {"four-intervals",
         "The cycle has four idle intervals of one one-way delay each (the paper does not say why).", "4",
         "4", fmt::format("{:.2f} one-way delays idle a Read: {}", far.k_seen, kinds),
         judged(std::lround(far.k_seen) == 4 && held_count > 0.9 && first_count > 0.9,
                std::lround(far.k_seen) == 4),
         "idle time of a Read at 16 ms over d; the causes are the analyzer's: the first data of the target, "
         "and a "
         "small segment that Nagle's algorithm holds until an ACK comes"});
    if (const auto two = two_gaps_.find(16); two != two_gaps_.end()) {
        page_.claims.push_back(
            {"two-intervals", "Not in the paper: with TCP_NODELAY two intervals are left.", "",
             fmt::format("2·d + B/T = {:.1f} ms", two->second.model_s * 1e3),
             fmt::format("cycle {:.1f} ms, {:.2f} one-way delays idle", two->second.cycle_s * 1e3,
                         two->second.k_seen),
             judged(std::lround(two->second.k_seen) == 2 && std::fabs(two->second.error()) <= 0.08,
                    std::lround(two->second.k_seen) == 2),
             fmt::format("model off by {:+.1f} %", two->second.error() * 100)});
    }
    double worst_legacy = 0;
    std::string legacy_text;
    bool legacy_four = !legacy_.empty();
    for (const auto &[delay, point] : legacy_) {
        if (delay >= 0.9) {
            worst_legacy = std::max(worst_legacy, std::fabs(point.error()));
            legacy_four = legacy_four && std::lround(point.k_seen) == 4;
            legacy_text += fmt::format("{}{} ms {:+.1f} % (k {:.2f})", legacy_text.empty() ? "" : ", ", delay,
                                       point.error() * 100, point.k_seen);
        }
    }
    page_.claims.push_back(
        {"legacy-send", "Not in the paper: header and data of each PDU written apart, Nagle's algorithm on.",
         "", "4·d + B/T", "model off by: " + legacy_text,
         judged(legacy_four && worst_legacy <= 0.08, worst_legacy <= 0.3),
         "today's kernel holds the data's tail for the ACK of the small header, sent before the data, so "
         "that the wait runs beside the data and part of B/T is hidden"});
    const double standard_16 = points_[0][16].throughput / 1e6;
    std::vector<double> by_block;
    std::string text;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (points_[i].count(16) > 0) {
            by_block.push_back(points_[i][16].throughput / 1e6);
            text +=
                fmt::format("{}{} {:.2f} MB/s", text.empty() ? "" : ", ", blocks[i].name, by_block.back());
        }
    }
    // 125 KB and the default are the same Reads but for 0.4 %: they may stand either way round.
    const bool ordered =
        std::is_sorted(by_block.begin() + 1, by_block.end()) && by_block[0] <= by_block[1] * 1.05;
    const double big = by_block.back();
    const double layer = points_[4][16].layer / 1e6;
    page_.claims.push_back(
        {"large-blocks",
         "Large Reads hide the delay: 4 MB at 16 ms run at a little over half of the layer below, many times "
         "the default.",
         fmt::format("{} MB/s of {} MB/s: {:.2f}", paper_.value("block_4mb_16ms"), paper_.value("layer_16ms"),
                     paper_.value("block_4mb_16ms") / paper_.value("layer_16ms")),
         fmt::format("{:.1f} MB/s", points_[4][16].means.bytes / points_[4][16].model_s / 1e6),
         fmt::format("{}; 4 MB is {:.1f} times the default and {:.2f} of the layer below ({:.1f} MB/s)", text,
                     big / standard_16, big / layer, layer),
         judged(ordered && std::fabs(big / layer - 0.52) <= 0.08, ordered && big / standard_16 > 3),
         ordered ? "the order holds; today's kernel opens the window of 1 MB wholly, so that 4 MB need fewer "
                   "extra round trips than in 2003"
                 : "the order does not hold"});
}

void LatencyStudy::figures() {
    Table table{"Cycles of the default split (reads of 127.5 and 117.5 KB): model beside measurement",
                {"d, ms", "held d, ms", "T, MB/s", "cycle model, ms", "measured (median), ms", "model off by",
                 "published off by", "idle model", "idle measured", "idle published", "Reads", "valid"},
                {}};
    Curve idle_published{"idle share", Source::published, paper_.series("idle_share"), 0, false, false,
                         false};
    Curve idle_model{"idle share", Source::model, {}, 0, false, false, false};
    Curve idle_measured{"idle share", Source::measured, {}, 0, false, false, false};
    Curve cycle_model{"cycle", Source::model, {}, 0, false, false, false},
        cycle_measured{"cycle", Source::measured, {}, 0, false, false, false};
    for (const auto &[delay, p] : points_[0]) {
        table.rows.push_back({fmt::format("{}", delay), fmt::format("{:.3f}", p.d_s * 1e3),
                              fmt::format("{:.1f}", p.layer / 1e6), fmt::format("{:.2f}", p.model_s * 1e3),
                              fmt::format("{:.2f}", p.cycle_s * 1e3),
                              fmt::format("{:+.1f} %", p.error() * 100),
                              delay < 0.9 ? "" : fmt::format("{} %", paper_.at("model_error", delay)),
                              percent(4 * p.d_s / p.model_s), percent(p.means.idle_share()),
                              delay < 0.9 ? "" : fmt::format("{} %", paper_.at("idle_share", delay)),
                              fmt::format("{}", p.means.count), p.valid ? "yes" : "no"});
        idle_model.points.emplace_back(delay, 400 * p.d_s / p.model_s);
        idle_measured.points.emplace_back(delay, 100 * p.means.idle_share());
        cycle_model.points.emplace_back(delay, p.model_s * 1e3);
        cycle_measured.points.emplace_back(delay, p.cycle_s * 1e3);
    }
    page_.blocks.emplace_back(Heading{"Cycle and idle share against the delay"});
    page_.blocks.emplace_back(table);
    page_.blocks.emplace_back(Plot{"Idle share of the cycle",
                                   "one-way delay, ms",
                                   "idle share of the cycle, %",
                                   {idle_published, idle_model, idle_measured},
                                   false,
                                   false,
                                   {},
                                   100.0,
                                   {}});
    page_.blocks.emplace_back(Plot{"Cycle time, modelled and measured",
                                   "one-way delay, ms",
                                   "cycle, ms",
                                   {cycle_model, cycle_measured},
                                   false,
                                   false,
                                   {},
                                   {},
                                   {}});
    Plot delays{
        "Throughput against the delay", "one-way delay, ms", "throughput, MB/s", {}, true, false, {}, {}, {}};
    delays.curves.push_back(
        {"layer below", Source::published, paper_.series("layer_below"), 7, false, false, false});
    delays.curves.push_back({"socket", Source::measured, sockets_, 7, false, false, false});
    delays.curves.push_back(
        {"4 MB", Source::published, {{16, paper_.value("block_4mb_16ms")}}, 4, false, false, false});
    Plot sizes{"Throughput against the block at 16 ms",
               "bytes of a Read, KB",
               "throughput, MB/s",
               {},
               true,
               false,
               {},
               {},
               {}};
    Curve size_model{"at 16 ms", Source::model, {}, 0, false, false, false},
        size_measured{"at 16 ms", Source::measured, {}, 0, false, false, false};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Curve measured{blocks[i].name, Source::measured, {}, blocks[i].colour, false, false, false},
            model = measured;
        model.source = Source::model;
        for (const auto &[delay, p] : points_[i]) {
            measured.points.emplace_back(delay, p.throughput / 1e6);
            model.points.emplace_back(delay, p.means.bytes / p.model_s / 1e6);
        }
        if (i > 0 && points_[i].count(16) > 0) {
            size_model.points.emplace_back(blocks[i].read / 1024,
                                           points_[i][16].means.bytes / points_[i][16].model_s / 1e6);
            size_measured.points.emplace_back(blocks[i].read / 1024, points_[i][16].throughput / 1e6);
        }
        delays.curves.push_back(model);
        delays.curves.push_back(measured);
    }
    page_.blocks.emplace_back(Heading{"Throughput against delay and block size"});
    page_.blocks.emplace_back(delays);
    sizes.curves = {
        {"4 MB", Source::published, {{4096, paper_.value("block_4mb_16ms")}}, 4, false, false, false},
        size_model,
        size_measured};
    page_.blocks.emplace_back(sizes);
}

StudyPage LatencyStudy::run() {
    page_.scale =
        "Rates, delays and sizes as published; MTU 1500. The link's rate is set for each delay to the layer "
        "below that the published idle share implies (41, 42, 41, 29, 20 MB/s of TCP payload at 1, 2, 4, 8, "
        "16 ms; 41 at 0.14 ms is assumed). Kernel TCP of today, Reno, windows of 1 MB, no restart after "
        "idle.";
    const std::vector<double> delays =
        quick_ ? std::vector<double>{1, 4, 16} : std::vector<double>{0.14, 1, 2, 4, 8, 16};
    for (const double delay : delays) {
        points_[0][delay] = measure(delay, blocks[0], Sending::nagle);
        if (!quick_ || delay == 16) {
            for (std::size_t i = 1; i < blocks.size(); ++i) {
                if (quick_ && (i == 1 || i == 3)) {
                    continue; // 125 KB is the default but for the split, 2 MB lies between its neighbours
                }
                points_[i][delay] = measure(delay, blocks[i], Sending::nagle);
            }
            sockets_.emplace_back(delay, socket(delay) / 1e6);
            two_gaps_[delay] = measure(delay, blocks[0], Sending::no_delay);
            legacy_[delay] = measure(delay, blocks[0], Sending::legacy);
        }
        if (!lab_.failure().empty()) {
            return page_;
        }
    }
    claims();
    figures();
    page_.blocks.emplace_back(Heading{"The packets of one Read"});
    ladder(8);
    return page_;
}

} // namespace

StudyPage latency_study(const StudyContext &context) {
    return LatencyStudy(context).run();
}

} // namespace iscsiscope::testbed::papers
