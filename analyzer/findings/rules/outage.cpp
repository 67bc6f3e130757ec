// SPDX-License-Identifier: GPL-2.0-or-later
// Rule outage: nothing got through for longer than the repair of a loss takes (cycles/ledger/outages.h).
#include "analyzer/findings/facts/icmp_facts.h"
#include "analyzer/findings/rules/icmp_words.h"
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

std::string way_words(const OutageInterval &s) {
    const std::uint64_t lost = s.lost_to_target + s.lost_to_initiator;
    if (lost == 0)
        return "The capture does not show whether both directions had failed.";
    const std::string again = human::plural(lost, "segment was", "segments were") + " sent again.";
    if (s.lost_to_target > 0 && s.lost_to_initiator > 0)
        return "Both directions had failed; " + again;
    return std::string("Packets of the ") + (s.lost_to_target > 0 ? "initiator" : "target") +
           ", or their ACKs, were lost; " + again;
}

// True if only full segments of one direction were sent again: smaller packets may have got through.
bool full_ones_only(const ConnectionFacts &c, const OutageInterval &s) {
    if (!s.smallest_again || (s.lost_to_target > 0) == (s.lost_to_initiator > 0))
        return false;
    const TcpDirectionFigures *f =
        c.direction(s.lost_to_target > 0 ? PduDirection::to_target : PduDirection::to_initiator);
    return f != nullptr && f->full_segment && *s.smallest_again >= *f->full_segment;
}

// How long the host had been silent when the outage began; zero: not for long.
Duration idle_before(const ConnectionFacts &c, const OutageInterval &s) {
    constexpr Duration moment = std::chrono::seconds(1);
    if (!c.to_target || c.to_target->face.quiet == Duration{})
        return {};
    const SenderFace &host = c.to_target->face;
    return host.quiet_until - s.start <= moment && s.start - host.quiet_until <= moment ? host.quiet
                                                                                        : Duration{};
}

std::string remedy_words(Duration longest) {
    const auto seconds = static_cast<std::uint64_t>(longest / std::chrono::seconds{1}) + 1;
    constexpr std::uint64_t polling = 5; // multipath.conf: polling_interval
    return "Find what interrupted the path then: link, switch, spanning tree, a failover of the portal. With "
           "multipath, switch sooner (open-iscsi: node.session.timeo.replacement_timeout = 5, default 120). "
           "With one path, let commands wait longer: replacement_timeout well above " +
           human::count(seconds) + " s, or multipath's no_path_retry at least " +
           human::count(seconds / polling + 2) + ".";
}

// An outage that shows only by its end: the initiator gave up a connection that was in order at the tap.
Verdict given_up(const RuleContext &c, const Break &b, std::size_t such) {
    Finding f = begin_finding(FindingKind::outage, c);
    f.stream = b.connection->record.stream;
    f.title = "The initiator gave up a silent connection";
    f.sentence = capitalized(end_with_address(b.connection, false)) +
                 " gave a connection up and logged in again (frame " +
                 std::to_string(b.successor->record.login->first_frame) + "), " + human::duration(b.silence) +
                 " after the last answer to a command. No command was open, and no FIN or RST of the old "
                 "connection passed: its path or the initiator had failed.";
    if (such > 1)
        f.sentence += " That happened " + human::count(such) + " times.";
    add_evidence(f, b.successor->record.login->first_frame, "the login that reinstates the session");
    add_figure(f, "outages", static_cast<double>(such));
    add_figure(f, "longest_outage", b.silence);
    f.remedy = remedy_words(b.silence);
    return {std::move(f), {}};
}

// The longest silence before a new login that no other finding explains; null: none. Counts them.
const Break *longest_silence(const RuleContext &c, const std::vector<Break> &breaks, std::size_t &such) {
    const Break *longest = nullptr;
    for (const Break &b : breaks)
        if (b.silence > Duration{} &&
            c.lost.stories().of(b.connection->record.stream) == FindingKind::outage) {
            ++such;
            if (longest == nullptr || b.silence > longest->silence)
                longest = &b;
        }
    return longest;
}

// What says during the outage that packets of the connection did not arrive. Of messages that came before and
// after it, whether one came in it is not known.
std::optional<IcmpError> icmp_during(const std::vector<IcmpError> &all, const ConnectionRecord &r,
                                     const OutageInterval &o) {
    const auto inside = [&](FrameNumber f) {
        return f >= o.before_frame && (!o.after_frame || f <= *o.after_frame);
    };
    return commonest(all, [&](const IcmpError &e) {
        const bool own = (e.source == r.initiator && e.destination == r.target) ||
                         (e.source == r.target && e.destination == r.initiator);
        return own && says_unreachable(e) && (inside(e.first_frame) || inside(e.last_frame));
    });
}

} // namespace

Verdict outage(const RuleContext &c) {
    const ConnectionFacts *worst = nullptr;
    const OutageInterval *longest = nullptr;
    const std::vector<Break> &breaks = c.lost.stories().breaks();
    std::uint64_t of_the_path = 0, of_others = 0;
    bool all_survived = true;
    for (const ConnectionFacts &k : c.facts.connections) {
        const bool no_login =
            k.record.tasks == 0 && k.record.login && !k.record.login->finished; // login_trouble
        const bool other_cause = black_hole(k) || no_login || ping_unanswered(c.in, k.record.stream);
        const Break *broke = break_of(breaks, k);
        for (const OutageInterval &s : k.outages) {
            const bool of_story =
                c.lost.stories().has_cause(k.record.stream) && (broke == nullptr || broke->outage == &s);
            if (other_cause || of_story) {
                ++of_others;
                continue;
            }
            ++of_the_path;
            all_survived = all_survived && s.ended_by_repair && (broke == nullptr || broke->outage != &s);
            if (longest == nullptr || s.length() > longest->length()) {
                worst = &k;
                longest = &s;
            }
        }
    }
    std::size_t such = 0;
    if (const Break *silent = longest_silence(c, breaks, such); silent != nullptr && longest == nullptr)
        return given_up(c, *silent, such);
    if (longest == nullptr)
        return none(
            of_others > 0
                ? "the times in which nothing got through are counted as unanswered pings or logins, as "
                  "large packets that do not get through, or for what ended the connection"
                : "no path was silent for longer than a loss takes to repair");
    Finding f = begin_finding(FindingKind::outage, c);
    f.nature = all_survived ? Nature::harm : Nature::failure;
    f.stream = worst->record.stream;
    f.sentence = "Nothing got through" +
                 (ends_words(worst).empty() ? "" : " on the connection" + ends_words(worst)) + " for " +
                 human::duration(longest->length()) + ", from " + human::instant(longest->start) + " on" +
                 (longest->after_frame ? " (frames " + std::to_string(longest->before_frame) + " to " +
                                             std::to_string(*longest->after_frame) + ")"
                                       : "") +
                 ". " + way_words(*longest);
    const Break *broke = break_of(breaks, *worst);
    const bool ended = broke != nullptr && broke->outage == longest;
    if (ended)
        f.sentence += " " + end_words(*broke) + ".";
    else if (longest->ended_by_repair)
        f.sentence += " The connection survived.";
    if (worst->lost_tasks.count > 0)
        f.sentence += " " + human::plural(worst->lost_tasks.count, "command was", "commands were") + " open.";
    if (const Duration idle = idle_before(*worst, *longest); idle > Duration{})
        f.sentence += " It began with the first data after " + human::duration(idle) +
                      " of silence, after which firewalls forget a connection.";
    if (full_ones_only(*worst, *longest))
        f.sentence += " Only full-size segments were sent again: a path that drops large packets would look "
                      "the same.";
    if (const auto icmp = icmp_during(c.in.capture.icmp, worst->record, *longest))
        add_icmp(f, *icmp);
    if (of_the_path > 1)
        f.sentence += " There were " + human::count(of_the_path) + " outages in all.";
    if (!ended || f.lost_time * 2 >= longest->length())
        f.sentence += lost_total(f, c.lost.to(FindingKind::outage));
    f.evidence.insert(f.evidence.begin(),
                      {longest->before_frame, "the last packet that got through before it"});
    add_evidence(f, longest->after_frame, "the first packet after it");
    if (broke != nullptr && broke->successor != nullptr)
        add_evidence(f, broke->successor->record.login->first_frame, "the login that reinstates the session");
    add_figure(f, "outages", static_cast<double>(of_the_path));
    add_figure(f, "longest_outage", longest->length());
    if (broke != nullptr && broke->downtime > Duration{})
        add_figure(f, "downtime", broke->downtime);
    add_figure(f, "commands_lost", static_cast<double>(worst->lost_tasks.count));
    f.remedy = remedy_words(longest->length());
    also(f, FindingKind::connection_reset, broke != nullptr && broke->outage == longest);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
