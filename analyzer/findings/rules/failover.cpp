// SPDX-License-Identifier: GPL-2.0-or-later
// Rule failover: a path went silent or broke, and its Reads and Writes went on over another one a second or
// more later (sessions/paths/failover_tracker.h).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/sessions/figures/session_figures.h"

namespace iscsiscope::rules {
namespace {

std::string portal_words(const ConnectionFacts *c) {
    return c == nullptr || c->record.target == Endpoint{} ? std::string("another portal")
                                                          : to_text(c->record.target);
}

// The portal that took the command, or the machine that has the same address now.
std::string again_words(const ConnectionFacts *from, const ConnectionFacts *to) {
    if (from == nullptr || to == nullptr || from->record.target.address != to->record.target.address ||
        !to->to_initiator)
        return portal_words(to);
    if (from->to_initiator && from->to_initiator->face.mac == to->to_initiator->face.mac)
        return "it from " + to_text(to->record.initiator.address);
    return "it, now at MAC address " + to_text(to->to_initiator->face.mac);
}

// When the host, or whoever it was, gave the connection up; empty: the capture does not show it.
std::optional<Time> given_up(const Failover &f, const ConnectionFacts *from) {
    std::optional<Time> at = f.given_up;
    if (from != nullptr)
        if (const FirstEnd end = first_end(*from); end.known && (!at || end.time < *at))
            at = end.time;
    return at && *at > f.lost && *at < f.again ? at : std::nullopt;
}

Verdict no_failover(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("paths were not looked at");
    if (c.in.sessions->path_groups.empty())
        return none("no host reaches a logical unit by several paths");
    return none("no Read or Write that lost its path was sent again on another one after a second or more");
}

} // namespace

Verdict failover(const RuleContext &c) {
    const Failover *worst = nullptr;
    std::uint64_t commands = 0;
    for (const Failover *f : c.lost.stories().failovers()) {
        commands += f->commands;
        if (worst == nullptr || f->length() > worst->length())
            worst = f;
    }
    if (worst == nullptr)
        return no_failover(c);
    const ConnectionFacts *from = connection_of(c.facts, worst->from),
                          *to = connection_of(c.facts, worst->to);
    const Duration length = worst->length();
    const bool all_stood = worst->quiet * 2 >= length;
    Finding f = begin_finding(FindingKind::failover, c);
    f.stream = worst->from;
    f.lun = worst->lun;
    if (!all_stood)
        f.title = "Commands waited until another path took them";
    const std::string command = worst->type == TaskType::write ? "Write" : "Read";
    f.sentence = (all_stood ? "I/O of " + end_with_address(from, false) + " stalled for " +
                                  human::duration(length) + ": a " + command
                            : "For " + human::duration(length) + " a " + command + " of " +
                                  end_with_address(from, false)) +
                 " of LUN " + to_string(Lun{worst->lun}) + " got no answer from " + portal_words(from) +
                 " and was sent again to " + again_words(from, to) + ".";
    if (const auto end = given_up(*worst, from)) {
        const bool pings = ping_unanswered(c.in, worst->from);
        f.sentence += (pings ? " Pings without an answer ended the connection after "
                             : " The connection ended after ") +
                      human::duration(*end - worst->lost) + ", the host took the other path " +
                      human::duration(worst->again - *end) + " later.";
        add_figure(f, "until_given_up", *end - worst->lost);
        add_figure(f, "until_other_path", worst->again - *end);
    }
    if (worst->host_guess)
        f.sentence += " That both paths are one host's is a guess.";
    else if (c.lost.stories().failovers().size() > 1)
        f.sentence += " In all " + human::count(c.lost.stories().failovers().size()) + " changes moved " +
                      human::plural(commands, "command", "commands") + ".";
    f.sentence += lost_total(f, c.lost.to(FindingKind::failover));
    add_evidence(f, worst->lost_frame, "the command without an answer");
    add_evidence(f, worst->again_frame, "the same blocks on the other path");
    if (from != nullptr)
        if (const FirstEnd end = first_end(*from); end.known)
            add_evidence(f, end.frame, end.by_reset ? "RST of the first path" : "FIN of the first path");
    add_figure(f, "standstill", length);
    add_figure(f, "commands_moved", static_cast<double>(commands));
    f.remedy =
        "Find why the first path failed: link, switch, the target's port or controller. To change sooner, "
        "shorten open-iscsi's node.conn[0].timeo.noop_out_interval and noop_out_timeout (5 s each), then "
        "node.session.timeo.replacement_timeout (120 s by default; 5 s suit multipath).";
    also(f, FindingKind::nop_timeout, ping_unanswered(c.in, worst->from));
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
