// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/verdict_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/report/headline.h"

#include <algorithm>
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

std::string finding_words(const Finding &f) {
    std::string s = f.title;
    if (f.share > 0)
        s += fmt::format(": {} of the busy time", rough_share(f.share));
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
    return fmt::format(" ({} a command at the median)", human::duration(service.quantile(0.5)));
}

} // namespace

std::string verdict_words(const Report &r, const CaptureVerdict &v) {
    std::string s;
    const bool failed = v.problem != nullptr && v.problem->failure; // graver than a host without work
    if (v.idle_share > 0.5 && !failed)
        s += fmt::format("The host had no I/O outstanding for {} of the time in which it worked. ",
                         rough_share(v.idle_share));
    if (v.problem != nullptr)
        s += finding_words(*v.problem);
    else if (r.findings) {
        s += "No fault found.";
        const auto &all = r.findings->findings;
        // Idleness stands above.
        const auto noticed = std::find_if(all.begin(), all.end(), [](const Finding &f) {
            return f.severity == Severity::notice && f.kind != FindingKind::application_idle;
        });
        if (noticed != all.end())
            s += " Noticed: " + finding_words(*noticed);
    }
    if (v.owner && v.problem == nullptr && v.certainty != VerdictCertainty::cannot_be_told)
        s += fmt::format(" Most of the busy time is the {}'s{}.", name(*v.owner), ordinary_words(r, v));
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
