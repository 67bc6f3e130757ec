// SPDX-License-Identifier: GPL-2.0-or-later
// -z iscsiscope,summary[,filter]: the report's sections made from the records of the store. A display filter
// selects the cycles by the frames that end them.
#include "plugin/statistics/statistics.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/collector.h"
#include "analyzer/report/text/text_page.h"
#include "analyzer/report/text/text_sections.h"
#include "plugin/compat/guard.h"
#include "plugin/compat/wireshark_versions.h"
#include "plugin/store/session.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace iscsiscope::plugin {
namespace {

struct Summary {
    std::string filter;
    std::set<CycleId> cycles; // selected by the filter; unused without a filter
};

tap_packet_status add_to_summary(void *to, packet_info *, epan_dissect_t *, const void *data, tap_flags_t) {
    auto &summary = *static_cast<Summary *>(to);
    const auto &item = *static_cast<const TapItem *>(data);
    if (summary.filter.empty() || item.cycle == nullptr)
        return TAP_PACKET_DONT_REDRAW;
    return guarded([&] { summary.cycles.insert(item.cycle->record.cycle); }) ? TAP_PACKET_DONT_REDRAW
                                                                             : TAP_PACKET_FAILED;
}

void reset(void *to) {
    static_cast<Summary *>(to)->cycles.clear();
}

// What was not read is stated above all else, so that no reader takes "none" for an answer.
void unread_items(Page &page, const Session &of, const Report &r) {
    if (of.lost_segments() != 0)
        page.line(
            "Of " + human::plural(of.lost_segments(), "frame", "frames") +
                " the plugin did not find the TCP segment in Wireshark's dissection: they are missing in "
                "all figures.",
            2, Tone::bad);
    if (const IscsiCoverage &c = r.capture.coverage; c.inferred_pdus != 0)
        page.item("Inferred",
                  human::plural(c.inferred_pdus, "PDU", "PDUs") + " of the capture's " +
                      human::count(c.pdus) +
                      ": a header or tag is not in the file, and follows from the PDUs around it",
                  Tone::notice);
}

// The report of the cycles that the filter selected.
Report filtered(const Summary &summary, const Session &of) {
    const Store &store = of.store();
    Collector collector;
    for (const SessionRecord &r : store.sessions())
        collector.on(r);
    for (const LunRecord &r : store.luns())
        collector.on(r);
    for (const Cycle &c : store.cycles()) {
        if (!c.final || summary.cycles.count(c.record.cycle) == 0)
            continue;
        for (const Burst &b : c.bursts)
            collector.on(b.record);
        collector.on(c.record);
    }
    for (const GapRecord &r : store.gaps())
        collector.on(r);
    for (const ConnectionRecord &r : store.connections())
        collector.on(r);
    Report report = collector.take(of.report()->capture);
    report.findings = of.report()->findings;
    report.filter = summary.filter;
    return report;
}

std::string text_of(const Summary &summary, const Session &of) {
    TextPage page(TextStyle{});
    if (of.report() == nullptr) {
        page.line("The preference \"Findings\" of iSCSI Cycles is off, and with it this summary.");
        return page.finish();
    }
    const Report &whole = *of.report();
    unread_items(page, of, whole);
    if (whole.capture.coverage.connections == 0) {
        no_iscsi_section(page, whole);
        return page.finish();
    }
    const Report report = summary.filter.empty() ? whole : filtered(summary, of);
    if (summary.filter.empty()) {
        verdict_section(page, report);
        headline_section(page, report);
    }
    findings_section(page, report);
    cycles_section(page, report);
    time_section(page, report);
    phases_section(page, report);
    bursts_section(page, report);
    gaps_section(page, report);
    sessions_section(page, report);
    return page.finish();
}

// Ends the reading of the capture: open records become final.
void draw(void *from) {
    const auto &summary = *static_cast<const Summary *>(from);
    if (session() == nullptr)
        return;
    const bool done = guarded([&] {
        session()->finish();
        std::printf("\n===================================================================\n"
                    "iSCSI cycles%s%s\n",
                    summary.filter.empty() ? "" : ", filter: ", summary.filter.c_str());
        std::fputs(text_of(summary, *session()).c_str(), stdout);
        std::puts("===================================================================");
    });
    if (!done)
        std::fputs("iscsiscope: not enough memory for the summary\n", stderr);
}

void finish(void *summary) {
    delete static_cast<Summary *>(summary);
}

bool begin(const char *argument) {
    constexpr char prefix[] = "iscsiscope,summary,";
    Summary *summary = nullptr; // the listener's, until finish()
    const bool made = guarded([&] {
        auto s = std::make_unique<Summary>();
        if (std::strncmp(argument, prefix, sizeof prefix - 1) == 0)
            s->filter = argument + sizeof prefix - 1;
        summary = s.release();
    });
    if (!made)
        return false;
    GString *mistake = register_tap_listener("iscsiscope", summary, summary->filter.c_str(),
                                             TL_REQUIRES_NOTHING, reset, add_to_summary, draw, finish);
    if (mistake != nullptr) {
        std::fprintf(stderr, "iscsiscope,summary: %s\n", mistake->str);
        g_string_free(mistake, TRUE);
        delete summary;
        return false;
    }
    return true;
}

} // namespace

void register_summary() {
    static tap_param parameters[] = {{PARAM_FILTER, "filter", "Filter", nullptr, TRUE}};
    static stat_tap_ui ui = {REGISTER_STAT_GROUP_GENERIC, nullptr,
                             "iscsiscope,summary",        statistic_begin<begin>,
                             std::size(parameters),       parameters};
    register_stat_tap_ui(&ui, nullptr);
}

} // namespace iscsiscope::plugin
