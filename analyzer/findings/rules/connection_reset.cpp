// SPDX-License-Identifier: GPL-2.0-or-later
// Rule connection_reset: a connection ended with tasks open or bytes unacknowledged, by RST, FIN, new SYN on
// its ports, or new login, and belongs to no other story (attribution/stories.h).
#include "analyzer/findings/rules/rule_tools.h"

#include <set>

namespace iscsiscope::rules {
namespace {

// Which findings the breaks belong to.
std::string stories_of_breaks(const Stories &stories) {
    std::set<FindingKind> kinds;
    for (const Break &b : stories.breaks())
        if (const auto kind = stories.of(b.connection->record.stream))
            kinds.insert(*kind);
    std::string names;
    for (const FindingKind k : kinds)
        names += (names.empty() ? "" : ", ") + std::string(name(k));
    return "what broke the connections has a finding of its own: " + names;
}

std::string logout_words(std::uint64_t resets, std::uint64_t without) {
    if (without == 0)
        return ", after a logout";
    return resets == without ? ", without a logout"
                             : ", " + human::count(without) + " of them without a logout";
}

} // namespace

Verdict connection_reset(const RuleContext &c) {
    const OutcomeFacts &lost_tasks = c.facts.of(TaskOutcome::connection_lost);
    std::uint64_t commands = lost_tasks.count, resets = 0, without_logout = 0;
    const Lost &lost = c.lost.to(FindingKind::connection_reset);
    const Stories &stories = c.lost.stories();
    const std::vector<const Break *> breaks = stories.breaks_of(FindingKind::connection_reset);
    for (const Break &b : stories.breaks())
        if (stories.of(b.connection->record.stream) != FindingKind::connection_reset)
            commands -= std::min(commands, b.connection->lost_tasks.count);
    for (const ConnectionFacts &k : c.facts.connections) {
        const bool reset =
            k.record.outcome == ConnectionOutcome::reset || k.record.outcome == ConnectionOutcome::reused;
        resets += reset ? 1 : 0;
        without_logout += reset && !k.logout_request ? 1 : 0;
    }
    if (breaks.empty() && commands == 0 && lost.waits.count == 0) {
        if (!stories.breaks().empty())
            return none(stories_of_breaks(stories));
        return none(resets == 0 ? "every connection was closed normally or was open at the end of the capture"
                                : human::plural(resets, "connection was", "connections were") +
                                      " reset with no command open" + logout_words(resets, without_logout));
    }
    Finding f = begin_finding(FindingKind::connection_reset, c);
    if (!breaks.empty()) {
        const Break &first = *breaks.front();
        f.stream = first.connection->record.stream;
        const std::string open = open_words(*first.connection);
        f.title = open.empty() ? "A connection broke before its last data were acknowledged"
                               : "A connection broke with commands open";
        f.sentence = "The connection" + ends_words(first.connection) + " broke" +
                     (open.empty() ? " with no command open, but its last data were never acknowledged"
                                   : " while " + open) +
                     ". " + end_words(first);
        if (breaks.size() > 1)
            f.sentence += ". In all " + human::count(breaks.size()) + " connections broke, with " +
                          human::plural(commands, "command", "commands");
        add_evidence(f, first.connection->lost_tasks.first_command,
                     "the first command that lost its connection");
        for (const auto *d : {&first.connection->to_target, &first.connection->to_initiator})
            if (*d)
                add_evidence(f, (*d)->reset_frame, "RST");
        add_evidence(f, first.connection->record.last_frame, "last frame of the first connection that broke");
        if (first.successor != nullptr)
            add_evidence(f, first.successor->record.login->first_frame,
                         "the login that reinstates the session");
        if (first.downtime > Duration{})
            add_figure(f, "downtime", first.downtime);
    } else if (commands == 0) {
        f.title = "Waits ended with their connection";
        f.sentence = human::plural(lost.waits.count, "wait", "waits") +
                     " for the other end ended with the end of the connection; no command was lost by it";
    } else {
        f.title = "Commands lost their connection";
        f.sentence = human::plural(commands, "command lost its connection", "commands lost their connection");
        add_evidence(f, lost_tasks.first_command, "the first command that lost its connection");
    }
    f.sentence += "." + lost_total(f, lost);
    add_figure(f, "connections_reset", static_cast<double>(resets));
    add_figure(f, "commands_lost", static_cast<double>(commands));
    f.remedy = "Look at the log of the end that sent the RST or FIN for that moment: a restart, or a "
               "protocol error before it. If that end did not send it, look for a firewall between the ends "
               "that answers with its address. ESXi logs H:0x1.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
