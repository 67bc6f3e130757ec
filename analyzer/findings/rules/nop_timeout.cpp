// SPDX-License-Identifier: GPL-2.0-or-later
// Rule nop_timeout: a NOP without an answer (open-iscsi: sent after 5 s of silence, given up after 5 s).
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

namespace iscsiscope::rules {

Verdict nop_timeout(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("pings were not looked at");
    std::uint64_t asked = 0, unanswered = 0, not_known = 0, explained = 0;
    const NopRow *first = nullptr;
    std::optional<Duration> slowest;
    bool ended_badly = false;
    for (const NopFigures &n : c.in.sessions->nops) {
        asked += n.asked_by_initiator + n.asked_by_target;
        // What silenced the other end is known where the connection has a story of its own.
        if (c.lost.stories().has_cause(n.stream)) {
            explained += n.unanswered;
            continue;
        }
        unanswered += n.unanswered;
        not_known += n.not_known;
        if (const auto most = n.round_trip.maximum())
            slowest = std::max(slowest.value_or(Duration{}), Duration{*most});
        const ConnectionFacts *connection = connection_of(c.facts, n.stream);
        for (const NopRow &row : n.rows) {
            if (row.round_trip)
                continue;
            if (first == nullptr || row.time < first->time)
                first = &row;
            ended_badly = ended_badly || (connection != nullptr &&
                                          (connection->record.outcome == ConnectionOutcome::reset ||
                                           connection->record.outcome == ConnectionOutcome::reused));
        }
    }
    if (asked == 0)
        return none("no NOP pings are in the capture");
    if (unanswered == 0 && not_known == asked)
        return none("whether " + human::plural(asked, "ping", "pings") + " got an answer is not known");
    if (unanswered == 0 && explained > 0)
        return none(human::plural(explained, "ping", "pings") +
                    " without an answer belong to what ended the connection, which has a finding of its own");
    // The rows of a connection are its unanswered pings first, so that there is a first one.
    if (unanswered == 0 || first == nullptr)
        return none("every ping was answered, the slowest after " + words(slowest) +
                    (not_known > 0 ? "; of " + human::count(not_known) + " it is not known" : ""));
    Finding f = begin_finding(FindingKind::nop_timeout, c);
    const Lost &lost = c.lost.to(FindingKind::nop_timeout);
    f.nature = ended_badly ? Nature::failure : lost.waits.count > 0 ? Nature::harm : Nature::fault;
    f.stream = first->stream;
    if (lost.waits.count == 0) { // from the ping on, not from the end that it led to
        f.times = {};
        Course pings;
        const ConnectionFacts *k = connection_of(c.facts, first->stream);
        pings.add(first->time, std::max(k != nullptr ? k->record.end - first->time : Duration{}, Duration{1}),
                  first->frame);
        set_events(f, c, pings);
    }
    if (ended_badly)
        f.title = "A connection was given up after unanswered NOP pings";
    f.sentence = human::count(unanswered) + " of " + human::plural(asked, "NOP ping", "NOP pings") +
                 " got no answer, the first one from " +
                 end_with_address(connection_of(c.facts, first->stream), first->by_target) + " with " +
                 human::plural(first->commands, "command", "commands") + " open.";
    if (ended_badly)
        f.sentence += " The connection was given up afterwards.";
    f.sentence += lost_sentence(f, lost);
    f.evidence.insert(f.evidence.begin(), {first->frame, "the first ping without an answer"});
    add_figure(f, "unanswered", static_cast<double>(unanswered));
    f.remedy =
        first->commands > 0 && lost.waits.count == 0
            ? "Find what kept " + std::string(first->by_target ? "the initiator" : "the target") +
                  " from answering while the path worked, and allow more time (open-iscsi: "
                  "node.conn[0].timeo.noop_out_interval and node.conn[0].timeo.noop_out_timeout, 5 s each)."
            : "Find why the path stopped responding: link, switch, the target's portal. With multipath, "
              "shorten "
              "open-iscsi's node.conn[0].timeo.noop_out_interval and node.conn[0].timeo.noop_out_timeout (5 "
              "s each) to switch paths sooner; with one path, lengthen them to survive the interruption.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
