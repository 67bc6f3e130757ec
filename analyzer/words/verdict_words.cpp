// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/verdict_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/words/order_words.h"
#include "analyzer/words/share_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string_view limit_words(const Report &r, VerdictLimit limit) {
    switch (limit) {
    case VerdictLimit::no_tasks:
        return r.filter.empty() ? "no command with an answer is in the capture"
                                : "no command with an answer is among these";
    case VerdictLimit::clocks_differ:
        return "times from one of the merged files to another are wrong";
    case VerdictLimit::much_missing:
        return "too much data is missing";
    case VerdictLimit::one_direction:
        return "only one direction is in the capture";
    case VerdictLimit::owner_unknown:
        return "the owner of half of the busy time or more is not known";
    case VerdictLimit::coarse_clock:
        return "a command takes less time than the capture's clock shows";
    case VerdictLimit::not_whole:
        return "parts of the traffic are not in the capture";
    case VerdictLimit::few_tasks:
        return "fewer than 20 commands";
    case VerdictLimit::round_trip_unknown:
        return "a round trip is not known";
    case VerdictLimit::small_margin:
        return "within the accuracy of the round trips another owner could have as much";
    }
    return "";
}

// The longest time that a session stood without a connection, if one did.
std::string downtime_words(const Report &r) {
    Duration longest{};
    std::size_t sessions = 0;
    for (const auto &[session, down] : r.downtimes) {
        longest = std::max(longest, down.length);
        sessions += down.length > Duration{} ? 1 : 0;
    }
    return sessions == 0 ? std::string()
                         : fmt::format(" {} session{} without a connection for {}{}.",
                                       sessions == 1 ? "One" : human::count(sessions),
                                       sessions == 1 ? " was" : "s were", sessions == 1 ? "" : "up to ",
                                       human::duration(longest));
}

// What a sentence of a finding says before its figures: "Since 5.02 s (frame 812)".
std::string before_figures(const std::string &sentence) {
    const std::size_t end = std::min({sentence.find(": "), sentence.find("; "), sentence.rfind('.')});
    return sentence.substr(0, end);
}

// In the middle of a sentence: names keep their capital.
std::string continued(std::string words) {
    for (const char *first : {"The ", "Since ", "Until ", "From ", "At "})
        if (words.starts_with(first))
            words[0] = static_cast<char>(words[0] - 'A' + 'a');
    return words;
}

std::string finding_words(const Finding &f) {
    std::string s = f.title;
    if (f.share > 0)
        s += fmt::format(": {} of the busy time", rough_share(f.share));
    const std::string where = before_figures(f.where), when = before_figures(f.when);
    if (!where.empty() && !f.title.starts_with(where.substr(0, where.rfind(' ')))) // without "only"
        s += "; " + continued(where);
    if (!when.empty()) // a level changed that was not ordinary before
        s += (f.times.level ? "; slower " : "; ") + continued(when);
    return s + ".";
}

// What cost more time than the problem named first: a problem with a quarter of the busy time after an event
// that cost little. Null if there is none.
const Finding *other_problem(const Report &r, const Finding &first) {
    constexpr double much = 0.25;
    for (const Finding &f : r.findings->findings)
        if (&f != &first && f.severity == Severity::problem && f.share >= much && f.share > first.share)
            return &f;
    return nullptr;
}

// What the owner's time is; of a target, what it takes for a command.
std::string ordinary_words(const Report &r, const CaptureVerdict &v) {
    if (v.owner == Owner::network)
        return v.transfer * 2 > v.busy    ? " (most of it is the transfer of the data)"
               : v.transfer * 10 > v.busy ? " (distance, queues, resends, data transfer)"
                                          : " (distance, queues, resends)";
    if (v.owner != Owner::target)
        return "";
    Histogram service;
    for (const TaskType type : {TaskType::read, TaskType::write})
        service.merge(r.of(type).of(CycleFigure::target_service));
    if (service.count() == 0)
        return "";
    return fmt::format(" ({} a command at the median)", human::duration(service.quantile(0.5)));
}

// What the limit is, and how sure that is.
std::string limit_and_certainty(const Report &r, const CaptureVerdict &v) {
    std::string s;
    if (v.problem != nullptr) {
        s = finding_words(*v.problem);
        if (const Finding *other = other_problem(r, *v.problem); other != nullptr)
            s += " Also: " + finding_words(*other);
        if (is_failure(*v.problem))
            s += downtime_words(r);
    } else if (r.findings) {
        s = "No performance problem found.";
        const auto &all = r.findings->findings;
        // Idleness has a sentence of its own below.
        const auto noticed = std::find_if(all.begin(), all.end(), [](const Finding &f) {
            return f.severity == Severity::notice && f.kind != FindingKind::application_idle;
        });
        if (noticed != all.end())
            s += " Noticed: " + finding_words(*noticed);
    }
    const bool failed = v.problem != nullptr && is_failure(*v.problem); // graver than a host without work
    if (v.idle_share > 0.5 && !failed)
        s += fmt::format("{}The host had no I/O open for {} of the time, long breaks left out.",
                         s.empty() ? "" : " ", rough_share(v.idle_share));
    if (v.owner && v.problem == nullptr && v.certainty != VerdictCertainty::cannot_be_told)
        s += fmt::format(" Most of the busy time goes to the {}{}.", name(*v.owner), ordinary_words(r, v));
    // What is certain needs no word.
    if (v.certainty == VerdictCertainty::certain)
        return s;
    s += v.certainty == VerdictCertainty::likely
             ? " Likely, not certain"
             : " Whether network, target or host is the limit is not known";
    if (v.limit)
        s += fmt::format(": {}", limit_words(r, *v.limit));
    s += ".";
    return s.starts_with(' ') ? s.substr(1) : s;
}

} // namespace

std::string verdict_words(const Report &r, const CaptureVerdict &v) {
    const std::string s = limit_and_certainty(r, v), caveat = clock_caveat(r.capture);
    return s.empty() || caveat.empty() ? s + caveat : s + " " + caveat;
}

} // namespace iscsiscope
