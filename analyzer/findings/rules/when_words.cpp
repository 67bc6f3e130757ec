// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/when_words.h"

#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <vector>

namespace iscsiscope {
namespace {

constexpr std::size_t max_named = 3;

// Times in words: with as many decimals as tell a thousandth of the capture.
class Seconds {
public:
    explicit Seconds(const CaptureFacts &c) : begin_(c.begin), decimals_(decimals_of(c.end - c.begin)) {}
    std::string at(Time t) const {
        return fmt::format("{:.{}f}", std::chrono::duration<double>(t - begin_).count(), decimals_);
    }

private:
    static int decimals_of(Duration length) {
        return length < std::chrono::seconds(10) ? 3 : length < std::chrono::seconds(1000) ? 2 : 1;
    }

    Time begin_;
    int decimals_;
};

// "5.02 to 8.11", "5.02" for what is shorter than the decimals tell.
std::string span_words(const FindingInterval &s, const Seconds &seconds) {
    const std::string from = seconds.at(s.from), until = seconds.at(s.until);
    return from == until ? from : fmt::format("{} to {}", from, until);
}

// "5.02 to 8.11 s, 12.1 to 13 s and 20 to 21 s", the last one where there are more.
std::string list_words(const std::vector<FindingInterval> &intervals, const Seconds &seconds) {
    std::string s;
    const std::size_t named = std::min(intervals.size(), max_named);
    for (std::size_t i = 0; i < named; ++i) {
        const bool last = i + 1 == named;
        s += i == 0 ? "" : last && named == intervals.size() ? " and " : ", ";
        s += span_words(intervals[i], seconds);
    }
    if (intervals.size() > named)
        s += fmt::format(", ... {}", span_words(intervals.back(), seconds));
    return s + " s";
}

// "; 78 % of the busy time there", of all of them; empty for events.
std::string share_words(const std::vector<FindingInterval> &intervals, const char *there) {
    double lost = 0, busy = 0;
    for (const FindingInterval &s : intervals)
        if (s.share && *s.share > 0) {
            lost += static_cast<double>(to_ns(s.lost));
            busy += static_cast<double>(to_ns(s.lost)) / *s.share;
        }
    return busy > 0 ? fmt::format("; {} of the busy time {}", percent(lost / busy), there) : std::string();
}

std::string of_frame(const FindingInterval &s) {
    return s.frame ? fmt::format(" (frame {})", *s.frame) : std::string();
}

} // namespace

std::string when_words(const FindingTimes &t, const CaptureFacts &capture) {
    if (t.parts.empty() || (t.throughout && !t.period))
        return "";
    const Seconds seconds(capture);
    const FindingInterval &first = t.parts.front();
    if (t.period)
        return fmt::format("{} times, every {}: {}{}{}.", t.intervals.size(), human::duration(*t.period),
                           list_words(t.intervals, seconds), of_frame(first),
                           share_words(t.intervals, "there"));
    if (t.parts.size() > 1)
        return fmt::format("{} times: {}{}{}.", t.parts.size(), list_words(t.parts, seconds), of_frame(first),
                           share_words(t.parts, "there"));
    if (t.level) {
        const LevelChange &l = *t.level;
        const char *other = l.to_end ? "before" : l.from_begin ? "later" : "before and later";
        return fmt::format("{} s{}: a mean {} of {} instead of {} {}.",
                           l.to_end ? "Since " + seconds.at(l.from)
                           : l.from_begin
                               ? "Until " + seconds.at(l.until)
                               : fmt::format("From {} to {}", seconds.at(l.from), seconds.at(l.until)),
                           l.from_begin ? std::string() : of_frame(first), t.level_of,
                           human::duration(l.within), human::duration(l.outside), other);
    }
    if (t.to_end)
        return fmt::format("Since {} s{}{}.", seconds.at(first.from), of_frame(first),
                           share_words(t.parts, "from then on"));
    if (t.from_begin)
        return fmt::format("Until {} s{}.", seconds.at(first.until), share_words(t.parts, "up to then"));
    const bool once = seconds.at(first.from) == seconds.at(first.until);
    return fmt::format("{} {} s{}{}.", once ? "At" : "From", span_words(first, seconds), of_frame(first),
                       share_words(t.parts, "there"));
}

} // namespace iscsiscope
