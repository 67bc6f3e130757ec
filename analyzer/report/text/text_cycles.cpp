// SPDX-License-Identifier: GPL-2.0-or-later
// The summary, and cycles by type and size.
#include "analyzer/base/number_format.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/report/wording.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string megabytes_per_second(std::uint64_t bytes, double seconds) {
    const double rate = human::ratio(static_cast<double>(bytes) / 1e6, seconds);
    if (rate == 0) {
        return "-";
    }
    return rate < 0.01 ? "<0.01" : fmt::format("{:.{}f}", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

std::string per_second(std::uint64_t n, double seconds) {
    const double rate = human::ratio(static_cast<double>(n), seconds);
    if (rate >= 1000) {
        return human::count(static_cast<std::uint64_t>(rate + 0.5));
    }
    return rate == 0 ? "-" : fmt::format("{:.{}f}", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

std::string size_words(const SizeTally &s) {
    if (s.smallest == s.largest) {
        return human::block(s.smallest);
    }
    return fmt::format("{} – {}", human::block(s.smallest), human::block(s.largest));
}

std::vector<std::string> cells(const std::vector<double> &quantiles, std::string type, std::string size,
                               std::uint64_t count, std::uint64_t bytes, double seconds, const Histogram &h) {
    std::vector<std::string> row = {std::move(type), std::move(size), human::count(count),
                                    megabytes_per_second(bytes, seconds), per_second(count, seconds)};
    for (const double q : quantiles) {
        row.push_back(human::duration(h.quantile(q)));
    }
    row.push_back(human::duration(h.maximum()));
    return row;
}

// 3.9, 0.30, 27.
std::string small_number(double v) {
    return fmt::format("{:.{}f}", v, v < 0.995 ? 2 : v < 9.95 ? 1 : 0);
}

} // namespace

void summary_section(Page &page, const Report &r) {
    const auto elapsed = r.elapsed();
    if (!elapsed) {
        page.heading("IN SHORT");
        const bool all = r.filter.empty() && r.range.everything();
        page.line(all ? "No SCSI command in the capture: logins, discovery or keep-alives only."
                      : "No task of the capture is in the range and holds for the filter.");
        return;
    }
    const double seconds = static_cast<double>(to_ns(*elapsed)) / 1e9;
    page.heading("IN SHORT");
    const std::uint64_t connections = r.connections.size() + r.connections_left_out;
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        const TypeTally &t = r.types[static_cast<std::size_t>(type)];
        if (t.count == 0) {
            continue;
        }
        const Histogram &h = t.of(CycleFigure::response_time);
        if (h.count() == 0) {
            page.item(type == TaskType::read ? "Reads" : "Writes",
                      fmt::format("{}, {} seen; no answer to them is in the capture: response times and how "
                                  "many were outstanding are not known",
                                  human::count(t.count), human::bytes(t.bytes)));
            continue;
        }
        page.item(
            type == TaskType::read ? "Reads" : "Writes",
            fmt::format("{}, {} at {} MB/s; response time median {}, p99 {}; {} outstanding on average{}; "
                        "queue depth of a connection at most {}",
                        human::count(t.count), human::bytes(t.bytes), megabytes_per_second(t.bytes, seconds),
                        human::duration(h.quantile(0.5)), human::duration(h.quantile(0.99)),
                        // Little's law: tasks in progress = time spent in them over time passed.
                        small_number(human::ratio(static_cast<double>(h.sum()) / 1e9, seconds)),
                        connections > 1 ? fmt::format(" on {} connections together", connections) : "",
                        t.deepest_queue));
    }
    std::uint64_t not_good = 0;
    for (const TypeTally &t : r.types) {
        not_good += t.count - t.outcomes[static_cast<std::size_t>(TaskOutcome::good)];
    }
    page.item("Outcome",
              not_good == 0 ? fmt::format("all {} ended good", human::plural(r.tasks(), "task", "tasks"))
                            : fmt::format("{} of {} did not end good, see TROUBLE", human::count(not_good),
                                          human::plural(r.tasks(), "task", "tasks")),
              not_good == 0 ? Tone::good : Tone::notice);
    std::uint64_t unanswered = 0, without_command = 0;
    for (const TypeTally &t : r.types) {
        unanswered += t.outcomes[static_cast<std::size_t>(TaskOutcome::unanswered)];
        without_command += t.outcomes[static_cast<std::size_t>(TaskOutcome::no_command)];
    }
    if (const std::string doubt = unanswered_doubt(r, unanswered, without_command); !doubt.empty()) {
        page.item("", doubt, Tone::notice);
    }
    const TimeShares &t = r.time;
    if (t.active > Duration{0}) {
        std::size_t worst = 0;
        for (std::size_t i = 0; i < gap_kind_count; ++i) {
            worst = t.gap_time[i] > t.gap_time[worst] ? i : worst;
        }
        const auto active = static_cast<double>(to_ns(t.active));
        const auto part = [&](Duration d) { return human::share(static_cast<double>(to_ns(d)) / active); };
        std::string text =
            fmt::format("packets follow each other for {} of the connections' active life", part(t.transfer));
        if (t.gap_time[worst] > Duration{0}) {
            text += fmt::format("; most idle time: {} ({}, {})", part(t.gap_time[worst]),
                                name(static_cast<GapKind>(worst)), explanation(static_cast<GapKind>(worst)));
        }
        page.item("Time", text);
    }
}

void cycles_section(Page &page, const Report &r) {
    const auto elapsed = r.elapsed();
    if (!elapsed) {
        return;
    }
    const double seconds = static_cast<double>(to_ns(*elapsed)) / 1e9;
    page.heading("CYCLES", fmt::format("response time: command seen to status delivered; rates over {}",
                                       human::duration(*elapsed)));
    std::vector<std::string> headings = {"<type", "<size asked", ">count", ">MB/s", ">IOPS"};
    for (const double q : page.quantiles()) {
        headings.push_back(">" + quantile_name(q));
    }
    headings.emplace_back(">max");
    TextTable table(headings);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        const TypeTally &t = r.types[i];
        if (t.count == 0) {
            continue;
        }
        const std::string type(name(static_cast<TaskType>(i)));
        std::size_t classes = 0;
        for (const SizeTally &s : t.sizes) {
            classes += s.count != 0 ? 1 : 0;
        }
        const bool control = static_cast<TaskType>(i) == TaskType::control;
        if (classes == 1 || control) {
            const auto only =
                std::find_if(t.sizes.begin(), t.sizes.end(), [](auto &s) { return s.count != 0; });
            table.row(cells(page.quantiles(), type, control ? "any" : size_words(*only), t.count, t.bytes,
                            seconds, t.of(CycleFigure::response_time)));
            continue;
        }
        table.row(cells(page.quantiles(), type, "all", t.count, t.bytes, seconds,
                        t.of(CycleFigure::response_time)));
        for (const SizeTally &s : t.sizes) {
            if (s.count != 0) {
                table.row(
                    cells(page.quantiles(), "", size_words(s), s.count, s.bytes, seconds, s.response_time));
            }
        }
    }
    page.table(table);
}

void slowest_section(Page &page, const Report &r) {
    TextTable table({"<type", ">size", ">response time", "<longest phase", ">cycle", ">stream", "<LUN",
                     ">frames", "<outcome"});
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        for (const CycleRecord &c : r.types[static_cast<std::size_t>(type)].slowest.list()) {
            std::string phase = "-";
            Duration longest{0};
            for (const CycleFigure f : phase_figures) {
                const auto d = f == CycleFigure::next_command_wait ? std::nullopt : figure(c, f);
                if (d && *d > longest) {
                    longest = *d;
                    phase = fmt::format("{} {}", name(f), human::duration(*d));
                }
            }
            table.row({std::string(name(c.type)), human::block(c.bytes_expected.value_or(0)),
                       human::duration(*c.response_time), phase, std::to_string(c.cycle),
                       std::to_string(c.stream), to_string(Lun{c.lun}),
                       fmt::format("{}–{}", c.command_frame, c.end_frame), std::string(name(c.outcome))});
        }
    }
    if (!table.empty()) {
        page.heading("SLOWEST READS AND WRITES", "frames as Wireshark counts them");
        page.table(table);
    }
}

} // namespace iscsiscope
