// SPDX-License-Identifier: GPL-2.0-or-later
// Logins, stage by stage.
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
    Time time{}; // delivered
    FrameNumber frame = 0;
    LoginStage stage{}, next_stage{}; // next_stage: with transit only
    bool transit = false, continued = false;
    std::uint8_t status_class = 0, status_detail = 0; // of an answer
};

struct LoginFigures {
    std::uint64_t stream = 0;
    Login login;
    Endpoint initiator, target;
    std::optional<Time> syn; // first_seen; none: the connection began before the capture
    // SYN to full feature phase; refused or broken off: to the last answer.
    std::optional<Duration> from_syn;
    std::vector<LoginStep> steps; // at most 32
    std::uint64_t steps_left_out = 0;
    // The target's share of the login's time: answers' delivered - requests' delivered, summed.
    Duration waiting_for_target{}, waiting_for_initiator{};
    // Which try of this initiator at this target it is (from 1), counted anew after one that was accepted.
    std::uint32_t attempt = 1;
    bool redirected = false; // status class 1
};

struct LoginSummary {
    std::vector<LoginFigures> logins; // by time; the first 1024
    std::uint64_t logins_left_out = 0;
    std::uint64_t accepted = 0, refused = 0, redirected = 0, unfinished = 0;
};

} // namespace iscsiscope
