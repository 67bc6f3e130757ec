// SPDX-License-Identifier: GPL-2.0-or-later
// Rule address_conflict: RSTs with the address of an end that this end did not send, by their MAC address,
// their time to live, or the time that they took (attribution/foreign_reset.h).
#include "analyzer/findings/rules/rule_tools.h"

namespace iscsiscope::rules {
namespace {

std::string remedy(const ForeignReset &r, const Break &b) {
    const Endpoint &end = r.of_target ? b.connection->record.target : b.connection->record.initiator;
    const std::string address = to_text(end.address);
    return (r.other_mac
                ? "Find the machine with MAC address " + to_text(r.face.mac) + " in the switches' tables"
                : "Look for a second machine with this address") +
           " (arping -D " + address +
           "). If it is a firewall or load balancer, look in its log for that moment, and "
           "let it keep idle connections for longer than the hosts' pings are apart.";
}

} // namespace

Verdict address_conflict(const RuleContext &c) {
    const Stories &stories = c.lost.stories();
    const std::vector<const Break *> breaks = stories.breaks_of(FindingKind::address_conflict);
    if (breaks.empty()) {
        std::uint64_t resets = 0;
        for (const ConnectionFacts &k : c.facts.connections)
            resets += first_end(k).by_reset ? 1 : 0;
        return none(resets == 0
                        ? "no connection began to end with an RST"
                        : human::plural(resets, "RST that ended a connection looks",
                                        "RSTs that ended connections look") +
                              " like the other packets of that address: MAC address, TTL or hop limit");
    }
    const Break &first = *breaks.front();
    const ForeignReset &r = *stories.foreign(first);
    std::uint64_t commands = 0;
    for (const Break *b : breaks)
        commands += b->connection->lost_tasks.count;
    Finding f = begin_finding(FindingKind::address_conflict, c);
    f.stream = first.connection->record.stream;
    f.title = r.of_target ? "Another machine answers with the target's address"
                          : "Another machine answers with the initiator's address";
    const Endpoint &end = r.of_target ? first.connection->record.target : first.connection->record.initiator;
    f.sentence = std::string("An RST with the ") + (r.of_target ? "target's" : "initiator's") + " address " +
                 to_text(end.address) + " (frame " + std::to_string(r.frame) + ") " + difference_words(r);
    if (const Duration quiet = quiet_before_end(first); quiet > Duration{})
        f.sentence += ": a device in between sent it, which had forgotten the connection after " +
                      human::duration(quiet) + " of silence.";
    else
        f.sentence += ": another machine, or a device in between, sent it.";
    if (breaks.size() > 1 || commands > 0)
        f.sentence += " " + human::plural(breaks.size(), "connection", "connections") + " broke so, with " +
                      human::plural(commands, "command", "commands") + " open.";
    f.sentence += lost_total(f, c.lost.to(FindingKind::address_conflict));
    for (std::size_t i = 0; i < std::min<std::size_t>(breaks.size(), 3); ++i)
        add_evidence(f, breaks[i]->end.frame, "RST of another machine");
    if (first.successor != nullptr)
        add_evidence(f, first.successor->record.login->first_frame, "the login that reinstates the session");
    add_figure(f, "foreign_resets", static_cast<double>(breaks.size()));
    add_figure(f, "commands_lost", static_cast<double>(commands));
    if (first.downtime > Duration{})
        add_figure(f, "downtime", first.downtime);
    f.remedy = remedy(r, first);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
