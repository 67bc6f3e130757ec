// SPDX-License-Identifier: GPL-2.0-or-later
// The summary, and cycles by type and size.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/headline.h"
#include "analyzer/words/outcome_sentence.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

// Formats with three digits, down to 0.01.
std::string rate_words(double rate) {
    return rate == 0 ? "-" : fmt::format("{:.{}f}", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

std::string megabytes_per_second(std::optional<double> throughput) {
    const double rate = throughput.value_or(0) / 1e6;
    return rate > 0 && rate < 0.01 ? "<0.01" : rate_words(rate);
}

std::string per_second(const Rates &of) {
    const double rate = of.iops.value_or(0);
    return rate >= 1000 ? human::count(static_cast<std::uint64_t>(std::llround(rate))) : rate_words(rate);
}

std::string size_words(const SizeTally &s) {
    if (s.smallest == s.largest)
        return human::block(s.smallest);
    return fmt::format("{} – {}", human::block(s.smallest), human::block(s.largest));
}

std::vector<std::string> cells(const std::vector<double> &quantiles, std::string type, std::string size,
                               std::uint64_t count, const Rates &rate, const Histogram &h) {
    std::vector<std::string> row = {std::move(type), std::move(size), human::count(count),
                                    megabytes_per_second(rate.throughput), per_second(rate)};
    for (const double q : quantiles)
        row.push_back(human::duration(h.quantile(q)));
    row.push_back(human::duration(h.maximum()));
    return row;
}

// The data time of a type; "at least", where more than a thousandth of it is uncertain.
std::string data_time_words(const Rates &of) {
    const Duration time = of.data_time.value_or(Duration{});
    return (of.uncertain * 1000 > time ? "at least " : "") + human::duration(time);
}

// "; rates over data time: reads 2.10 s, writes 310 ms", of the types of which it is known.
std::string data_times(const Report &r) {
    std::string text;
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        if (const Rates of = rates(r, type); of.data_time)
            text += fmt::format("{} {}s {}", text.empty() ? "; rates over data time:" : ",", name(type),
                                data_time_words(of));
    }
    return text;
}

} // namespace

void headline_section(Page &page, const Report &r, ReportDetail detail) {
    if (!elapsed(r)) {
        page.line(no_command_sentence(r));
        return;
    }
    if (detail != ReportDetail::brief)
        page.blank();
    for (const HeadlineNumber &n : headline(r))
        page.item(n.name, words(n));
    const OutcomeSentence outcome = outcome_sentence(r);
    if (detail != ReportDetail::brief || !outcome.harmless)
        page.item("Outcome", outcome.text, outcome.harmless ? Tone::good : Tone::notice);
    if (const std::string missed = missed_commands_sentence(r); !missed.empty())
        page.item("", missed, Tone::notice);
}

void cycles_section(Page &page, const Report &r) {
    if (!elapsed(r))
        return;
    page.heading("CYCLES", "times from command to status" + data_times(r) +
                               (tasks_known(r) ? "" : "; part of the tasks only"));
    std::vector<std::string> headings = {"<type", "<size asked", ">count", ">MB/s", ">IOPS"};
    for (const double q : page.quantiles())
        headings.push_back(">" + quantile_name(q));
    headings.emplace_back(">max");
    TextTable table(headings);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        const TypeTally &t = r.types[i];
        if (t.count == 0)
            continue;
        const auto kind = static_cast<TaskType>(i);
        const std::string type(name(kind));
        const auto used = [](const SizeTally &s) { return s.count != 0; };
        const bool control = kind == TaskType::control;
        const auto only = std::find_if(t.sizes.begin(), t.sizes.end(), used);
        if (control || (only != t.sizes.end() && only->count == t.count)) {
            table.row(cells(page.quantiles(), type, control ? "any" : size_words(*only), t.count,
                            rates(r, kind), t.of(CycleFigure::response_time)));
            continue;
        }
        table.row(
            cells(page.quantiles(), type, "all", t.count, rates(r, kind), t.of(CycleFigure::response_time)));
        for (const SizeTally &s : t.sizes) {
            if (s.count != 0) {
                table.row(cells(page.quantiles(), "", size_words(s), s.count,
                                rates(r, kind, s.count, s.bytes), s.response_time));
            }
        }
    }
    page.table(table);
}

void slowest_section(Page &page, const Report &r) {
    TextTable table({"<type", ">size", ">response time", "<longest phase", ">cycle", ">stream", "<LUN",
                     ">frames", "<outcome"});
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        for (const CycleRecord &c : r.of(type).slowest) {
            std::string phase = "-";
            Duration longest{0};
            for (const CycleFigure f : phase_figures) {
                const auto d = f == CycleFigure::next_command_wait ? std::nullopt : figure(c, f);
                if (d && *d > longest) {
                    longest = *d;
                    phase = fmt::format("{} {}", name(f), human::duration(*d));
                }
            }
            table.row({std::string(name(c.type)), c.bytes_expected ? human::block(*c.bytes_expected) : "-",
                       human::duration(*c.response_time), phase, to_string(c.cycle), to_string(c.stream),
                       to_string(Lun{c.lun}), human::frames(c.command_frame, c.end_frame),
                       std::string(name(c.outcome))});
        }
    }
    if (!table.empty()) {
        page.heading("SLOWEST READS AND WRITES", "frames as Wireshark counts them");
        page.table(table);
    }
}

} // namespace iscsiscope
