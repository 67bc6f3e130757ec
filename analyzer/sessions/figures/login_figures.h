// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of logins: the times of each (LoginFigures), and counts (LoginSummary).
#pragma once

#include "analyzer/cycles/records/records.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

struct LoginFigures {
    StreamId stream;
    Login login;
    Endpoint initiator, target;
    std::optional<Time> syn; // first_seen of the SYN; empty: the connection began before the capture
    // From SYN to Full Feature Phase, or to the last Login Response if the login failed; empty if syn is.
    std::optional<Duration> from_syn;
    // Sums of the times from request to response, and from response to the next request (both delivered).
    Duration waiting_for_target{}, waiting_for_initiator{};
    // Number of this attempt of the initiator at this target, from 1; starts again after an accepted login.
    std::uint32_t attempt = 1;
    bool redirected = false; // status class 1
};

struct LoginSummary {
    std::vector<LoginFigures> logins; // by time; at most 1,024
    std::uint64_t accepted = 0, refused = 0, redirected = 0, unfinished = 0;
};

} // namespace iscsiscope
