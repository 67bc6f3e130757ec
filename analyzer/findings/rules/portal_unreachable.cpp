// SPDX-License-Identifier: GPL-2.0-or-later
// Rule portal_unreachable: connection attempts to an iSCSI portal that were refused (RST) or got no answer.
#include "analyzer/findings/facts/icmp_facts.h"
#include "analyzer/findings/rules/icmp_words.h"
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// A port that IANA assigned or the user named, that carried iSCSI in this capture, or that a target named.
bool is_portal(const PortalFacts &p, const RuleContext &c) {
    const auto carries = [&](const ConnectionFacts &k) { return k.record.target.port == p.portal.port; };
    return p.known_port || (c.in.sessions != nullptr && c.in.sessions->named_ports.contains(p.portal.port)) ||
           std::ranges::any_of(c.facts.connections, carries);
}

// True if sessions of this portal broke: what broke them is shown before the attempts that failed since.
bool served_before(const PortalFacts &p, const RuleContext &c) {
    return std::ranges::any_of(
        c.facts.connections,
        [&](const ConnectionFacts &k) {
            return k.record.target == p.portal && !p.failed.empty() &&
                   k.record.start < p.failed.front().start;
        });
}

// True if all attempts that failed are part of a restart of the target.
bool of_restart(const PortalFacts &p, const RuleContext &c) {
    const Stories &stories = c.lost.stories();
    return std::ranges::any_of(stories.breaks_of(FindingKind::target_restart), [&](const Break *b) {
        const Restart *r = stories.restart(*b);
        return b->connection->record.target == p.portal && r->refused + r->unanswered >= p.failures();
    });
}

struct Outage {
    Duration time{};             // from each first SYN that failed to the next attempt, or to its own end
    std::optional<Time> success; // the first connection behind the last attempt that failed
    bool at_least = false;       // not all attempts are known by their times
};

Outage outage(const PortalFacts &p) {
    std::vector<FailedAttempt> failed = p.failed;
    std::vector<Time> accepted = p.accepted_at;
    std::ranges::sort(failed, {}, &FailedAttempt::start);
    std::ranges::sort(accepted);
    Outage o;
    o.at_least = p.failures() > failed.size() || p.accepted > accepted.size();
    std::optional<Time> counted; // up to here
    for (std::size_t i = 0; i < failed.size(); ++i) {
        Time end = failed[i].end;
        const auto next = std::ranges::lower_bound(accepted, end);
        const bool again = i + 1 < failed.size();
        if (next != accepted.end() && (!again || *next < failed[i + 1].start))
            end = *next;
        else if (again)
            end = std::max(end, failed[i + 1].start);
        if (!again && next != accepted.end())
            o.success = *next;
        const Time start = std::max(failed[i].start, counted.value_or(failed[i].start));
        o.time += std::max(Duration{}, end - start);
        counted = std::max(end, counted.value_or(end));
    }
    return o;
}

std::optional<Duration> spacing(const PortalFacts &p) {
    if (p.failed.size() < 3)
        return std::nullopt;
    const auto [first, last] = std::ranges::minmax_element(p.failed, {}, &FailedAttempt::start);
    return (last->start - first->start) / static_cast<std::int64_t>(p.failed.size() - 1);
}

// icmp: what says why; may be empty.
std::string sentence(const PortalFacts &p, const Outage &o, const std::optional<IcmpError> &icmp) {
    const auto attempts = [](std::uint64_t n) {
        return human::plural(n, "connection attempt", "connection attempts");
    };
    const std::string syns = human::plural(p.unanswered_syns, "SYN", "SYNs");
    std::string text = "Portal " + to_text(p.portal);
    if (p.refused > 0)
        text += " refused " + attempts(p.refused) + " (RST)";
    if (p.unanswered > 0)
        text += (p.refused > 0 ? " and did not answer " : " did not answer ") + syns + " of " +
                attempts(p.unanswered);
    if (o.time > Duration{})
        text += std::string(p.attempts() == 1 && p.refused == 1 ? " after " : " within ") +
                (o.at_least ? "at least " : "") + human::duration(o.time);
    if (const auto each = spacing(p))
        text += ", one every " + human::duration(*each) + " on average";
    if (o.success)
        text += ", until it accepted a connection";
    else if (p.accepted > 0)
        text += "; " + human::plural(p.accepted, "other was", "others were") + " accepted";
    if (icmp)
        return text + ".";
    if (p.unanswered == 0)
        text += "; nothing listens there, or a firewall rejects";
    else if (!p.host_seen)
        text += "; the capture holds nothing from this host, but initiators repeat only unanswered SYNs";
    return text + ".";
}

// What ICMP says of the attempts that got no answer, if these are most.
std::optional<IcmpError> why_not_reached(const RuleContext &c, const PortalFacts &p) {
    if (p.unanswered <= p.refused)
        return std::nullopt;
    return commonest(c.in.capture.icmp, [&](const IcmpError &e) {
        return e.destination == p.portal && says_unreachable(e) &&
               std::ranges::any_of(
                   p.failed, [&](const FailedAttempt &a) { return !a.refused && a.initiator == e.source; });
    });
}

// Empty: the message does not say what to do.
std::string remedy_of(const IcmpError &e) {
    const std::string at = to_text(e.sender);
    switch (e.reason) {
    case IcmpReason::prohibited:
        return "Let TCP to " + to_text(e.destination) + " pass the filter of " + at + ". ";
    case IcmpReason::network_unreachable:
        return "Give " + at + " a route to " + to_text(e.destination.address) + ". ";
    case IcmpReason::host_unreachable:
        return "Check that host " + to_text(e.destination.address) + " runs, and the link from " + at +
               " to it. ";
    case IcmpReason::protocol_unreachable:
    case IcmpReason::port_unreachable:
        return "Look at the firewall rules of " + at + ", which reject TCP to " + to_text(e.destination) +
               ". ";
    case IcmpReason::hops_exceeded:
        return "Follow the routes from " + at + " on: the packets may go in a circle. ";
    default:
        return {};
    }
}

std::string remedy(const PortalFacts &p, const std::optional<IcmpError> &icmp) {
    const std::string portal = to_text(p.portal);
    const std::string dead = "If the portal is gone, delete its record (iscsiadm -m node -o delete -p " +
                             portal + ") and take it out of discovery";
    if (icmp)
        if (const std::string what = remedy_of(*icmp); !what.empty())
            return what + dead + ".";
    if (p.unanswered > p.refused)
        return "Check that the host of " + portal +
               " runs, and route, VLAN and firewall to it in both directions. " + dead +
               ": each login to it takes up to 120 s.";
    return "Check that the target listens there (Linux target: ss -ltn; LIO: its portals) and no firewall "
           "rejects the connection. " +
           dead + ".";
}

// The first login at another portal that was accepted after the first failed attempt at this one, and how
// long after it.
std::optional<std::pair<const LoginFigures *, Duration>> other_portal(const RuleContext &c,
                                                                      const PortalFacts &p) {
    if (c.in.sessions == nullptr || p.failed.empty())
        return std::nullopt;
    const auto first = std::ranges::min_element(p.failed, {}, &FailedAttempt::start);
    for (const LoginFigures &l : c.in.sessions->logins.logins) // by time
        if (l.login.accepted && l.login.end > first->start && l.target != p.portal)
            return std::pair(&l, l.login.end - first->start);
    return std::nullopt;
}

Verdict no_failure(std::uint64_t accepted, std::uint64_t not_known) {
    if (accepted + not_known == 0)
        return none("no connection attempt to a portal is in the capture");
    if (accepted == 0)
        return none("whether " + human::plural(not_known, "connection attempt", "connection attempts") +
                    " to a portal got an answer is not known: the capture ends too early, or may not hold "
                    "the direction of the answer");
    return none(
        "every connection attempt to a portal was answered: " + human::count(accepted) + " of " +
        human::count(accepted) +
        (not_known > 0 ? "; of " + human::count(not_known) + " more it is not known" : std::string()));
}

} // namespace

Verdict portal_unreachable(const RuleContext &c) {
    std::uint64_t accepted = 0, refused = 0, unanswered = 0, syns = 0, not_known = 0, portals = 0;
    const PortalFacts *worst = nullptr;
    Outage most;
    for (const PortalFacts &p : c.facts.portals) {
        if (!is_portal(p, c))
            continue;
        accepted += p.accepted;
        not_known += p.not_known;
        if (p.failures() == 0 || of_restart(p, c))
            continue;
        ++portals;
        refused += p.refused;
        unanswered += p.unanswered;
        syns += p.unanswered_syns;
        const Outage o = outage(p);
        if (worst == nullptr || o.time > most.time) {
            worst = &p;
            most = o;
        }
    }
    if (worst == nullptr && !c.lost.stories().breaks_of(FindingKind::target_restart).empty())
        return none("the attempts that failed belong to a restart of the target");
    if (worst == nullptr)
        return no_failure(accepted, not_known);
    Finding f = begin_finding(FindingKind::portal_unreachable);
    if (served_before(*worst, c))
        f.nature = Nature::consequence;
    const std::optional<IcmpError> icmp = why_not_reached(c, *worst);
    if (worst->refused == 0 || worst->unanswered == 0)
        f.title = worst->refused > 0 ? "A portal refuses connections"
                  : icmp             ? "A portal cannot be reached"
                                     : "A portal does not answer";
    f.sentence = sentence(*worst, most, icmp);
    if (icmp)
        add_icmp(f, *icmp);
    if (portals > 1)
        f.sentence += " " + human::plural(portals - 1, "other portal", "other portals") +
                      (portals == 2 ? " fails" : " fail") + " likewise.";
    f.remedy = remedy(*worst, icmp);
    if (const auto other = other_portal(c, *worst)) {
        f.sentence.pop_back();
        f.sentence += "; a login at " + to_text(other->first->target) + " was accepted " +
                      human::duration(other->second) + " after the first SYN.";
        add_figure(f, "time_to_other_portal", other->second);
    }
    Course attempts;
    for (const FailedAttempt &a : worst->failed)
        attempts.add(a.start, std::max(a.end - a.start, Duration{1}));
    set_events(f, c, attempts);
    add_evidence(f, worst->first_syn, "first SYN");
    add_evidence(f, worst->first_refusal, "first RST in answer to a SYN");
    add_evidence(f, worst->last_syn, "last SYN");
    add_figure(f, "portals", static_cast<double>(portals));
    add_figure(f, "attempts_refused", static_cast<double>(refused));
    add_figure(f, "attempts_unanswered", static_cast<double>(unanswered));
    add_figure(f, "unanswered_syns", static_cast<double>(syns));
    add_figure(f, "attempts_accepted", static_cast<double>(accepted));
    add_figure(f, "without_connection", most.time);
    if (const auto each = spacing(*worst))
        add_figure(f, "attempt_spacing", *each);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
