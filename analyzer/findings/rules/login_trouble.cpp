// SPDX-License-Identifier: GPL-2.0-or-later
// Rule login_trouble: logins refused or slow (RFC 7143 section 11.13.5). Redirections are of target_moved.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

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

} // namespace

Verdict login_trouble(const RuleContext &c) {
    constexpr Duration slow_from =
        std::chrono::seconds{5}; // a third of what initiators allow (open-iscsi: 15 s)
    if (c.in.sessions == nullptr)
        return none("logins were not looked at");
    const LoginSummary &s = c.in.sessions->logins;
    if (s.logins.empty())
        return none("no login is in the capture");
    const LoginFigures *first = nullptr, *slowest = nullptr;
    for (const LoginFigures &l : s.logins) {
        if (first == nullptr && l.login.status_class >= 2)
            first = &l;
        if (l.login.accepted && l.from_syn && (slowest == nullptr || *l.from_syn > *slowest->from_syn))
            slowest = &l;
    }
    const bool slow = slowest != nullptr && *slowest->from_syn >= slow_from;
    if (s.refused == 0 && !slow)
        return none(human::plural(s.accepted, "login", "logins") + " accepted, none refused" +
                    (slowest != nullptr ? ", the slowest took " + human::duration(*slowest->from_syn)
                                        : std::string()));
    Finding f =
        begin_finding(FindingKind::login_trouble, s.refused > 0 ? Severity::problem : Severity::notice);
    f.failure = s.refused > 0;
    if (s.refused > 0) {
        f.title =
            first != nullptr ? "Logins are refused: " + status_words(first->login) : "Logins are refused";
        f.sentence = human::plural(s.refused, "login was", "logins were") + " refused";
        if (first != nullptr) {
            f.sentence += (s.refused > 1 ? ", the first by " : " by ") + to_text(first->target) + ": " +
                          status_words(first->login);
            f.stream = first->stream;
            add_evidence(f, first->login.first_frame, "first request of the first login refused");
            add_evidence(f, first->login.last_frame, "the refusal");
        }
        f.sentence += s.accepted == 0 ? std::string("; none was accepted.")
                                      : "; " + human::count(s.accepted) +
                                            (s.accepted == 1 ? " was" : " were") + " accepted.";
    }
    if (slow) {
        if (s.refused == 0)
            f.title = "Logins are slow";
        f.sentence += std::string(f.sentence.empty() ? "" : " ") + "The slowest login, at " +
                      to_text(slowest->target) + ", took " + human::duration(*slowest->from_syn) +
                      " from its SYN on, " + human::duration(slowest->waiting_for_target) +
                      " of it waiting for the target (open-iscsi gives up after 15 s).";
        add_evidence(f, slowest->login.first_frame, "first request of the slowest login");
        add_evidence(f, slowest->login.last_frame, "its last answer");
        add_figure(f, "slowest", *slowest->from_syn);
    }
    add_figure(f, "refused", static_cast<double>(s.refused));
    add_figure(f, "accepted", static_cast<double>(s.accepted));
    const auto refused_with = [&](int status_class, int detail) {
        return first != nullptr && first->login.status_class == status_class &&
               (detail < 0 || first->login.status_detail == detail);
    };
    f.remedy =
        refused_with(2, 1)    ? "Check the CHAP name and secret at both ends (open-iscsi: "
                                "node.session.auth.username and node.session.auth.password)."
        : refused_with(2, -1) ? "Check target name, access list and portal group at the target, and the "
                                "target name that the initiator asks for."
        : refused_with(3, 1)
            ? "Check the target name that the initiator asks for, and that the target is enabled on this "
              "portal (LIO answers so for a name that it does not have). Then look at the target's log."
            : "Look at the target's log for these logins. Take portals that do not answer off the "
              "initiator's list (open-iscsi waits node.conn[0].timeo.login_timeout for each, 15 s).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
