// SPDX-License-Identifier: GPL-2.0-or-later
// The names of enumerators as columns and reports show them: part of the output format.
#include "analyzer/cycles/records/records.h"

#include <array>

namespace iscsiscope {
namespace {

template <std::size_t N>
std::string_view of(const std::array<std::string_view, N> &names, std::size_t i) {
    return i < N ? names[i] : std::string_view{"unknown"};
}

constexpr std::array<std::string_view, 3> task_types{"read", "write", "control"};

constexpr std::array<std::string_view, 13> task_outcomes{
    "good",         "check_condition", "busy",      "task_set_full", "reservation_conflict",
    "other_status", "aborted",         "reset",     "rejected",      "connection_lost",
    "logout",       "unanswered",      "no_command"};

constexpr std::array<std::string_view, 11> gap_proofs{
    "original", "repeat",        "loss_signal",   "window_closed", "window_update", "held_data",
    "held_ack", "small_segment", "releasing_ack", "unseen_ack",    "reset"};

constexpr std::array<std::string_view, 5> connection_outcomes{"logged_out", "closed", "reset", "reused",
                                                              "open"};

} // namespace

std::string_view name(TaskType v) {
    return of(task_types, static_cast<std::size_t>(v));
}
std::string_view name(TaskOutcome v) {
    return of(task_outcomes, static_cast<std::size_t>(v));
}
std::string_view name(GapProof v) {
    return of(gap_proofs, static_cast<std::size_t>(v));
}
std::string_view name(ConnectionOutcome v) {
    return of(connection_outcomes, static_cast<std::size_t>(v));
}

} // namespace iscsiscope
