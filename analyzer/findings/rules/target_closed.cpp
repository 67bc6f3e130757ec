// SPDX-License-Identifier: GPL-2.0-or-later
// Rule target_closed: the target ended sessions first, by FIN or again and again by RST, without a logout and
// without an Async Message that says so (RFC 7143 sections 11.9 and 11.14).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// "The target 192.0.2.50 ended the connection from 192.0.2.10:40001 first, by FIN (frame 170), while 1
// command was open (1 Read), the oldest for 2.06 ms".
std::string what_happened(const Break &b, const std::string &open) {
    const ConnectionRecord &r = b.connection->record;
    std::string s = capitalized(end_with_address(b.connection, true)) + " ended the connection";
    if (r.target != Endpoint{})
        s += " from " + to_text(r.initiator);
    s += " first, by " + std::string(b.end.by_reset ? "RST" : "FIN") + " (frame " +
         std::to_string(b.end.frame) + "), " + (open.empty() ? "with no command open" : "while " + open);
    if (const Duration quiet = quiet_before_end(b); quiet > Duration{})
        return s + "; nothing had passed for " + human::duration(quiet) + ", after which firewalls forget.";
    if (b.connection->last_answered)
        s += "; it had answered its last command " +
             human::duration(std::max(Duration{}, b.end.time - *b.connection->last_answered)) + " before";
    if (b.end.answered_by_reset && !b.end.by_reset)
        s += "; the initiator answered with RST (frame " + std::to_string(*b.end.answer) + ")";
    return s + ".";
}

Verdict not_closed(const RuleContext &c) {
    std::uint64_t logouts = 0, others = 0;
    for (const ConnectionFacts &k : c.facts.connections) {
        const FirstEnd end = first_end(k);
        logouts += end.known && end.by_target &&
                           (k.logout_request || k.record.outcome == ConnectionOutcome::logged_out)
                       ? 1
                       : 0;
    }
    for (const Break &b : c.lost.stories().breaks())
        others += b.end.known && b.end.by_target ? 1 : 0;
    if (others > 0)
        return none("what the target ended belongs to other findings");
    return none(logouts > 0 ? "the target ended connections only after a logout: " + human::count(logouts)
                            : "no target ended a session first");
}

} // namespace

Verdict target_closed(const RuleContext &c) {
    const std::vector<const Break *> breaks = c.lost.stories().breaks_of(FindingKind::target_closed);
    if (breaks.empty())
        return not_closed(c);
    std::uint64_t commands = 0;
    const Break *first = breaks.front();
    for (const Break *b : breaks) {
        commands += b->connection->lost_tasks.count;
        if (b->connection->lost_tasks.count > 0 && first->connection->lost_tasks.count == 0)
            first = b;
    }
    const std::string open = open_words(*first->connection);
    Finding f = begin_finding(FindingKind::target_closed, c);
    // Once, with nothing open, it harms nobody.
    if (breaks.size() == 1 && first->idle()) {
        f.nature = Nature::fault;
        f.at_most = Severity::notice;
    }
    f.stream = first->connection->record.stream;
    f.title = breaks.size() > 1 ? "The target ends connections again and again"
              : open.empty()    ? "The target closed an idle connection"
                                : "The target closed a connection with commands open";
    f.sentence = what_happened(*first, open);
    if (first->successor != nullptr)
        f.sentence += " The session was back " + human::duration(first->downtime) + " later.";
    if (breaks.size() > 1)
        f.sentence += " That happened " + human::count(breaks.size()) + " times.";
    f.sentence += lost_total(f, c.lost.to(FindingKind::target_closed));
    add_evidence(f, first->connection->lost_tasks.first_command,
                 "the first command that lost its connection");
    add_evidence(f, first->connection->last_answer, "the last status of the target");
    for (std::size_t i = 0; i < std::min<std::size_t>(breaks.size(), 3); ++i)
        add_evidence(f, breaks[i]->end.frame,
                     breaks[i]->end.by_reset ? "RST of the target" : "FIN of the target");
    if (first->successor != nullptr)
        add_evidence(f, first->successor->record.login->first_frame, "the login that reinstates the session");
    add_figure(f, "closed_by_target", static_cast<double>(breaks.size()));
    add_figure(f, "commands_lost", static_cast<double>(commands));
    if (first->downtime > Duration{})
        add_figure(f, "downtime", first->downtime);
    f.remedy =
        "Look in the target's log for that moment: an idle or session limit, a protocol error, its service "
        "stopped. If it did not do it, look for a firewall that ends idle connections, and let hosts ping "
        "more often (open-iscsi: node.conn[0].timeo.noop_out_interval).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
