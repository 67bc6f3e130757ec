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
    std::set<std::uint64_t> cycles; // selected by the filter; unused without a filter
};

tap_packet_status add(void *to, packet_info *, epan_dissect_t *, const void *data, tap_flags_t) {
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

// How many PDUs are inferred, in a capture where some are. The filter does not select among them.
void inferred_item(Page &page, const IscsiCoverage &c) {
    if (c.inferred_pdus != 0)
        page.item("Inferred",
                  human::plural(c.inferred_pdus, "PDU", "PDUs") + " of the capture's " +
                      human::count(c.pdus) +
                      ": a header or tag is not in the file, and follows from the PDUs around it",
                  Tone::notice);
}

std::string text_of(const Summary &summary, const Session &of) {
    const Store &store = of.store();
    Collector collector;
    for (const SessionRecord &r : store.sessions())
        collector.on_session(r);
    for (const LunRecord &r : store.luns())
        collector.on_lun(r);
    for (const Cycle &c : store.cycles()) {
        if (!c.final || (!summary.filter.empty() && summary.cycles.count(c.record.cycle) == 0))
            continue;
        for (const BurstRecord &b : c.bursts)
            collector.on_burst(b);
        collector.on_cycle(c.record);
    }
    for (const GapRecord &r : store.gaps())
        collector.on_gap(r);
    for (const ConnectionRecord &r : store.connections())
        collector.on_connection(r);
    Report report = collector.take({});
    report.findings = store.findings();
    report.filter = summary.filter;
    TextPage page(TextStyle{});
    inferred_item(page, of.coverage());
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
                                             TL_REQUIRES_NOTHING, reset, add, draw, finish);
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
