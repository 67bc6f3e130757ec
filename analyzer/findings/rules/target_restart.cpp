// SPDX-License-Identifier: GPL-2.0-or-later
// Rule target_restart: the target was silent or closed its connections, refused new ones or answered the old
// ones with RST, and came back with a new session (attribution/restarts.h).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace iscsiscope::rules {
namespace {

// The time until the portal was back; without that, until its host was.
Duration time_away(const Restart &r) {
    return r.portal_back ? std::max(Duration{}, *r.portal_back - r.silent_from) : r.silence();
}

// "29h/00h".
std::string sense_words(const ResetAttention &a) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string s;
    for (const unsigned byte : {a.sense >> 8 & 0xffU, a.sense & 0xffU})
        s += std::string(s.empty() ? "" : "/") + digits[byte >> 4] + digits[byte & 15] + "h";
    return s;
}

std::string sentence(const Restart &r, bool host_was_away) {
    std::string s = capitalized(end_with_address(r.broke->connection, true));
    if (host_was_away)
        s += " restarted: its host answered again after " + human::duration(r.silence()) +
             (r.host_frame ? " (RST, frame " + std::to_string(*r.host_frame) + ")" : std::string());
    else
        s += " ended its connections (frame " + std::to_string(r.broke->end.frame) + ") and started anew";
    s += r.portal_back ? ", its portal after " + human::duration(time_away(r))
                       : ", its portal not before the end of the capture";
    if (r.refused > 0)
        s += "; it refused " + human::plural(r.refused, "attempt", "attempts") + " to connect meanwhile";
    s += ".";
    if (r.attention != nullptr)
        s += " The new session began with UNIT ATTENTION " + sense_words(*r.attention) + ".";
    return s;
}

} // namespace

Verdict target_restart(const RuleContext &c) {
    const Stories &stories = c.lost.stories();
    const std::vector<const Break *> breaks = stories.breaks_of(FindingKind::target_restart);
    const Restart *worst = nullptr;
    std::uint64_t commands = 0;
    std::set<IpAddress> targets;
    for (const Break *b : breaks) {
        const Restart *r = stories.restart(*b);
        commands += b->connection->lost_tasks.count;
        targets.insert(b->connection->record.target.address);
        if (worst == nullptr || time_away(*r) > time_away(*worst))
            worst = r;
    }
    if (worst == nullptr)
        return none(
            stories.breaks().empty()
                ? "no connection broke"
                : "no target refused connections or began a session with UNIT ATTENTION 29h after its "
                  "connections had broken");
    constexpr Duration away = std::chrono::seconds(1);
    const bool host_was_away = worst->silence() >= away;
    Finding f = begin_finding(FindingKind::target_restart, c);
    f.stream = worst->broke->connection->record.stream;
    if (!host_was_away)
        f.title = "The target's service restarted";
    f.sentence = sentence(*worst, host_was_away);
    if (const std::string open = open_words(*worst->broke->connection); !open.empty())
        f.sentence += " " + open + ".";
    if (breaks.size() > 1)
        f.sentence += " In all " + human::count(breaks.size()) + " connections broke" +
                      (targets.size() > 1 ? " at " + human::count(targets.size()) + " addresses." : ".");
    f.sentence += lost_total(f, c.lost.to(FindingKind::target_restart));
    add_evidence(f, worst->host_frame, "the first answer of the host afterwards");
    add_evidence(f, worst->first_refusal, "first RST in answer to a SYN");
    if (worst->broke->successor != nullptr)
        add_evidence(f, worst->broke->successor->record.login->first_frame,
                     "the login that reinstates the session");
    if (worst->attention != nullptr)
        add_evidence(f, worst->attention->frame, "UNIT ATTENTION of the new session");
    add_figure(f, "host_silence", worst->silence());
    if (worst->portal_back)
        add_figure(f, "portal_down", time_away(*worst));
    add_figure(f, "attempts_refused", static_cast<double>(worst->refused));
    add_figure(f, "commands_lost", static_cast<double>(commands));
    const auto seconds = static_cast<std::uint64_t>(time_away(*worst) / std::chrono::seconds{1}) + 1;
    f.remedy =
        "Find in the target's log why it restarted (power, a crash, an update), and what kept its portal "
        "down. So that hosts outlast it, let them wait longer than " +
        human::plural(seconds, "second", "seconds") +
        " (open-iscsi: node.session.timeo.replacement_timeout; multipath: no_path_retry).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
