// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/cycle_steps.h"

#include "analyzer/base/number_format.h"

#include <QCoreApplication>

#include <algorithm>

namespace iscsiscope::gui {
namespace {

QString stepText(const char *text) {
    return QCoreApplication::translate("CycleSteps", text);
}

QString block(std::uint64_t bytes) {
    return QString::fromStdString(human::block(bytes));
}

} // namespace

std::vector<CycleStep> stepsOf(const Tables &tables, Row row) {
    const CycleRecord r = tables.cycles.record(row);
    std::vector<CycleStep> steps;
    const auto add = [&steps](OptionalFrame frame, Time time, QString what) {
        if (frame)
            steps.push_back({*frame, time, std::move(what)});
    };
    add(r.command_frame, r.start, stepText("Command"));
    for (Row b = 0; b < tables.cycles.bursts(row); ++b) {
        const BurstRecord &burst = tables.bursts.record(tables.cycles.firstBurst(row) + b);
        if (burst.burst == 0) {
            if (burst.first_frame != r.command_frame)
                add(burst.first_frame, burst.start,
                    stepText("Unsolicited data (%1)").arg(block(burst.sent_bytes)));
        } else {
            add(burst.r2t_frame, burst.start,
                stepText("R2T %1 (%2)").arg(burst.burst).arg(block(burst.desired_bytes.value_or(0))));
            if (burst.burst_response) {
                add(burst.first_frame, burst.start + *burst.burst_response,
                    stepText("Data-Out %1, first").arg(burst.burst));
            }
        }
        if (burst.last_frame != burst.first_frame)
            add(burst.last_frame, burst.end, stepText("Data-Out %1, last").arg(burst.burst));
    }
    if (tables.cycles.bursts(row) == 0 && r.has_phases && r.type != TaskType::write) {
        const Time first = r.start + r.phases.command + r.phases.first_data_wait;
        add(r.first_data_frame, first, stepText("Data-In, first"));
        if (r.last_data_frame != r.first_data_frame)
            add(r.last_data_frame, first + r.phases.data, stepText("Data-In, last"));
    }
    if (r.status_frame && !(steps.size() > 1 && steps.back().frame == *r.status_frame))
        add(r.status_frame, r.end, stepText("Status"));
    else if (r.status_frame)
        steps.back().what += stepText(" with status");
    std::stable_sort(steps.begin(), steps.end(),
                     [](const CycleStep &a, const CycleStep &b) { return a.time < b.time; });
    return steps;
}

} // namespace iscsiscope::gui
