// SPDX-License-Identifier: GPL-2.0-or-later
// Commands by kind, and failures of tasks, logins and streams.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/tallies.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/capture_words.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/kind_words.h"
#include "analyzer/words/protocol_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

constexpr std::size_t commands_shown = 20;

template <class T, class Frame>
std::string frames_of(const std::vector<T> &first, std::uint64_t count, Frame frame) {
    std::vector<std::string> numbers;
    for (const T &each : first) {
        const OptionalFrame f = frame(each);
        const std::string text = f ? std::to_string(*f) : "";
        if (!text.empty() && (numbers.empty() || numbers.back() != text))
            numbers.push_back(text);
    }
    if (numbers.empty())
        return "";
    return fmt::format("frame{} {}{}", numbers.size() == 1 ? "" : "s", fmt::join(numbers, ", "),
                       count > first.size() ? " ..." : "");
}

void outcomes(Page &page, const Report &r) {
    TextTable table({"<tasks not ended GOOD", ">reads", ">writes", ">control"});
    const TaskSums all = task_totals(r);
    for (std::size_t o = 1; o < task_outcome_count; ++o) {
        std::vector<std::string> row = {std::string(name(static_cast<TaskOutcome>(o)))};
        for (const TypeTally &t : r.types)
            row.push_back(t.outcomes[o] == 0 ? "-" : human::count(t.outcomes[o]));
        if (all.outcomes[o] != 0)
            table.row(std::move(row));
    }
    if (!table.empty())
        page.table(table);
    if (const std::string doubt =
            unanswered_doubt(r, all.of(TaskOutcome::unanswered), all.of(TaskOutcome::no_command));
        !doubt.empty())
        page.line(doubt + ".", 4, Tone::dim);
    if (!r.senses.empty()) {
        TextTable senses({">count", ">first frame", "<sense data"});
        for (const SenseTally &s : r.senses)
            senses.row({human::count(s.count), human::frame(s.first_frame), sense_words(s.sense)});
        page.blank();
        page.table(senses);
    }
}

// Returns false for events of every healthy session: keep-alives and logouts that close.
bool is_trouble(const EventTally &e) {
    switch (e.opcode) {
    case Opcode::logout_request:
        return (e.code & 0x7f) == 2; // for recovery
    case Opcode::logout_response:
        return e.code != 0;
    case Opcode::nop_out:
    case Opcode::nop_in:
        return false;
    default:
        return true;
    }
}

std::string failed_login_words(const FailedLogin &f) {
    return fmt::format(
        "Login of {} to {} on stream {} (frames {}–{}) {}: {}",
        f.login.initiator_name.empty() ? "an unnamed initiator" : human::name(f.login.initiator_name),
        f.login.target_name.empty() ? "no target (discovery)" : human::name(f.login.target_name), f.stream,
        f.login.first_frame, f.login.last_frame,
        !f.login.finished ? "was not finished"
        : f.login.status_class == 1
            ? "was redirected" +
                  (f.login.redirect.empty() ? std::string() : " to " + human::name(f.login.redirect))
            : std::string("was refused"),
        login_status_words(f.login.status_class, f.login.status_detail));
}

TextTable event_table(const Report &r, bool trouble) {
    TextTable table({">count", "<event", "<where"});
    for (const EventTally &e : r.events) {
        if (is_trouble(e) == trouble) {
            table.row({human::count(e.count), event_words(e.opcode, e.code),
                       frames_of(
                           e.first, e.count, [](const EventRecord &x) { return x.frame; })});
        }
    }
    return table;
}

std::string lost_before_tap_words(const SegmentTotals &tcp) {
    return human::plural(tcp.lost_before_tap, "data segment was", "data segments were") +
           " lost before the point of capture, and passed when sent again.";
}

std::string trouble_note(const Report &r) {
    return r.filter.empty() ? "" : of_all_commands(r, "packets, logins, and events of no command");
}

} // namespace

void anomalies_part(Page &page, const Report &r) {
    if (anomaly_count(r) == 0)
        return;
    TextTable table({">count", "<what", "<where"});
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        const AnomalyTally &a = r.anomalies[i];
        if (a.count != 0) {
            table.row({human::count(a.count), std::string(name(static_cast<AnomalyKind>(i))),
                       frames_of(
                           a.first, a.count, [](const Anomaly &x) { return x.frame; })});
        }
    }
    page.table(table);
    page.blank();
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        if (r.anomalies[i].count != 0) {
            const auto kind = static_cast<AnomalyKind>(i);
            page.line(fmt::format("{}: {}", name(kind), explanation(kind)), 4, Tone::dim);
        }
    }
}

void commands_section(Page &page, const Report &r) {
    if (r.commands.empty())
        return;
    page.heading("COMMANDS");
    TextTable table({"<command", ">count", ">not good", ">p50", ">p99", ">max"});
    std::uint64_t rest = 0;
    for (std::size_t i = 0; i < r.commands.size(); ++i) {
        const CommandTally &c = r.commands[i];
        if (i >= commands_shown) {
            rest += c.count;
            continue;
        }
        const Histogram &h = c.response_time;
        table.row({command_words(c.opcode, c.service_action), human::count(c.count),
                   c.not_good == 0 ? "-" : human::count(c.not_good), human::duration(h.quantile(0.5)),
                   human::duration(h.quantile(0.99)), human::duration(h.maximum())});
    }
    if (rest != 0)
        table.row({"others", human::count(rest)});
    page.table(table);
}

void trouble_overview(Page &page, const Report &r) {
    constexpr std::size_t rows_shown = 5;
    std::vector<std::string> lines;
    const SegmentTotals tcp = segment_totals(r);
    if (tcp.repeated != 0)
        lines.push_back(fmt::format("{} of {} data segments ({}) {} bytes again that had passed before.",
                                    human::count(tcp.repeated), human::count(tcp.segments),
                                    human::share(tcp.share.value_or(0)),
                                    tcp.repeated == 1 ? "carries" : "carry"));
    if (tcp.lost_before_tap != 0)
        lines.push_back(lost_before_tap_words(tcp));
    for (const SenseTally &s : r.senses)
        if (!of_every_scan(s))
            lines.push_back(fmt::format("{}: {}, first in frame {}.", sense_words(s.sense),
                                        human::plural(s.count, "command", "commands"),
                                        human::frame(s.first_frame)));
    for (const FailedLogin &f : r.first_failed_logins)
        lines.push_back(failed_login_words(f));
    for (const EventTally &e : r.events)
        if (is_trouble(e))
            lines.push_back(
                fmt::format("{}: {}.", event_words(e.opcode, e.code),
                            frames_of(e.first, e.count, [](const EventRecord &x) { return x.frame; })));
    for (std::size_t i = 0; i < anomaly_kind_count; ++i)
        if (const AnomalyTally &a = r.anomalies[i]; a.count != 0)
            lines.push_back(
                fmt::format("{} ({}, {})", explanation(static_cast<AnomalyKind>(i)),
                            human::plural(a.count, "time", "times"),
                            frames_of(a.first, a.count, [](const Anomaly &x) { return x.frame; })));
    if (lines.empty())
        return;
    page.heading("TROUBLE", trouble_note(r));
    const std::size_t shown = lines.size() <= rows_shown + 1 ? lines.size() : rows_shown;
    for (std::size_t i = 0; i < shown; ++i)
        page.line(lines[i], 2, Tone::notice);
    if (shown < lines.size())
        page.line(fmt::format("and {} more: --all", lines.size() - shown), 2, Tone::dim);
}

void trouble_section(Page &page, const Report &r) {
    page.heading("TROUBLE", trouble_note(r));
    bool any = false;
    const TaskSums tasks = task_totals(r);
    if (tasks.not_good != 0) {
        outcomes(page, r);
        any = true;
    }
    const SegmentTotals tcp = segment_totals(r);
    if (tcp.repeated != 0) {
        page.line(
            fmt::format("{} of {} data segments ({}) carry bytes again that had passed before; of {} bytes "
                        "were sent again before their ACK had passed.",
                        human::count(tcp.repeated), human::count(tcp.segments),
                        human::share(tcp.share.value_or(0)),
                        human::plural(tasks.lost_beyond_tap, "task", "tasks")),
            2, Tone::notice);
        any = true;
    }
    if (tcp.lost_before_tap != 0) {
        page.line(lost_before_tap_words(tcp), 2, Tone::notice);
        any = true;
    }
    for (const FailedLogin &f : r.first_failed_logins) {
        page.line(failed_login_words(f), 2, Tone::bad);
        any = true;
    }
    if (r.failed_logins > r.first_failed_logins.size()) {
        page.line(
            fmt::format("... and {} more failed logins", r.failed_logins - r.first_failed_logins.size()));
    }
    if (const TextTable events = event_table(r, true); !events.empty()) {
        if (any)
            page.blank();
        page.table(events);
        any = true;
    }
    if (anomaly_count(r) != 0) {
        if (any)
            page.blank();
        anomalies_part(page, r);
        any = true;
    }
    if (!any)
        page.line("None: all tasks ended GOOD, nothing was retransmitted or malformed.", 2, Tone::good);
    if (const TextTable events = event_table(r, false); !events.empty()) {
        page.heading("KEEP-ALIVES AND LOGOUTS", of_all_commands(r));
        page.table(events);
    }
}

} // namespace iscsiscope
