// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/kind_words.h"

#include "analyzer/base/glossary/glossary.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {

std::string_view explanation(std::optional<GapKind> k) {
    return k ? clause_of(fmt::format("gap.{}", name(*k))) : "packets following each other";
}

std::string_view explanation(Owner o) {
    return clause_of(fmt::format("owner.{}", name(o)));
}

std::string_view explanation(ConnectionOutcome o) {
    return clause_of(fmt::format("connection.{}", name(o)));
}

std::string spaced(std::string_view name) {
    std::string s(name);
    std::replace(s.begin(), s.end(), '_', ' ');
    return s;
}

std::string words(ConnectionOutcome outcome) {
    return spaced(name(outcome));
}

std::string_view outcome_words(TaskOutcome o) {
    switch (o) {
    case TaskOutcome::good:
        return "good";
    case TaskOutcome::check_condition:
        return "CHECK CONDITION";
    case TaskOutcome::busy:
        return "BUSY";
    case TaskOutcome::task_set_full:
        return "TASK SET FULL";
    case TaskOutcome::reservation_conflict:
        return "RESERVATION CONFLICT";
    case TaskOutcome::other_status:
        return "with another status";
    case TaskOutcome::aborted:
        return "aborted";
    case TaskOutcome::reset:
        return "ended by a reset";
    case TaskOutcome::rejected:
        return "rejected";
    case TaskOutcome::connection_lost:
        return "lost with the connection";
    case TaskOutcome::logout:
        return "open at a logout";
    case TaskOutcome::unanswered:
        return "without an answer";
    case TaskOutcome::no_command:
        return "without their command";
    }
    return "";
}

} // namespace iscsiscope
