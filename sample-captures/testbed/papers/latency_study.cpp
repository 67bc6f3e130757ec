// SPDX-License-Identifier: GPL-2.0-or-later
// Study 1: sequential Reads over a long path; cycle = k·d + B/T, nothing fitted.
#include "sample-captures/testbed/papers/latency_study.h"

#include "analyzer/cycles/records/records.h"
#include "analyzer/model/cycle_model.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {
namespace {

constexpr std::size_t warm_up = 8;                // Reads until the congestion window holds a Read
constexpr double ip_over_payload = 1500.0 / 1448; // of full segments with timestamps

// The delay that was really held: what was set and how late packets were on the median.
double held_delay(double delay_ms, const RunLog &log) {
    return delay_ms / 1e3 + static_cast<double>(log.lateness_p50_ns) / 1e9;
}

std::chrono::nanoseconds bound_for(double delay_ms) {
    return std::chrono::microseconds(std::clamp(std::lround(delay_ms * 250), 150L, 1000L));
}

} // namespace

std::vector<Setting> LatencyStudy::path(double delay_ms) const {
    const double layer = paper_.at("layer_below", delay_ms);
    return {{"link.path.delay", fmt::format("{}us", std::lround(delay_ms * 1000))},
            {"link.path.rate", fmt::format("{:.0f}kbit/s", layer * 8e3 * ip_over_payload)}};
}

double LatencyStudy::layer_below(double delay_ms, double bytes, double &d_s, bool &valid) {
    const auto known = layers_.find({delay_ms, bytes});
    if (known != layers_.end())
        return known->second;
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
    if (sending == Sending::legacy)
        settings.push_back({"program.target.options.legacy-send", "true"});
    else if (sending == Sending::no_delay)
        settings.push_back({"program.target.options.nagle", "\"off\""});
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
    point.k_seen = point.d_s > 0 ? median_seconds(steady, &CycleRecord::idle) / point.d_s : 0;
    std::vector<double> shares;
    std::vector<double> sizes;
    for (const CycleRecord &read : steady) {
        if (read.cycle_time && read.idle)
            shares.push_back(papers::seconds(*read.idle) / papers::seconds(*read.cycle_time));
        sizes.push_back(static_cast<double>(read.bytes_moved));
    }
    point.idle_share = median(std::move(shares));
    ModelSettings model;
    model.type = TaskType::read;
    model.block = median(std::move(sizes));
    model.rtt = 2 * point.d_s * 1e9;
    // Large Reads are several PDUs, whose tails do not wait: there k is what the gaps say, an even integer.
    const bool counted_k = size.read > 500000;
    model.base_delays = sending != Sending::nagle || (counted_k && point.k_seen < 3) ? 2 : 4;
    model.path_rate = point.layer;
    if (sending == Sending::legacy) {
        // The small header leaves first. Linux holds a small segment only while another small one is not yet
        // acknowledged (Minshall's form of Nagle's algorithm): the data's tail and the status wait for the
        // header's ACK, 2·d after it left, while the full segments of the data pass.
        model.held = std::max(0.0, (2 * point.d_s - model.block / point.layer) * 1e9);
    }
    point.model_s = evaluate(model).parts.total() / 1e9;
    std::map<std::uint64_t, bool> counted;
    for (const CycleRecord &cycle_record : steady)
        counted[cycle_record.cycle] = true;
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
    if (measured.reads.size() < 14)
        return;
    const CycleRecord &read = measured.reads[13];
    const double d = held_delay(delay_ms, run.log) * 1e3;
    Curve to_target{"command", Source::measured, {}, 1, false, true};
    Curve to_initiator{"Data-In and status", Source::measured, {}, 0, false, true};
    for (const Piece &piece : measured.pieces) {
        const double at = seconds_since(read.start, piece.time) * 1e3;
        if (at < -0.001 || piece.time > read.end || piece.stream != read.stream)
            continue;
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

StudyPage LatencyStudy::run() {
    page_.scale =
        "Rates, delays and sizes as published; MTU 1500. The link's rate is set for each delay to the layer "
        "below that the published idle share implies (41, 42, 41, 29, 20 MB/s of TCP payload at 1, 2, 4, 8, "
        "16 ms; 41 at 0.14 ms is assumed). Kernel TCP of today, Reno, windows and send buffers of 1 MB, no "
        "restart after "
        "idle.";
    const std::vector<double> delays =
        quick_ ? std::vector<double>{1, 4, 16} : std::vector<double>{0.14, 1, 2, 4, 8, 16};
    for (const double delay : delays) {
        points_[0][delay] = measure(delay, blocks[0], Sending::nagle);
        if (!quick_ || delay == 16) {
            for (std::size_t i = 1; i < blocks.size(); ++i) {
                if (quick_ && (i == 1 || i == 3))
                    continue; // 125 KB is the default but for the split, 2 MB lies between its neighbours
                points_[i][delay] = measure(delay, blocks[i], Sending::nagle);
            }
            sockets_.emplace_back(delay, socket(delay) / 1e6);
            two_gaps_[delay] = measure(delay, blocks[0], Sending::no_delay);
            legacy_[delay] = measure(delay, blocks[0], Sending::legacy);
        }
        if (!lab_.failure().empty())
            return page_;
    }
    claims();
    figures();
    page_.blocks.emplace_back(Heading{"The packets of one Read"});
    ladder(8);
    return page_;
}

StudyPage latency_study(const StudyContext &context) {
    return LatencyStudy(context).run();
}

} // namespace iscsiscope::testbed::papers
