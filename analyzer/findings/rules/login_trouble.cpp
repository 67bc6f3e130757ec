// SPDX-License-Identifier: GPL-2.0-or-later
// Rule login_trouble: logins refused or slow (RFC 7143 section 11.13.5). Redirections are of target_moved.
#include "analyzer/findings/rules/login_refusal.h"
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace iscsiscope::rules {
namespace {

// "MD5, SHA-256" for the codes of CHAP_A (RFC 7143 section 12.1.3, IANA's PPP authentication algorithms).
std::string algorithm_words(const std::string &codes) {
    struct Algorithm {
        std::string_view code, name;
    };
    static constexpr std::array<Algorithm, 4> known{
        {{"5", "MD5"}, {"6", "SHA-1"}, {"7", "SHA-256"}, {"8", "SHA3-256"}}};
    std::string text;
    for (std::size_t from = 0; from < codes.size();) {
        const std::size_t to = std::min(codes.find(',', from), codes.size());
        const std::string_view code(codes.data() + from, to - from);
        const auto at = std::ranges::find(known, code, &Algorithm::code);
        text += (text.empty() ? "" : ", ") + (at != known.end() ? std::string(at->name) : "another");
        from = to + 1;
    }
    return text;
}

std::string named(const std::string &chap_name) {
    return chap_name.empty() ? std::string("a CHAP name that the capture does not show")
                             : "CHAP name " + human::name(chap_name);
}

// Why a login failed at its authentication, as far as the wire shows.
enum class ChapEnd : std::uint8_t {
    none,                  // it did not, or nothing of CHAP is to be seen
    initiator_offers_none, // the target refuses an initiator that offers no CHAP
    no_algorithm,          // the target takes none of the algorithms offered
    name_or_secret,        // the target refuses name or answer of the initiator
    target_distrusted      // the initiator gives up behind the target's own answer (mutual CHAP)
};

ChapEnd chap_end(const Login &l) {
    if (!l.chap)
        return ChapEnd::none;
    const ChapSeen &c = *l.chap;
    if (!l.finished) // the initiator left behind the target's answer
        return l.ended_by_target && c.initiator_asked && c.target_answered ? ChapEnd::target_distrusted
                                                                           : ChapEnd::none;
    if (l.accepted || l.status_class != 2 || l.status_detail > 1)
        return ChapEnd::none;
    if (c.initiator_answered && !c.accepted)
        return ChapEnd::name_or_secret;
    if (!c.algorithms.empty() && !c.target_asked)
        return ChapEnd::no_algorithm;
    if (!c.methods.empty() && c.methods.find("CHAP") == std::string::npos)
        return ChapEnd::initiator_offers_none;
    return ChapEnd::none;
}

std::string chap_words(const Login &l) {
    const ChapSeen c = l.chap ? *l.chap : ChapSeen{};
    switch (chap_end(l)) {
    case ChapEnd::initiator_offers_none:
        return "The initiator offered no CHAP (AuthMethod=" + human::name(c.methods) +
               "), and the target asks for it.";
    case ChapEnd::no_algorithm:
        return "The initiator offered CHAP with " + algorithm_words(c.algorithms) +
               ", which the target does not take.";
    case ChapEnd::name_or_secret:
        return "The target refused " + named(c.initiator_name) +
               (c.algorithm.empty() ? std::string() : " (" + algorithm_words(c.algorithm) + ")") +
               " or its secret" + (l.status_detail == 0 ? ", or cannot use the algorithm" : "") +
               "; which of them, no capture shows.";
    case ChapEnd::target_distrusted:
        return "The target admitted the initiator and answered its challenge with " + named(c.target_name) +
               "; the initiator then ended the connection: it refuses the target's name or secret (mutual "
               "CHAP).";
    case ChapEnd::none:
        break;
    }
    return {};
}

// Names of settings, and under which numbers open-iscsi and Windows report it (docs/questions.md, "Names").
std::string chap_remedy(const Login &l) {
    switch (chap_end(l)) {
    case ChapEnd::initiator_offers_none:
        return "Set CHAP with name and secret at the initiator (open-iscsi: "
               "node.session.auth.authmethod=CHAP; "
               "ESXi and Windows: properties of the target), or admit this initiator without CHAP. iscsiadm "
               "reports error 24.";
    case ChapEnd::no_algorithm:
        return "Let both ends have one algorithm in common (open-iscsi: node.session.auth.chap_algs, by "
               "default "
               "MD5). iscsiadm reports error 19 or 24.";
    case ChapEnd::target_distrusted:
        return "Compare the target's own name and secret at both ends (open-iscsi: "
               "node.session.auth.username_in "
               "and node.session.auth.password_in). iscsiadm reports error 19, Windows event 17 (iScsiPrt).";
    default:
        return "Check the CHAP name and secret at both ends (open-iscsi: node.session.auth.username and "
               "node.session.auth.password). iscsiadm reports error " +
               std::string(l.status_detail == 0 ? "19" : "24") + ", Windows event 10 (iScsiPrt).";
    }
}

// A third of what initiators allow for a login (open-iscsi: 15 s).
constexpr Duration slow_from = std::chrono::seconds{5};

// True if the login's last request got no answer for that long, or until its initiator gave up, although the
// target had received it: it acknowledged what the initiator sent.
bool unanswered(const RuleContext &c, const LoginFigures &l) {
    const ConnectionFacts *k = connection_of(c.facts, l.stream);
    if (l.login.finished || l.login.accepted || l.login.status_class != 0 || k == nullptr ||
        !k->record.rtt_to_target)
        return false;
    const bool last_request = l.login.round_trips > 0 && !l.login.ended_by_target &&
                              k->record.unseen_to_initiator == 0 && k->to_target &&
                              k->to_target->never_acked == 0;
    if (k->record.segments_to_initiator != 0 && !last_request)
        return false;
    return k->record.outcome != ConnectionOutcome::open || (k->to_target && k->to_target->fin_frame) ||
           k->record.end - l.login.end >= slow_from;
}

// When the logins passed of which this holds.
Course course_of(const RuleContext &c, const std::function<bool(const LoginFigures &)> &holds) {
    Course course;
    for (const LoginFigures &l : c.in.sessions->logins.logins)
        if (holds(l))
            course.add(l.login.start, std::max(l.login.end - l.login.start, Duration{1}),
                       l.login.first_frame);
    return course;
}

// Logins that get no answer, where none was refused.
Verdict silent(const RuleContext &c, const LoginFigures &first, std::uint64_t count) {
    const ConnectionFacts *k = connection_of(c.facts, first.stream);
    const bool received = k == nullptr || !k->to_target || k->to_target->never_acked == 0;
    Finding f = begin_finding(FindingKind::login_trouble);
    f.nature = Nature::failure;
    f.stream = first.stream;
    f.title = "Logins get no answer";
    f.sentence =
        human::plural(count, "login", "logins") + " got no answer, the first at " + to_text(first.target) +
        (first.login.round_trips > 0
             ? ": the target acknowledged a later request of the login and sent no answer to it."
         : received ? ": the target acknowledged the request and sent nothing until the connection ended."
                    : ": the target accepted the connection and never acknowledged the request.");
    set_events(f, c, course_of(c, [&](const LoginFigures &l) { return unanswered(c, l); }));
    add_evidence(f, first.login.first_frame, "first request of the first login without an answer");
    add_figure(f, "unanswered", static_cast<double>(count));
    f.remedy = received
                   ? "Look at the target's log for these logins: the name that the initiator asks for, and "
                     "the keys that it offers (digests, authentication)."
                   : "Look at the path to that portal and at its host: nothing of the initiator arrived "
                     "there behind the handshake. A path that drops larger packets (MTU) looks the same.";
    return {std::move(f), {}};
}

// What the sentence adds on a refusal: why CHAP failed, or that it did not.
std::string refusal_words(const Login &l) {
    if (std::string chap = chap_words(l); !chap.empty())
        return " " + chap;
    if (l.finished && l.chap && l.chap->accepted)
        return " CHAP had been accepted before: name and secret are right.";
    return {};
}

// first: the first login refused, where the tables have it.
std::string remedy_words(const LoginFigures *first, bool refused) {
    if (first != nullptr && (chap_end(first->login) != ChapEnd::none ||
                             (first->login.status_class == 2 && first->login.status_detail == 1)))
        return chap_remedy(first->login);
    if (first != nullptr)
        if (std::string by_status = login_refusal_remedy(first->login); !by_status.empty())
            return by_status;
    return refused ? "Look at the target's log for these logins."
                   : "Look at the target's log for these logins. Take portals that do not answer off the "
                     "initiator's list (open-iscsi waits node.conn[0].timeo.login_timeout for each, 15 s).";
}

bool is_refused(const Login &l) {
    return l.status_class >= 2 || chap_end(l) == ChapEnd::target_distrusted;
}

// The refusals with the status that most of them have.
struct RefusedLogins {
    const LoginFigures *first = nullptr; // of these
    std::uint64_t alike = 0;

    explicit RefusedLogins(const LoginSummary &s) {
        std::map<std::pair<int, int>, std::pair<const LoginFigures *, std::uint64_t>> by_status;
        for (const LoginFigures &l : s.logins)
            if (is_refused(l.login)) {
                auto &[earliest, count] = by_status[{l.login.status_class, l.login.status_detail}];
                earliest = earliest != nullptr ? earliest : &l;
                ++count;
            }
        for (const auto &[status, of] : by_status)
            if (first == nullptr || of.second > alike ||
                (of.second == alike && of.first->login.start < first->login.start)) {
                first = of.first;
                alike = of.second;
            }
    }
};

} // namespace

Verdict login_trouble(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("logins were not looked at");
    const LoginSummary &s = c.in.sessions->logins;
    if (s.logins.empty())
        return none("no login is in the capture");
    const LoginFigures *slowest = nullptr;
    const RefusedLogins refusals(s);
    const LoginFigures *first = refusals.first;
    std::uint64_t refused = s.refused, distrusted = 0;
    for (const LoginFigures &l : s.logins) {
        const bool left = chap_end(l.login) == ChapEnd::target_distrusted;
        distrusted += left ? 1 : 0;
        if (l.login.accepted && l.from_syn && (slowest == nullptr || *l.from_syn > *slowest->from_syn))
            slowest = &l;
    }
    refused += distrusted;
    const auto no_answer = [&](const LoginFigures &l) { return unanswered(c, l); };
    if (const auto at = std::ranges::find_if(s.logins, no_answer); refused == 0 && at != s.logins.end())
        return silent(c, *at, static_cast<std::uint64_t>(std::ranges::count_if(s.logins, no_answer)));
    const bool slow = slowest != nullptr && *slowest->from_syn >= slow_from;
    if (refused == 0 && !slow)
        return none(human::plural(s.accepted, "login", "logins") + " accepted, none refused" +
                    (slowest != nullptr ? ", the slowest took " + human::duration(*slowest->from_syn)
                                        : std::string()));
    Finding f = begin_finding(FindingKind::login_trouble);
    if (refused > 0)
        f.nature = Nature::failure;
    if (refused > 0) {
        const bool left = first != nullptr && first->login.status_class < 2;
        f.title = left               ? "Initiators refuse the target (mutual CHAP)"
                  : first != nullptr ? "Logins are refused: " + login_refusal_words(first->login)
                                     : "Logins are refused";
        f.sentence = human::plural(refused, "login was", "logins were") + " refused";
        if (first != nullptr) {
            f.sentence +=
                (refusals.alike < refused
                     ? ", " + human::count(refusals.alike) + " alike, the first of these by "
                 : refused > 1 ? std::string(", the first by ")
                               : std::string(" by ")) +
                (left ? "the initiator " + to_text(first->initiator.address) + " at " : std::string()) +
                to_text(first->target) + (left ? "" : ": " + login_refusal_words(first->login));
            f.stream = first->stream;
            add_evidence(f, first->login.first_frame, "first request of the first login refused");
            add_evidence(f, first->login.last_frame, "the refusal");
        }
        f.sentence += s.accepted == 0 ? std::string("; none was accepted.")
                                      : "; " + human::count(s.accepted) +
                                            (s.accepted == 1 ? " was" : " were") + " accepted.";
        if (first != nullptr)
            f.sentence += refusal_words(first->login);
    }
    if (slow) {
        if (refused == 0)
            f.title = "Logins are slow";
        f.sentence += std::string(f.sentence.empty() ? "" : " ") + "The slowest login, at " +
                      to_text(slowest->target) + ", took " + human::duration(*slowest->from_syn) +
                      " from its SYN on, " + human::duration(slowest->waiting_for_target) +
                      " of it waiting for the target (open-iscsi gives up after 15 s).";
        add_evidence(f, slowest->login.first_frame, "first request of the slowest login");
        add_evidence(f, slowest->login.last_frame, "its last answer");
        add_figure(f, "slowest", *slowest->from_syn);
    }
    set_events(f, c, course_of(c, [&](const LoginFigures &l) {
                   return refused > 0 ? is_refused(l.login) : &l == slowest;
               }));
    add_figure(f, "refused", static_cast<double>(refused));
    add_figure(f, "accepted", static_cast<double>(s.accepted));
    f.remedy = remedy_words(first, refused > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
