// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of logins: the steps of each with their times (LoginFigures), and counts (LoginSummary).
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/iscsi/codec/login_stage.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// One Login Request or Response.
struct LoginStep {
    bool by_target = false;
    Time time{}; // delivered: when the PDU was complete
    FrameNumber frame = 0;
    LoginStage stage{}, next_stage{}; // next_stage: valid with transit only
    bool transit = false, continued = false;
    std::uint8_t status_class = 0, status_detail = 0; // of a Login Response
};

struct LoginFigures {
    StreamId stream;
    Login login;
    Endpoint initiator, target;
    std::optional<Time> syn; // first_seen of the SYN; empty: the connection began before the capture
    // From SYN to Full Feature Phase, or to the last Login Response if the login failed; empty if syn is.
    std::optional<Duration> from_syn;
    std::vector<LoginStep> steps; // at most 32
    std::uint64_t steps_left_out = 0;
    // Sums of the times from request to response, and from response to the next request (both delivered).
    Duration waiting_for_target{}, waiting_for_initiator{};
    // Number of this attempt of the initiator at this target, from 1; starts again after an accepted login.
    std::uint32_t attempt = 1;
    bool redirected = false; // status class 1
};

struct LoginSummary {
    std::vector<LoginFigures> logins; // by time; at most 1,024
    std::uint64_t logins_left_out = 0;
    std::uint64_t accepted = 0, refused = 0, redirected = 0, unfinished = 0;
};

} // namespace iscsiscope
