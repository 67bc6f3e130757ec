// SPDX-License-Identifier: GPL-2.0-or-later
// Restart: the signs that the target of a connection that broke started anew: silence, an RST for the old
// connection, refused connection attempts, a new login, and UNIT ATTENTION 29h at its first commands.
#pragma once

#include "analyzer/findings/attribution/breaks.h"

#include <optional>
#include <string>

namespace iscsiscope {

struct Restart {
    const Break *broke = nullptr;
    Time silent_from{}; // the first that was asked of the target, as far as known, and not answered
    std::optional<Time> host_answered;         // the first RST of its address afterwards
    OptionalFrame host_frame;                  // that RST
    std::optional<Time> first_attempt;         // to connect, that failed
    std::uint64_t refused = 0, unanswered = 0; // attempts to connect until the portal was back
    OptionalFrame first_refusal;
    std::optional<Time> portal_back;           // a login was accepted, or without one a connection
    const ResetAttention *attention = nullptr; // of the new session; null: none

    // Until something of the target's host came again.
    Duration silence() const;
};

// Empty if nothing but the break shows: neither a refused attempt nor a UNIT ATTENTION. `b` must outlive it.
std::optional<Restart> restart_of(const Facts &, const Break &b);

} // namespace iscsiscope
