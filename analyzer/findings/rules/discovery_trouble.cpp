// SPDX-License-Identifier: GPL-2.0-or-later
// Rule discovery_trouble: SendTargets (RFC 7143 appendix C) without an answer, rejected, answered with no
// target or late, and discovery sessions that the target ends before an answer. Of logins that fail is
// login_trouble, of connections that fail portal_unreachable.
#include "analyzer/findings/attribution/connection_end.h"
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// A third of what initiators allow for a login (open-iscsi: 15 s), as for login_trouble.
constexpr Duration late_from = std::chrono::seconds{5};

// In order of weight: of several the first is the finding's.
enum class DiscoveryEnd : std::uint8_t { answered, late, no_target, rejected, closed, unanswered };

// For how long a request had no answer: until the logout, else until the connection or the capture ended.
Duration open_for(const DiscoveryFigures &d, const ConnectionFacts &k) {
    return d.until_logout ? *d.until_logout : std::max(Duration{}, k.record.end - *d.open_since);
}

// True if the capture shows what the target sent, and that it had received the request.
bool judged(const ConnectionFacts &k) {
    return k.record.rtt_to_target && k.record.unseen_to_initiator == 0 && k.record.unseen_to_target == 0 &&
           k.to_target && k.to_target->never_acked == 0;
}

DiscoveryEnd end_of(const DiscoveryFigures &d, const RuleContext &c) {
    using enum DiscoveryEnd;
    const ConnectionFacts *k = connection_of(c.facts, d.stream);
    if (d.open_since && k != nullptr && judged(*k)) {
        if (!d.until_logout && first_end(*k).of_target())
            return closed;
        const bool given_up = d.until_logout || k->record.outcome != ConnectionOutcome::open ||
                              (k->to_target->fin_frame.has_value());
        if (given_up || open_for(d, *k) >= late_from)
            return unanswered;
    }
    if (d.rejected)
        return rejected;
    if (d.discovery && d.requests == 0 && !d.logged_out && k != nullptr && judged(*k) &&
        first_end(*k).of_target())
        return closed;
    // The targets of a session itself are asked for with an empty value; it has one.
    if (d.discovery && d.empty_answer && d.targets == 0)
        return no_target;
    return d.slowest >= late_from ? late : answered;
}

// The values of the keys that matter to a discovery session: all others are irrelevant there (RFC 7143
// section 13).
std::string agreed_words(const DiscoveryFigures &d) {
    std::string all;
    if (d.login)
        for (const std::string_view name : {"HeaderDigest", "DataDigest", "MaxRecvDataSegmentLength"}) {
            const std::optional<NegotiatedKey> k = d.login->keys.find(name);
            if (k && !k->in_force.empty())
                all += (all.empty() ? " Agreed before: " : ", ") + std::string(name) + "=" + k->in_force +
                       (k->in_force_target.empty() || k->in_force_target == k->in_force
                            ? std::string()
                            : "/" + k->in_force_target);
        }
    return all.empty() ? all : all + ".";
}

// Reasons of a Reject (RFC 7143 section 11.17.1).
std::string reason_words(std::uint8_t reason) {
    switch (reason) {
    case 0x02:
        return "data digest error";
    case 0x04:
        return "protocol error";
    case 0x05:
        return "command not supported";
    case 0x09:
        return "invalid PDU field";
    default:
        return "reason " + std::to_string(reason);
    }
}

// title, words after "N discovery sessions of A at B", remedy
struct DiscoveryWords {
    const char *title;
    std::string words, remedy;
};

DiscoveryWords words_of(DiscoveryEnd end, const DiscoveryFigures &d, const ConnectionFacts *k) {
    switch (end) {
    case DiscoveryEnd::unanswered:
        return {
            "SendTargets gets no answer",
            std::string(
                "got no answer to SendTargets: the target acknowledged the request by TCP and sent ") +
                (d.answer_begun ? "only the beginning of an answer for " : "nothing for ") +
                human::duration(open_for(d, *k)) + ".",
            "Look at the target's log and for an iSCSI service there that hangs, since its TCP still "
            "answers. "
            "Compare the keys agreed on. Until then enter the targets by hand (iscsiadm -m node -o new -T … "
            "-p …)."};
    case DiscoveryEnd::closed:
        return {
            "The target closes discovery sessions",
            std::string("ended without an answer: the target closed the connection ") +
                (d.requests > 0 ? human::duration(open_for(d, *k)) + " after SendTargets."
                                : "before SendTargets was sent."),
            "Look at the target's log for these sessions: a service that crashes, or a request that it does "
            "not take. Until then enter the targets by hand (iscsiadm -m node -o new -T … -p …)."};
    case DiscoveryEnd::rejected:
        return {
            "The target rejects SendTargets",
            "had SendTargets rejected (" + reason_words(d.reason.value_or(0)) + ").",
            "Look at the target's log for what it does not take of this request; update the end that breaks "
            "the standard. Until then enter the targets by hand (iscsiadm -m node -o new -T … -p …)."};
    case DiscoveryEnd::no_target:
        return {
            "The target lists no target for this initiator",
            "got an answer to SendTargets that names no target.",
            "Let a target admit this initiator's name and be enabled on this portal: targets list only what "
            "the initiator may log in to (LIO: acls of the portal group; tgtd: initiator-address and "
            "initiator-name; SCST: initiator groups)."};
    default:
        return {
            "Discovery is slow",
            "got the answer to SendTargets after up to " + human::duration(d.slowest) + ".",
            "Look at the target for why it takes so long to list its targets: many portals or targets, name "
            "look-ups, an access list that is asked for elsewhere."};
    }
}

// True if a discovery of this host at this target named targets; at any target, where only the list is empty:
// a portal for other hosts may list none.
bool works(const std::vector<DiscoveryFigures> &all, const DiscoveryFigures &d, DiscoveryEnd end) {
    return std::ranges::any_of(
        all,
        [&](const DiscoveryFigures &o) {
            return o.targets > 0 && o.initiator.address == d.initiator.address &&
                   (end == DiscoveryEnd::no_target || o.target.address == d.target.address);
        });
}

// True if this host logs in to a target at this address, so that it need not be listed.
bool logs_in(const LoginSummary &logins, const DiscoveryFigures &d) {
    return std::ranges::any_of(
        logins.logins,
        [&](const LoginFigures &l) {
            return l.login.accepted && l.login.session_type == "Normal" &&
                   l.initiator.address == d.initiator.address && l.target.address == d.target.address;
        });
}

Verdict no_trouble(const std::vector<DiscoveryFigures> &all) {
    std::uint64_t answers = 0, targets = 0;
    Duration slowest{};
    for (const DiscoveryFigures &d : all) {
        answers += d.answers;
        targets += d.targets;
        slowest = std::max(slowest, d.slowest);
    }
    if (all.empty())
        return none("no discovery session is in the capture");
    if (answers == 0)
        return none("no request for targets is in the capture, or what became of it is not known");
    return none(human::plural(answers, "answer", "answers") + " to SendTargets named " +
                human::plural(targets, "target", "targets") + ", the slowest after " +
                human::duration(slowest));
}

} // namespace

Verdict discovery_trouble(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("discovery was not looked at");
    const std::vector<DiscoveryFigures> &all = c.in.sessions->discoveries;
    DiscoveryEnd worst = DiscoveryEnd::answered;
    std::vector<const DiscoveryFigures *> troubled;
    for (const DiscoveryFigures &d : all) {
        const DiscoveryEnd end = end_of(d, c);
        if (end > worst) {
            worst = end;
            troubled.clear();
        }
        if (end == worst && end != DiscoveryEnd::answered)
            troubled.push_back(&d);
    }
    if (troubled.empty())
        return no_trouble(all);
    const DiscoveryFigures &first = *troubled.front();
    DiscoveryWords w = words_of(worst, first, connection_of(c.facts, first.stream));
    Finding f = begin_finding(FindingKind::discovery_trouble);
    const bool ends_well = std::ranges::all_of(troubled, [&](const DiscoveryFigures *d) {
        return works(all, *d, worst) ||
               (worst == DiscoveryEnd::no_target && logs_in(c.in.sessions->logins, *d));
    });
    if (worst != DiscoveryEnd::late && !ends_well)
        f.nature = Nature::failure;
    f.title = w.title;
    f.stream = first.stream;
    f.sentence = human::plural(troubled.size(), "discovery session", "discovery sessions") + " of " +
                 to_text(first.initiator.address) + " at " + to_text(first.target) + " " + w.words +
                 agreed_words(first);
    if (first.login)
        add_evidence(f, first.login->last_frame, "the discovery session begins");
    add_evidence(f, first.open_request ? first.open_request : first.first_request, "SendTargets");
    add_evidence(f, first.rejected, "Reject");
    add_evidence(f, worst == DiscoveryEnd::no_target ? first.empty_answer : first.first_answer, "the answer");
    if (const ConnectionFacts *k = connection_of(c.facts, first.stream);
        k != nullptr && worst >= DiscoveryEnd::closed)
        add_evidence(f, k->record.last_frame, "the end of the connection");
    add_figure(f, "discoveries_troubled", static_cast<double>(troubled.size()));
    f.remedy = std::move(w.remedy);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
