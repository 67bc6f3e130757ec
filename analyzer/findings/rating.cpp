// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rating.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

// Time counts from 100 ms or ten occurrences on.
bool counts(Duration time, std::uint64_t occurrences) {
    return time >= std::chrono::milliseconds(100) || occurrences >= 10;
}

// True if the time is a problem: of the connections concerned, or in stalls, if it is also 1 % of all busy
// time; or of the tasks. As many packets are one as well.
bool costs_much(const Finding &f) {
    return ((f.concerned_share >= problem_from || stalls(f)) && f.share >= 0.01 &&
            counts(f.lost_time, f.occurrences)) ||
           (f.task_share >= problem_from && counts(f.task_time, f.occurrences)) ||
           f.count_share >= problem_from;
}

// Without a fault that is shown, a trait is a problem where it costs more than half of the time.
Severity severity_of(const Finding &f, bool fault_shown) {
    const bool grave = f.nature == Nature::trait ? !fault_shown && std::max(f.share, f.task_share) > 0.5
                                                 : f.nature < Nature::fault || costs_much(f);
    return std::max(f.at_most, grave ? Severity::problem : Severity::notice);
}

// True if the finding states times or counts that are all too small to be shown: 1 % of the packets are not.
bool too_little(const Finding &f, double shown_from) {
    const bool costs_time = f.share > 0 || f.task_time > Duration{};
    return costs_time && f.severity != Severity::problem && std::max(f.share, f.task_share) < shown_from &&
           f.count_share < 0.01;
}

// True for a failure that stands in packets that are there: nothing that the capture lacks makes it doubtful.
bool is_certain_failure(const Finding &f) {
    switch (f.kind) {
    case FindingKind::data_corruption:
    case FindingKind::digest_error:
    case FindingKind::portal_unreachable:
    case FindingKind::login_trouble:
    case FindingKind::protocol_violation:
        return f.nature == Nature::failure;
    default:
        return false;
    }
}

// Findings of a smaller number come first.
int place(const Finding &f) {
    if (is_certain_failure(f))
        return -1;
    switch (f.nature) {
    case Nature::doubt:
    case Nature::failure:
    case Nature::consequence:
        return static_cast<int>(f.nature);
    case Nature::harm:
    case Nature::fault:
        return 10 + static_cast<int>(f.severity);
    case Nature::trait:
        break;
    }
    return 20 + static_cast<int>(f.severity);
}

// The share by which findings of one place are sorted. A problem without a time that it cost counts as a
// quarter of the busy time; pauses of the host are no time lost.
double weight(const Finding &f) {
    const bool untimed = f.severity == Severity::problem && f.share <= 0 && f.task_share <= 0;
    return untimed ? 0.25 : std::max({f.lost_time > Duration{} ? f.share : 0, f.task_share, f.count_share});
}

} // namespace

bool stalls(const Finding &f) {
    // Three waits of half a second in intervals that take most of the busy time of all connections.
    constexpr Duration long_enough = std::chrono::milliseconds(500);
    constexpr double most = 0.75;
    Duration stopped{};
    for (const FindingInterval &i : f.times.intervals)
        if (i.until - i.from >= long_enough && i.share.value_or(0) >= most)
            stopped += i.lost;
    return f.third_wait >= long_enough && stopped >= 3 * long_enough;
}

void rate(FindingsResult &result, double shown_from) {
    // Not ranges::stable_partition: Clang 14 cannot compile libstdc++'s subrange.
    std::stable_partition(result.findings.begin(), result.findings.end(),
                          [](const Finding &f) { return f.nature != Nature::trait; });
    std::vector<Finding> shown;
    for (Finding &f : result.findings) {
        const bool fault_shown = !shown.empty() && shown.front().nature != Nature::trait;
        f.severity = severity_of(f, fault_shown);
        if (too_little(f, shown_from))
            result.ruled_out.push_back({f.kind, "too little to matter: " + human::duration(f.lost_time) +
                                                    " (" + human::share(f.share) + " of the busy time)"});
        else
            shown.push_back(std::move(f));
    }
    std::ranges::stable_sort(shown, {}, [](const Finding &f) { return std::pair(place(f), -weight(f)); });
    std::ranges::stable_sort(result.ruled_out, {}, &RuledOut::kind);
    result.findings = std::move(shown);
}

} // namespace iscsiscope
