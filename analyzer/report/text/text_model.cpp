// SPDX-License-Identifier: GPL-2.0-or-later
// Measured and modelled cycles, and the settings that limit the throughput.
#include "analyzer/base/number_format.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/model_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string time_of(double ns) {
    return human::duration(std::llround(ns));
}

std::string part(const char *what, double ns) {
    return ns > 0 ? fmt::format(", {} {}", time_of(ns), what) : "";
}

} // namespace

void models_section(Page &page, const Report &r) {
    if (r.models.empty())
        return;
    page.heading("MODEL",
                 of_all_commands(r, "what the cycle should take; `iscsiscope predict` tries other settings"));
    for (const ModelRow &m : r.models) {
        const ModelledCycle &c = m.cycle;
        const CycleParts &p = c.parts;
        std::string parts = part("round trips", p.round_trips) + part("target", p.service) +
                            part("transfer", p.transfer) + part("held ACKs", p.held) + part("host", p.think) +
                            part("queued", p.queued);
        page.item(m.input.type == TaskType::read ? "Reads" : "Writes",
                  fmt::format("{}: cycle {} measured, {} modelled ({}){}{}", modelled_tasks(m.input),
                              time_of(m.input.measured_cycle), time_of(p.total()),
                              human::change(c.cycle_error), parts.empty() ? "" : " = ",
                              parts.empty() ? "" : parts.substr(2)));
        page.item("", fmt::format("throughput over that time {} measured, {} modelled ({}); limited by {}",
                                  human::rate(m.input.measured_throughput), human::rate(c.throughput),
                                  human::change(c.throughput_error), words(c.bottleneck)));
        for (const std::string &s : c.left_out)
            page.item("", s, Tone::dim);
        TextTable keys({"<setting", "<best value of the range tried, and what it would give"});
        if (!c.describes_measured()) {
            page.item("", "The model does not describe these cycles: no verdict on settings.", Tone::notice);
            continue;
        }
        for (const KeyVerdict &k : m.keys)
            if (k.binds)
                keys.row(
                    {k.key, k.range ? fmt::format("{} ({} tried)", k.reason, k.range->words) : k.reason});
            else if (!k.judged)
                keys.row({k.key, k.reason});
        if (!keys.empty())
            page.table(keys, 4);
        else if (!m.keys.empty())
            page.item("", "no setting limits their throughput by more than 1 %");
    }
}

} // namespace iscsiscope
