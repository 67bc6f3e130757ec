// SPDX-License-Identifier: GPL-2.0-or-later
// Rule login_trouble: logins refused or slow (RFC 7143 section 11.13.5). Redirections are of target_moved.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <array>

namespace iscsiscope::rules {
namespace {

std::string status_words(const Login &l) {
    struct Words {
        std::uint8_t status_class, detail;
        const char *words;
    };
    static constexpr std::array<Words, 12> table{{{2, 0, "initiator error"},
                                                  {2, 1, "authentication failed"},
                                                  {2, 2, "not allowed to this target"},
                                                  {2, 3, "target not found"},
                                                  {2, 4, "target removed"},
                                                  {2, 5, "unsupported version"},
                                                  {2, 6, "too many connections"},
                                                  {2, 7, "missing parameter"},
                                                  {2, 8, "cannot include in session"},
                                                  {3, 0, "target error"},
                                                  {3, 1, "service unavailable"},
                                                  {3, 2, "out of resources"}}};
    for (const Words &w : table)
        if (w.status_class == l.status_class && w.detail == l.status_detail)
            return w.words;
    return "status class " + std::to_string(l.status_class) + ", detail " + std::to_string(l.status_detail);
}

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
    if (c.initiator_answered)
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

} // namespace

namespace {

// A third of what initiators allow for a login (open-iscsi: 15 s).
constexpr Duration slow_from = std::chrono::seconds{5};

// True if the login got no answer for that long, or until its initiator gave up, although the target was
// there.
bool unanswered(const RuleContext &c, const LoginFigures &l) {
    const ConnectionFacts *k = connection_of(c.facts, l.stream);
    if (l.login.finished || l.login.accepted || l.login.status_class != 0 || k == nullptr ||
        k->record.segments_to_initiator != 0 || !k->record.rtt_to_target)
        return false;
    return k->record.outcome != ConnectionOutcome::open || (k->to_target && k->to_target->fin_frame) ||
           k->record.end - l.login.start >= slow_from;
}

// Logins that get no answer, where none was refused.
Verdict silent(const LoginFigures &first, std::uint64_t count) {
    Finding f = begin_finding(FindingKind::login_trouble);
    f.nature = Nature::failure;
    f.stream = first.stream;
    f.title = "Logins get no answer";
    f.sentence = human::plural(count, "login", "logins") + " got no answer, the first at " +
                 to_text(first.target) +
                 ": the target acknowledged the request and sent nothing until the connection ended.";
    add_evidence(f, first.login.first_frame, "first request of the first login without an answer");
    add_figure(f, "unanswered", static_cast<double>(count));
    f.remedy = "Look at the target's log for these logins: the name that the initiator asks for, and the "
               "keys that it "
               "offers (digests, authentication).";
    return {std::move(f), {}};
}

} // namespace

Verdict login_trouble(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("logins were not looked at");
    const LoginSummary &s = c.in.sessions->logins;
    if (s.logins.empty())
        return none("no login is in the capture");
    const LoginFigures *first = nullptr, *slowest = nullptr;
    std::uint64_t refused = s.refused, distrusted = 0;
    for (const LoginFigures &l : s.logins) {
        const bool left = chap_end(l.login) == ChapEnd::target_distrusted;
        distrusted += left ? 1 : 0;
        if (first == nullptr && (l.login.status_class >= 2 || left))
            first = &l;
        if (l.login.accepted && l.from_syn && (slowest == nullptr || *l.from_syn > *slowest->from_syn))
            slowest = &l;
    }
    refused += distrusted;
    const auto no_answer = [&](const LoginFigures &l) { return unanswered(c, l); };
    if (const auto at = std::ranges::find_if(s.logins, no_answer); refused == 0 && at != s.logins.end())
        return silent(*at, static_cast<std::uint64_t>(std::ranges::count_if(s.logins, no_answer)));
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
                  : first != nullptr ? "Logins are refused: " + status_words(first->login)
                                     : "Logins are refused";
        f.sentence = human::plural(refused, "login was", "logins were") + " refused";
        if (first != nullptr) {
            f.sentence +=
                (refused > 1 ? ", the first by " : " by ") +
                (left ? "the initiator " + to_text(first->initiator.address) + " at " : std::string()) +
                to_text(first->target) + (left ? "" : ": " + status_words(first->login));
            f.stream = first->stream;
            add_evidence(f, first->login.first_frame, "first request of the first login refused");
            add_evidence(f, first->login.last_frame, "the refusal");
        }
        f.sentence += s.accepted == 0 ? std::string("; none was accepted.")
                                      : "; " + human::count(s.accepted) +
                                            (s.accepted == 1 ? " was" : " were") + " accepted.";
        if (first != nullptr)
            if (const std::string chap = chap_words(first->login); !chap.empty())
                f.sentence += " " + chap;
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
    add_figure(f, "refused", static_cast<double>(refused));
    add_figure(f, "accepted", static_cast<double>(s.accepted));
    const auto refused_with = [&](int status_class, int detail) {
        return first != nullptr && first->login.status_class == status_class &&
               (detail < 0 || first->login.status_detail == detail);
    };
    f.remedy =
        first != nullptr && (chap_end(first->login) != ChapEnd::none || refused_with(2, 1))
            ? chap_remedy(first->login)
        : refused_with(2, -1) ? "Check target name, access list and portal group at the target, and the "
                                "target name that the initiator asks for. iscsiadm reports error 19, Windows "
                                "event 10 (iScsiPrt)."
        : refused_with(3, 1)
            ? "Check the target name that the initiator asks for, and that the target is enabled on this "
              "portal (LIO answers so for a name that it does not have). Then look at the target's log. "
              "iscsiadm "
              "reports error 5."
            : "Look at the target's log for these logins. Take portals that do not answer off the "
              "initiator's list (open-iscsi waits node.conn[0].timeo.login_timeout for each, 15 s).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
