// SPDX-License-Identifier: GPL-2.0-or-later
// Study 3: four guests write through a speed step; what a sender limited to the slow link's rate gains.
#include "sample-captures/testbed/papers/lab/lab.h"
#include "sample-captures/testbed/papers/lab/study.h"
#include "sample-captures/testbed/papers/page/published.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace iscsiscope::testbed::papers {
namespace {

constexpr double scale = 10; // rates are the published ones over this
constexpr std::array<const char *, 3> pattern_names{"1: full speed into the step", "2: sender limited",
                                                    "3: no step"};

struct Pattern {
    std::array<double, 4> guests{}; // bytes/s
    double total = 0;
    std::vector<LoggedDrop> drops;
    Measured measured;
    bool valid = false;
    std::vector<Points> over_time; // MB/s by guest
    Points drops_over_time, resent_over_time;
    std::string first_finding, first_sentence, findings;
    double timeout_share = 0; // of the connections' active life
    std::uint64_t resent = 0, segments = 0;
};

// Connections of the guests in the order of their target's ports: one each.
std::map<std::uint64_t, std::size_t> guests_of(const Measured &measured) {
    std::map<std::uint64_t, std::uint64_t> bytes; // by stream
    for (const CycleRecord &write : measured.writes)
        bytes[write.stream] += write.bytes_moved;
    std::map<std::uint64_t, std::size_t> guests;
    for (const auto &[stream, count] : bytes)
        guests.emplace(stream, guests.size());
    return guests;
}

Pattern measure(Lab &lab, std::size_t number, bool sack, const std::string &duration) {
    std::vector<Setting> settings;
    if (number == 1)
        settings.push_back({"link.nic.rate", "100Mbit/s"});
    else if (number == 2)
        settings.push_back({"link.step.rate", "1Gbit/s"});
    for (int guest = 1; guest <= 4; ++guest)
        settings.push_back({fmt::format("program.guest-{}.options.duration", guest), "\"" + duration + "\""});
    if (sack) {
        for (const char *host : {"initiator", "target"}) {
            settings.push_back({fmt::format("host.{}.sysctl.\"net.ipv4.tcp_sack\"", host), "1"});
            settings.push_back({fmt::format("host.{}.sysctl.\"net.ipv4.tcp_early_retrans\"", host), "3"});
            settings.push_back({fmt::format("host.{}.sysctl.\"net.ipv4.tcp_recovery\"", host), "1"});
        }
    }
    const Run &run = lab.run({fmt::format("pattern {}{}", pattern_names[number], sack ? ", SACK on" : ""),
                              "papers/speed-step", settings, std::nullopt, 3});
    Pattern pattern;
    pattern.measured = lab.measure(run, "initiator");
    lab.forget(run);
    pattern.valid = run.log.valid;
    pattern.drops = run.log.drops;
    const Measured &measured = pattern.measured;
    const Time begin = first_start(measured.writes);
    const Time end = last_end(measured.writes);
    const auto guests = guests_of(measured);
    constexpr Duration bucket = std::chrono::milliseconds{250};
    const auto buckets = static_cast<std::size_t>(std::max<std::int64_t>((end - begin) / bucket, 1));
    pattern.over_time.assign(4, Points{});
    std::vector<std::vector<double>> rates(4, std::vector<double>(buckets, 0.0));
    for (const CycleRecord &write : measured.writes) {
        const std::size_t guest = guests.at(write.stream) % 4;
        pattern.guests[guest] += static_cast<double>(write.bytes_moved) / seconds(end - begin);
        const auto at = static_cast<std::size_t>((write.end - begin) / bucket);
        if (at < buckets)
            rates[guest][at] += static_cast<double>(write.bytes_moved) / seconds(bucket) / 1e6;
    }
    for (std::size_t guest = 0; guest < 4; ++guest) {
        for (std::size_t i = 0; i < buckets; ++i) {
            pattern.over_time[guest].emplace_back(seconds(bucket) * (static_cast<double>(i) + 0.5),
                                                  rates[guest][i]);
        }
        pattern.total += pattern.guests[guest];
    }
    std::vector<double> drops(buckets, 0.0);
    for (const LoggedDrop &drop : pattern.drops) {
        const std::int64_t since = drop.time_ns - to_ns(begin);
        const auto at = since < 0 ? buckets : static_cast<std::size_t>(since / bucket.count());
        if (at < buckets)
            drops[at] += 1;
    }
    for (std::size_t i = 0; i < buckets; ++i)
        pattern.drops_over_time.emplace_back(seconds(bucket) * (static_cast<double>(i) + 0.5), drops[i]);
    for (const ConnectionRecord &connection : measured.report.connections) {
        pattern.resent += connection.retransmitted_to_target;
        pattern.segments += connection.segments_to_target;
    }
    const ActiveTime &time = measured.report.time;
    pattern.timeout_share =
        seconds(time.gap_time[static_cast<std::size_t>(GapKind::retransmission_timeout)]) /
        std::max(seconds(time.active), 1e-9);
    if (measured.report.findings) {
        for (const Finding &finding : measured.report.findings->findings) {
            if (pattern.first_finding.empty()) {
                pattern.first_finding = name(finding.kind);
                pattern.first_sentence = finding.sentence;
            }
            pattern.findings += fmt::format("{}{} {:.1f} %", pattern.findings.empty() ? "" : ", ",
                                            name(finding.kind), finding.share * 100);
        }
    }
    return pattern;
}

// Whether guests lose segments together: the share of drops that come within 20 ms of a drop of another
// guest needs the packets' owners, which the log of drops does not keep; the analyzer's own finding says it.
void claims(StudyPage &page, const Published &paper, const std::array<Pattern, 3> &patterns,
            const Pattern *sack) {
    const double ratio = patterns[1].total / std::max(patterns[0].total, 1.0);
    const double published = paper.value("total_2") / paper.value("total_1");
    const std::string invalid = patterns[0].valid && patterns[1].valid ? "" : " A run is not valid.";
    page.claims.push_back(
        {"ratio", "Limiting the sender to the slow link's rate multiplies the throughput of the four guests.",
         fmt::format("{} against {} MB/s: {:.2f} times", paper.value("total_2"), paper.value("total_1"),
                     published),
         "",
         fmt::format("{:.2f} against {:.2f} MB/s: {:.2f} times", patterns[1].total / 1e6,
                     patterns[0].total / 1e6, ratio),
         judged(ratio >= published * 0.8, ratio > 1.5),
         fmt::format(
             "SACK off. Above 1.5 is the bar. The kernel's shortest retransmission timeout of 200 ms is not "
             "scaled with the rates: at a tenth of the rate it costs a tenth of the bytes.{}",
             invalid)});
    const Pattern &step = patterns[0];
    const bool named = step.first_finding == "incast" || step.first_finding == "packet_loss" ||
                       step.first_finding == "retransmission_timeout";
    page.claims.push_back(
        {"cause",
         "The cause is the buffer's overflow at the step: mass drops and timeouts of all guests together.",
         "named by the authors from switch counters", "",
         fmt::format("the analyzer's first finding: {}. {}",
                     step.first_finding.empty() ? "none" : step.first_finding, step.first_sentence),
         judged(step.first_finding == "incast", named),
         fmt::format("from the initiator's capture alone; all findings: {}. {} of {} segments sent again, "
                     "{:.1f} % of the connections' time in timeouts; the links' log has {} drops at the step",
                     step.findings.empty() ? "none" : step.findings, step.resent, step.segments,
                     step.timeout_share * 100, step.drops.size())});
    page.claims.push_back(
        {"no-step", "Without the step the same guests are much faster again.",
         fmt::format("{} MB/s", paper.value("total_3")), "",
         fmt::format("{:.1f} MB/s", patterns[2].total / 1e6),
         judged(patterns[2].total > 2 * patterns[1].total, patterns[2].total > patterns[1].total),
         fmt::format("{:.1f} times pattern 2; published {:.1f} times", patterns[2].total / patterns[1].total,
                     paper.value("total_3") / paper.value("total_2"))});
    double spread = 0;
    const auto [low, high] = std::minmax_element(step.guests.begin(), step.guests.end());
    spread = *high / std::max(*low, 1.0);
    page.claims.push_back({"all-guests", "Every guest suffers alike.", "5.31, 5.29, 5.30, 5.34 MB/s", "",
                           fmt::format("{:.2f}, {:.2f}, {:.2f}, {:.2f} MB/s", step.guests[0] / 1e6,
                                       step.guests[1] / 1e6, step.guests[2] / 1e6, step.guests[3] / 1e6),
                           judged(spread < 1.2, *high < patterns[1].total / 4),
                           fmt::format("the fastest has {:.2f} times the slowest", spread)});
    if (sack != nullptr) {
        page.claims.push_back(
            {"sack", "Not in the paper: today's TCP with SACK, RACK and tail probes.", "", "",
             fmt::format("{:.2f} MB/s in pattern 1: pattern 2 is {:.2f} times that", sack->total / 1e6,
                         patterns[1].total / sack->total),
             judged(sack->total > step.total, true), "quicker recovery takes part of the loss away"});
    }
}

} // namespace

StudyPage speed_step_study(const StudyContext &context) {
    StudyPage page;
    page.scale = "Rates 1 to 10: 1 Gbit/s into 100 Mbit/s for 10 into 1 Gbit/s; MTU 1500, 0.15 ms one way, a "
                 "queue of 8 "
                 "packets at the step (the published switch's buffer is not known; a burst of 64 KB is 45 "
                 "packets). Guests "
                 "write 64 KiB at a time, one at a time. Reno without SACK, as the paper's guests may have "
                 "had, and once with it.";
    const std::string duration = context.quick ? "3s" : "15s";
    std::array<Pattern, 3> patterns;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        patterns[i] = measure(context.lab, i, false, i == 2 ? "2s" : duration);
        if (!context.lab.failure().empty())
            return page;
    }
    std::optional<Pattern> sack;
    if (!context.quick)
        sack = measure(context.lab, 0, true, duration);
    claims(page, context.published, patterns, sack ? &*sack : nullptr);
    Plot totals{"Throughput of each guest (published figures over 10)",
                "pattern",
                "throughput, MB/s",
                {},
                false,
                false,
                3.6,
                {},
                {}};
    Table table{
        "Throughput by guest, MB/s",
        {"pattern", "guest 1", "guest 2", "guest 3", "guest 4", "total", "total published, over 10", "valid"},
        {}};
    for (unsigned guest = 0; guest < 4; ++guest) {
        Curve published{fmt::format("guest {}", guest + 1), Source::published, {}, guest, true};
        Curve measured{fmt::format("guest {}", guest + 1), Source::measured, {}, guest, true};
        for (unsigned i = 0; i < 3; ++i) {
            published.points.emplace_back(i + 0.7 + 0.06 * guest,
                                          context.published.at(fmt::format("guests_{}", i + 1), guest + 1) /
                                              scale);
            measured.points.emplace_back(i + 1.05 + 0.06 * guest, patterns[i].guests[guest] / 1e6);
        }
        totals.curves.push_back(published);
        totals.curves.push_back(measured);
    }
    for (unsigned i = 0; i < 3; ++i) {
        totals.x_names.emplace_back(i + 1, pattern_names[i]);
        std::vector<std::string> row{pattern_names[i]};
        for (const double rate : patterns[i].guests)
            row.push_back(fmt::format("{:.2f}", rate / 1e6));
        row.push_back(fmt::format("{:.2f}", patterns[i].total / 1e6));
        row.push_back(fmt::format("{:.2f}", context.published.value(fmt::format("total_{}", i + 1)) / scale));
        row.emplace_back(patterns[i].valid ? "yes" : "no");
        table.rows.push_back(row);
    }
    page.blocks.emplace_back(Heading{"Throughput"});
    page.blocks.emplace_back(table);
    page.blocks.emplace_back(totals);
    for (std::size_t i = 0; i < 2; ++i) {
        Plot time{fmt::format("Throughput over time, pattern {}", pattern_names[i]),
                  "time since the first write, s",
                  "throughput, MB/s",
                  {}};
        for (unsigned guest = 0; guest < 4; ++guest) {
            time.curves.push_back({fmt::format("guest {}", guest + 1), Source::measured,
                                   patterns[i].over_time[guest], guest, false, true});
        }
        page.blocks.emplace_back(time);
        Plot drops{fmt::format("Packets dropped at the step, pattern {} (the links' log)", pattern_names[i]),
                   "time since the first write, s",
                   "drops in 0.25 s",
                   {}};
        drops.curves.push_back({"drops", Source::measured, patterns[i].drops_over_time, 6, false, true});
        page.blocks.emplace_back(drops);
    }
    return page;
}

} // namespace iscsiscope::testbed::papers
