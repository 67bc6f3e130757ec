// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/verdict_words.h"

#include "analyzer/base/number_format.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string_view limit_words(VerdictLimit limit) {
    switch (limit) {
    case VerdictLimit::no_tasks:
        return "no command with an answer is in the capture";
    case VerdictLimit::much_missing:
        return "too much data is missing";
    case VerdictLimit::one_direction:
        return "only one direction is in the capture";
    case VerdictLimit::owner_unknown:
        return "the owner of half of the busy time or more is not known";
    case VerdictLimit::not_whole:
        return "parts of the traffic are not in the capture";
    case VerdictLimit::few_tasks:
        return "fewer than 20 commands";
    case VerdictLimit::round_trip_unknown:
        return "a round trip is not known";
    case VerdictLimit::small_margin:
        return "the next owner has almost as much, by the accuracy of the round trips";
    }
    return "";
}

std::string problem_words(const Finding &f) {
    std::string s = fmt::format("{} [{}]", f.title, name(f.kind));
    if (f.share > 0)
        s += fmt::format(", {} of the busy time", human::share(f.share));
    else if (f.task_share > 0)
        s += fmt::format(", {} of the tasks' time", human::share(f.task_share));
    return s + ".";
}

// What a healthy target takes for a command, if the target has most of the time.
std::string ordinary_words(const Report &r, const CaptureVerdict &v) {
    if (v.owner != Owner::target || v.problem != nullptr)
        return "";
    Histogram service;
    for (const TaskType type : {TaskType::read, TaskType::write})
        service.merge(r.of(type).of(CycleFigure::target_service));
    if (service.count() == 0)
        return "";
    return fmt::format(", {} a command at the median", human::duration(service.quantile(0.5)));
}

} // namespace

std::string verdict_words(const Report &r, const CaptureVerdict &v) {
    std::string s;
    const bool failed = v.problem != nullptr && v.problem->failure; // graver than a host without work
    if (v.idle_share > 0.5 && !failed)
        s += fmt::format("The host gave no work for {} of its spells of work. ", human::share(v.idle_share));
    const bool findings = r.findings.has_value();
    if (v.problem != nullptr)
        s += problem_words(*v.problem);
    else if (findings)
        s += fmt::format("No problem found; {} causes were looked for and ruled out.",
                         r.findings->ruled_out.size());
    if (v.owner && v.certainty != VerdictCertainty::cannot_be_told)
        s += fmt::format(" The {} has {} of the {} of busy time{}.", name(*v.owner),
                         human::share(v.owner_share), human::duration(v.busy), ordinary_words(r, v));
    const std::string_view sure = v.certainty == VerdictCertainty::certain ? " Certain"
                                  : v.certainty == VerdictCertainty::likely
                                      ? " Likely"
                                      : " The owner of the time is not known";
    s += s.empty() ? sure.substr(1) : sure;
    if (v.limit && v.certainty != VerdictCertainty::certain)
        s += fmt::format(": {}", limit_words(*v.limit));
    return s + ".";
}

} // namespace iscsiscope
