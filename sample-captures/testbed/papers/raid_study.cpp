// SPDX-License-Identifier: GPL-2.0-or-later
// Study 5: a RAID0 target under six loads, by request size, processes, hosts and socket buffer.
#include "sample-captures/testbed/papers/lab/lab.h"
#include "sample-captures/testbed/papers/lab/study.h"
#include "sample-captures/testbed/papers/page/published.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace iscsiscope::testbed::papers {
namespace {

struct Load {
    const char *name, *workload;
};
constexpr std::array<Load, 6> loads{{{"constant read", "const-read"},
                                     {"constant write", "const-write"},
                                     {"sequential read", "seq-read"},
                                     {"sequential write", "seq-write"},
                                     {"random read", "rand-read"},
                                     {"random write", "rand-write"}}};

struct Rate {
    double mb = 0, io = 0; // MB/s, requests a second
    bool valid = true;
};

enum class Way { serial, queued, connections };
constexpr std::array<const char *, 3> way_names{"one connection, a command at a time",
                                                "one connection, commands queued",
                                                "MC/S, as many connections as processes"};

class RaidStudy {
public:
    explicit RaidStudy(const StudyContext &context)
        : lab_(context.lab), paper_(context.published), quick_(context.quick) {}
    StudyPage run();

private:
    Rate measure(const std::string &label, const std::string &scenario, std::vector<Setting> settings,
                 double request);
    Rate by_size(std::size_t load, double kib);
    Rate by_processes(std::size_t load, Way, int processes);
    Rate two_hosts(std::size_t load, double kib);
    Rate by_buffer(const char *workload, int kib);
    void claims();
    void figures();

    Lab &lab_;
    const Published &paper_;
    bool quick_;
    StudyPage page_;
    std::array<std::map<double, Rate>, loads.size()> sizes_; // by KiB
    std::map<std::size_t, std::array<std::map<int, Rate>, 3>> processes_;
    std::map<std::size_t, Rate> hosts_;
    std::map<int, Rate> buffer_reads_, buffer_writes_;
    bool valid_ = true;
};

std::string quoted(const std::string &text) {
    return "\"" + text + "\"";
}

// request: bytes of one of the load's requests, which commands may be parts of.
Rate RaidStudy::measure(const std::string &label, const std::string &scenario, std::vector<Setting> settings,
                        double request) {
    const Run &run = lab_.run({label, "papers/" + scenario, std::move(settings), std::nullopt, 3});
    const Measured measured = lab_.measure(run, "target");
    lab_.forget(run);
    valid_ = valid_ && run.log.valid;
    const std::vector<CycleRecord> &cycles =
        measured.reads.size() > measured.writes.size() ? measured.reads : measured.writes;
    // The first half warms the congestion window and fills the write-back cache.
    const double rate = rate_of(without_first(cycles, cycles.size() / 2));
    return {rate / 1e6, rate / request, run.log.valid};
}

std::string duration(bool quick) {
    return quoted(quick ? "700ms" : "1500ms");
}

Rate RaidStudy::by_size(std::size_t load, double kib) {
    return measure(fmt::format("{}, {} KB", loads[load].name, kib), "raid",
                   {{"program.load.options.workload", quoted(loads[load].workload)},
                    {"program.load.options.block", quoted(fmt::format("{:.0f}B", kib * 1024))},
                    {"program.load.options.duration", duration(quick_)}},
                   kib * 1024);
}

Rate RaidStudy::by_processes(std::size_t load, Way way, int processes) {
    std::vector<Setting> settings = {{"program.load.options.workload", quoted(loads[load].workload)},
                                     {"program.load.options.block", quoted("32KiB")},
                                     {"program.load.options.duration", duration(quick_)},
                                     {"program.load.options.processes", fmt::format("{}", processes)}};
    if (way == Way::queued) {
        settings.push_back({"program.load.options.connection-depth", "0"});
    } else if (way == Way::connections) {
        settings.push_back({"program.load.options.connections", fmt::format("{}", processes)});
        settings.push_back({"program.load.options.dispatch", quoted("least-loaded")});
    }
    return measure(fmt::format("{}, 32 KB, {} processes, {}", loads[load].name, processes,
                               way_names[static_cast<std::size_t>(way)]),
                   "raid", settings, 32 * 1024);
}

Rate RaidStudy::two_hosts(std::size_t load, double kib) {
    std::vector<Setting> settings;
    for (const char *program : {"load", "second"}) {
        const std::string options = fmt::format("program.{}.options.", program);
        settings.push_back({options + "workload", quoted(loads[load].workload)});
        settings.push_back({options + "block", quoted(fmt::format("{:.0f}B", kib * 1024))});
        settings.push_back({options + "duration", duration(quick_)});
    }
    settings.push_back({"program.load.options.span", quoted("128MiB")});
    return measure(fmt::format("{}, {} KB, two hosts", loads[load].name, kib), "raid-two-hosts", settings,
                   kib * 1024);
}

// The paper's target moves one socket buffer at a time between network and disks: commands of that size.
Rate RaidStudy::by_buffer(const char *workload, int kib) {
    const std::string size = quoted(fmt::format("{}KiB", kib));
    return measure(fmt::format("{}, socket buffer {} KB", workload, kib), "raid",
                   {{"program.load.options.workload", quoted(workload)},
                    {"program.load.options.block", quoted("512KiB")},
                    {"program.load.options.split", size},
                    {"program.load.options.sndbuf", size},
                    {"program.load.options.rcvbuf", size},
                    {"program.target.options.send-buffer", size},
                    {"program.target.options.receive-buffer", size},
                    {"program.load.options.duration", duration(quick_)}},
                   512 * 1024);
}

double rate_at(const std::map<double, Rate> &curve, double x) {
    const auto found = curve.find(x);
    return found == curve.end() ? 0 : found->second.mb;
}

void RaidStudy::claims() {
    const std::string note = valid_ ? "" : " At least one run is not valid.";
    const double read = rate_at(sizes_[0], 256);
    const double write = rate_at(sizes_[1], 512);
    page_.claims.push_back(
        {"constant-read", "Constant read reaches its best at large requests.",
         fmt::format("{} MB/s at 256 KB", paper_.value("constant_read_256")),
         "B / (round trip + B/T), T = 24.1 MB/s", fmt::format("{:.1f} MB/s at 256 KB", read),
         judged(std::fabs(read / paper_.value("constant_read_256") - 1) < 0.1,
                read > 5 * rate_at(sizes_[0], sizes_[0].begin()->first)),
         "the link stands for the paper's processors, so the height is set; the shape is the outcome." +
             note});
    page_.claims.push_back({"constant-write", "Constant write stays below constant read.",
                            fmt::format("{} MB/s at 512 KB", paper_.value("constant_write_512")), "",
                            fmt::format("{:.1f} MB/s at 512 KB, read {:.1f}", write, rate_at(sizes_[0], 512)),
                            judged(write < rate_at(sizes_[0], 512) &&
                                       std::fabs(write / paper_.value("constant_write_512") - 1) < 0.15,
                                   write < rate_at(sizes_[0], 512)),
                            "write-back cache, R2Ts cost round trips." + note});
    bool rising = true;
    bool ordered = true;
    for (const auto &curve : sizes_)
        rising = rising && rate_at(curve, 512) > 2 * curve.begin()->second.mb;
    std::string text;
    for (std::size_t i = 0; i < loads.size(); ++i)
        text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", loads[i].name, rate_at(sizes_[i], 128));
    const double slack = 1.03;
    ordered = rate_at(sizes_[0], 128) * slack > rate_at(sizes_[2], 128) &&
              rate_at(sizes_[2], 128) * slack > rate_at(sizes_[4], 128) &&
              rate_at(sizes_[1], 128) * slack > rate_at(sizes_[3], 128) &&
              rate_at(sizes_[3], 128) * slack > rate_at(sizes_[5], 128);
    page_.claims.push_back(
        {"six-loads",
         "All six loads rise with the request size; constant is fastest, sequential next, random slowest.",
         "as curves", "", "at 128 KB, MB/s: " + text, judged(rising && ordered, rising),
         std::string(ordered ? "the order holds for reads and writes at 128 KB"
                             : "the order does not hold everywhere at 128 KB") +
             " (within 3 %); writes end in the cache, where the address matters little." + note});
    const auto gain = [](const std::map<int, Rate> &curve) {
        return curve.empty() ? 0 : curve.rbegin()->second.mb / std::max(curve.begin()->second.mb, 1e-9);
    };
    double serial = 0;
    double mcs = 1e9;
    std::string serial_text, mcs_text, queued_text;
    for (auto &[load, ways] : processes_) {
        serial = std::max(serial, gain(ways[0]));
        mcs = std::min(mcs, gain(ways[2]));
        serial_text += fmt::format("{}{} {:.2f} times", serial_text.empty() ? "" : ", ", loads[load].name,
                                   gain(ways[0]));
        mcs_text +=
            fmt::format("{}{} {:.2f} times", mcs_text.empty() ? "" : ", ", loads[load].name, gain(ways[2]));
        queued_text += fmt::format("{}{} {:.2f} times", queued_text.empty() ? "" : ", ", loads[load].name,
                                   gain(ways[1]));
    }
    const int most = processes_.empty() || processes_.begin()->second[0].empty()
                         ? 0
                         : processes_.begin()->second[0].rbegin()->first;
    page_.claims.push_back({"processes", "More processes on the one connection do not help.", "no gain", "1",
                            fmt::format("{} processes against one: {}", most, serial_text),
                            judged(serial < 1.1, serial < 1.3),
                            fmt::format("one command at a time on a connection, as in the paper's target: "
                                        "that is set. With commands queued on the one connection: {}.{}",
                                        queued_text, note)});
    page_.claims.push_back(
        {"mcs", "The paper proposes several connections a session and did not build them: they should help.",
         "proposed", "", fmt::format("{} connections against one: {}", most, mcs_text),
         judged(mcs > 1.2, mcs > 1.05),
         "each connection still carries one command at a time; constant read ends at the link, random read "
         "at the four disks." +
             note});
    const double kib = 256;
    std::string hosts;
    for (auto &[load, rate] : hosts_) {
        hosts += fmt::format("{}{} {:.1f} → {:.1f} MB/s", hosts.empty() ? "" : ", ", loads[load].name,
                             rate_at(sizes_[load], kib), rate.mb);
    }
    const auto host_gain = [&](std::size_t load) {
        return hosts_.count(load) > 0 ? hosts_[load].mb / std::max(rate_at(sizes_[load], kib), 1e-9) : 0;
    };
    const bool constant_flat = host_gain(0) < 1.15;
    const bool random_gains = host_gain(4) > 1.15;
    const bool sequential_gains = host_gain(2) > 1.05;
    page_.claims.push_back(
        {"two-hosts", "A second host adds nothing for constant, something for sequential and random.",
         "as curves", "", hosts,
         judged(constant_flat && random_gains && sequential_gains, constant_flat && random_gains),
         fmt::format("reads of 256 KB, one host → two: constant {:.2f}, sequential {:.2f}, random {:.2f} "
                     "times. Two sequential streams make the modelled "
                     "disks seek between them, which a real array's read-ahead softens.{}",
                     host_gain(0), host_gain(2), host_gain(4), note)});
    const auto buffer = [](const std::map<int, Rate> &curve, int size) {
        const auto found = curve.find(size);
        return found == curve.end() ? 0 : found->second.mb;
    };
    const double step = buffer(buffer_reads_, 128) / std::max(buffer(buffer_reads_, 64), 1e-9);
    const double beyond = buffer(buffer_reads_, 512) / std::max(buffer(buffer_reads_, 128), 1e-9);
    page_.claims.push_back(
        {"buffer-step",
         "The step of the socket buffer from 64 to 128 KB (32 KB × 4 disks) is large, beyond it flat.",
         "large, then flat", "",
         fmt::format(
             "sequential read: 64 → 128 KB {:.2f} times ({:.1f} → {:.1f} MB/s), 128 → 512 KB {:.2f} times",
             step, buffer(buffer_reads_, 64), buffer(buffer_reads_, 128), beyond),
         judged(step > 1.3 && beyond<1.15, step> beyond),
         "a socket buffer's worth is moved at a time (set here as the command size): from 128 KB on all four "
         "disks work on it." +
             note});
}

Curve curve_of(const std::string &name, unsigned colour, const std::map<int, Rate> &rates, bool io) {
    Curve curve{name, Source::measured, {}, colour};
    for (const auto &[x, rate] : rates)
        curve.points.emplace_back(x, io ? rate.io : rate.mb);
    return curve;
}

void RaidStudy::figures() {
    Plot plot{"Throughput against the request size, six loads",
              "request size, KB",
              "throughput, MB/s",
              {},
              true,
              false,
              {},
              {},
              {}};
    plot.curves.push_back(
        {"constant read", Source::published, {{256, paper_.value("constant_read_256")}}, 0});
    plot.curves.push_back(
        {"constant write", Source::published, {{512, paper_.value("constant_write_512")}}, 1});
    Curve model{"constant read", Source::model, {}, 0};
    Table table{"Throughput by request size, MB/s", {"KB"}, {}};
    for (unsigned i = 0; i < loads.size(); ++i) {
        Curve curve{loads[i].name, Source::measured, {}, i};
        for (const auto &[kib, rate] : sizes_[i])
            curve.points.emplace_back(kib, rate.mb);
        plot.curves.push_back(curve);
        table.head.emplace_back(loads[i].name);
    }
    for (const auto &[kib, rate] : sizes_[0]) {
        const double bytes = kib * 1024;
        model.points.emplace_back(kib, bytes / (2 * 100e-6 + bytes / (25e6 * 1448 / 1500)) / 1e6);
        std::vector<std::string> row{fmt::format("{}", kib)};
        for (const auto &curve : sizes_)
            row.push_back(curve.count(kib) > 0 ? fmt::format("{:.2f}", curve.at(kib).mb) : "");
        table.rows.push_back(row);
    }
    plot.curves.push_back(model);
    page_.blocks.emplace_back(Heading{"Request size"});
    page_.blocks.emplace_back(plot);
    page_.blocks.emplace_back(table);
    page_.blocks.emplace_back(Heading{"Processes: one connection and MC/S"});
    for (const bool io : {false, true}) {
        for (auto &[load, ways] : processes_) {
            Plot p{fmt::format("{} of 32 KB against processes", loads[load].name),
                   "processes",
                   io ? "requests a second" : "throughput, MB/s",
                   {}};
            for (unsigned way = 0; way < ways.size(); ++way)
                p.curves.push_back(curve_of(way_names[way], way, ways[way], io));
            page_.blocks.emplace_back(p);
        }
    }
    page_.blocks.emplace_back(Heading{"Socket buffer"});
    Plot buffers{"Throughput against the socket buffer, requests of 512 KB",
                 "socket buffer, KB",
                 "throughput, MB/s",
                 {},
                 true,
                 false,
                 {},
                 {},
                 {}};
    buffers.curves.push_back(curve_of("sequential read", 2, buffer_reads_, false));
    buffers.curves.push_back(curve_of("sequential write", 3, buffer_writes_, false));
    page_.blocks.emplace_back(buffers);
    Table hosts{"Two hosts, 256 KB, MB/s", {"load", "one host", "two hosts", "gain"}, {}};
    for (auto &[load, rate] : hosts_) {
        const double one = rate_at(sizes_[load], 256);
        hosts.rows.push_back({loads[load].name, fmt::format("{:.2f}", one), fmt::format("{:.2f}", rate.mb),
                              fmt::format("{:.2f}", rate.mb / std::max(one, 1e-9))});
    }
    page_.blocks.emplace_back(Heading{"Two hosts"});
    page_.blocks.emplace_back(hosts);
}

StudyPage RaidStudy::run() {
    page_.scale =
        "Not the paper's hardware: a link of 200 Mbit/s (24.1 MB/s of payload, 0.1 ms one way) stands for "
        "what the "
        "paper's processors could move (23 MB/s), four modelled disks of 7200 rpm and 10 MB/s behind a "
        "write-back "
        "cache of 2 MiB for its RAID; a connection carries one command at a time, as in the paper's target. "
        "Fibre Channel (94.6 and 93.7 MB/s on the same RAID) is not part of this program.";
    const std::vector<double> sizes =
        quick_ ? std::vector<double>{8, 128, 256, 512} : std::vector<double>{0.5, 2, 8, 32, 128, 256, 512};
    for (std::size_t load = 0; load < loads.size(); ++load) {
        for (const double kib : sizes) {
            if (quick_ && kib == 256 && load != 0 && load != 4 && load != 2)
                continue; // only what the claims need
            if (lab_.failure().empty())
                sizes_[load][kib] = by_size(load, kib);
        }
    }
    const std::vector<int> processes = quick_ ? std::vector<int>{1, 4} : std::vector<int>{1, 2, 4, 8};
    for (const std::size_t load : {std::size_t{0}, std::size_t{4}}) {
        for (const int count : processes) {
            for (const Way way : {Way::serial, Way::queued, Way::connections}) {
                auto &rates = processes_[load][static_cast<std::size_t>(way)];
                // With one process the three ways are one.
                rates[count] = count == 1 && way != Way::serial ? processes_[load][0][1]
                                                                : by_processes(load, way, count);
            }
        }
    }
    for (const std::size_t load :
         quick_ ? std::vector<std::size_t>{0, 2, 4} : std::vector<std::size_t>{0, 1, 2, 3, 4, 5})
        hosts_[load] = two_hosts(load, 256);
    for (const int kib :
         quick_ ? std::vector<int>{64, 128, 512} : std::vector<int>{16, 32, 64, 128, 256, 512}) {
        buffer_reads_[kib] = by_buffer("seq-read", kib);
        if (!quick_)
            buffer_writes_[kib] = by_buffer("seq-write", kib);
    }
    if (lab_.failure().empty()) {
        claims();
        figures();
    }
    return page_;
}

} // namespace

StudyPage raid_study(const StudyContext &context) {
    return RaidStudy(context).run();
}

} // namespace iscsiscope::testbed::papers
