// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/run_report.h"

#include "analyzer/report/json/json_library.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace iscsiscope::testbed::initiator {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char *, double>, 5> quantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}}};

double rate(double amount, double seconds) {
    return seconds > 0 ? amount / seconds : 0;
}

std::string latency_line(const char *what, const Histogram &histogram) {
    if (histogram.count() == 0)
        return {};
    const auto ms = [](auto ns) { return static_cast<double>(*ns) / 1e6; };
    std::string line = fmt::format("{:<16} min {:.3f}", what, ms(histogram.minimum()));
    for (const auto &[label, share] : quantiles)
        if (static_cast<double>(histogram.count()) * (1 - share) >= 1 || share <= 0.5)
            line += fmt::format("  {} {:.3f}", label, ms(histogram.quantile(share)));
    return line + fmt::format("  max {:.3f}  mean {:.3f} ms ({})\n", ms(histogram.maximum()),
                              ms(histogram.mean()), histogram.count());
}

Json latency_json(const Histogram &histogram) {
    if (histogram.count() == 0)
        return nullptr;
    Json json{{"count", histogram.count()},
              {"min", *histogram.minimum()},
              {"mean", std::llround(*histogram.mean())},
              {"max", *histogram.maximum()}};
    for (const auto &[label, share] : quantiles)
        json[label] = *histogram.quantile(share);
    return json;
}

const char *stage_name(ParallelismTuner::Stage stage) {
    switch (stage) {
    case ParallelismTuner::Stage::bracketing:
        return "bracketing";
    case ParallelismTuner::Stage::narrowing:
        return "narrowing";
    case ParallelismTuner::Stage::settled:
        break;
    }
    return "settled";
}

// Population standard deviation of the connections' throughputs, bytes a second (definitions, "throughput
// deviation").
double deviation(const std::vector<ConnectionFigures> &connections, double seconds) {
    if (connections.empty() || seconds <= 0)
        return 0;
    double sum = 0, squares = 0;
    for (const ConnectionFigures &connection : connections) {
        const double throughput = static_cast<double>(connection.bytes) / seconds;
        sum += throughput;
        squares += throughput * throughput;
    }
    const auto n = static_cast<double>(connections.size());
    return std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
}

} // namespace

std::string report_text(const RunReport &report) {
    const RunFigures &f = report.figures;
    const double seconds = f.seconds();
    std::string text;
    for (const TargetReport &target : report.targets)
        text += fmt::format("target           {} {} LUN {} ({} {}, {} blocks of {} bytes)\n", target.portal,
                            target.name, target.lun, target.vendor, target.product, target.blocks,
                            target.block_bytes);
    text +=
        fmt::format("workload         {}, block {} bytes, depth {}, {} process(es), {} connection(s)\n",
                    report.workload, report.block_bytes, report.depth, report.processes, report.connections);
    text += fmt::format(
        "moved            {} bytes in {:.3f} s: {:.3f} MB/s, {:.1f} IO/s ({} commands, {} requests)\n",
        f.bytes(), seconds, rate(static_cast<double>(f.bytes()) / 1e6, seconds),
        rate(static_cast<double>(f.commands()), seconds), f.commands(), f.requests);
    text += latency_line("read commands", f.read_latency);
    text += latency_line("write commands", f.write_latency);
    if (f.requests != f.commands())
        text += latency_line("requests", f.request_latency);
    for (std::size_t t = 0; t < f.connections.size(); ++t) {
        if (f.connections[t].size() < 2)
            continue;
        text += fmt::format("connections {:<4} ", t + 1);
        for (const ConnectionFigures &connection : f.connections[t])
            text += fmt::format(" {:.3f}", rate(static_cast<double>(connection.bytes) / 1e6, seconds));
        text += fmt::format(" MB/s, deviation {:.3f}\n", deviation(f.connections[t], seconds) / 1e6);
    }
    if (report.tuning) {
        const auto &tuning = *report.tuning;
        text += fmt::format("tuner            N = {} ({}), {} measurements:", tuning.chosen,
                            tuning.settled ? "settled" : "not settled", tuning.samples.size());
        for (const AptSample &sample : tuning.samples)
            text += fmt::format(" {}:{:.2f}", sample.connections, sample.bytes_per_second / 1e6);
        text += " MB/s\n";
    }
    if (f.aborted + f.retried + f.errors > 0)
        text += fmt::format("commands         {} aborted, {} retried, {} failed\n", f.aborted, f.retried,
                            f.errors);
    if (report.verification) {
        const auto &v = *report.verification;
        text += fmt::format("data             {} blocks checked, {} wrong, {} not checked\n",
                            v.checked_blocks, v.wrong_blocks, v.unchecked_blocks);
        for (const std::string &complaint : v.complaints)
            text += fmt::format("                 {}\n", complaint);
    }
    return text;
}

std::string report_json(const RunReport &report) {
    const RunFigures &f = report.figures;
    const double seconds = f.seconds();
    Json json{{"kind", "iscsi"},
              {"workload", report.workload},
              {"block_bytes", report.block_bytes},
              {"depth", report.depth},
              {"processes", report.processes},
              {"seconds", seconds},
              {"start_ns", f.start_ns},
              {"end_ns", f.end_ns},
              {"bytes", f.bytes()},
              {"bytes_read", f.bytes_read},
              {"bytes_written", f.bytes_written},
              {"commands", f.commands()},
              {"read_commands", f.read_commands},
              {"write_commands", f.write_commands},
              {"requests", f.requests},
              {"mb_per_s", rate(static_cast<double>(f.bytes()) / 1e6, seconds)},
              {"io_per_s", rate(static_cast<double>(f.commands()), seconds)},
              {"read_latency_ns", latency_json(f.read_latency)},
              {"write_latency_ns", latency_json(f.write_latency)},
              {"request_latency_ns", latency_json(f.request_latency)},
              {"aborted", f.aborted},
              {"retried", f.retried},
              {"failed", f.errors}};
    json["targets"] = Json::array();
    for (std::size_t t = 0; t < report.targets.size(); ++t) {
        const TargetReport &target = report.targets[t];
        Json connections = Json::array();
        for (std::size_t c = 0; t < f.connections.size() && c < f.connections[t].size(); ++c)
            connections.push_back({{"connection", target.connection_names.at(c)},
                                   {"commands", f.connections[t][c].commands},
                                   {"bytes", f.connections[t][c].bytes}});
        Json keys = Json::object();
        for (const auto &[key, value] : target.keys)
            keys[key] = value;
        json["targets"].push_back({{"portal", target.portal},
                                   {"name", target.name},
                                   {"lun", target.lun},
                                   {"blocks", target.blocks},
                                   {"block_bytes", target.block_bytes},
                                   {"r2ts", target.r2ts},
                                   {"aborts", target.aborts},
                                   {"rejects", target.rejects},
                                   {"throughput_deviation_bytes_per_s",
                                    t < f.connections.size() ? deviation(f.connections[t], seconds) : 0.0},
                                   {"connections", connections},
                                   {"keys", keys}});
    }
    if (report.verification)
        json["verification"] = {{"checked_blocks", report.verification->checked_blocks},
                                {"unchecked_blocks", report.verification->unchecked_blocks},
                                {"wrong_blocks", report.verification->wrong_blocks},
                                {"complaints", report.verification->complaints}};
    if (report.tuning) {
        Json samples = Json::array();
        for (const AptSample &sample : report.tuning->samples)
            samples.push_back({{"time_ns", sample.time_ns},
                               {"connections", sample.connections},
                               {"bytes_per_s", sample.bytes_per_second},
                               {"stage", stage_name(sample.stage)},
                               {"next", sample.next}});
        json["apt"] = {{"connections", report.tuning->chosen},
                       {"settled", report.tuning->settled},
                       {"samples", samples}};
    }
    json["errors"] = report.errors;
    json["exit_code"] = report.exit_code;
    // What peers say about themselves need not be UTF-8.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace iscsiscope::testbed::initiator
