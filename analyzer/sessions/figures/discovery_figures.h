// SPDX-License-Identifier: GPL-2.0-or-later
// What came of SendTargets on one connection (RFC 7143 appendix C): asked, answered, rejected, or left
// without an answer.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <memory>
#include <optional>

namespace iscsiscope {

struct DiscoveryFigures {
    StreamId stream;
    Endpoint initiator, target;
    std::shared_ptr<const Login> login; // that began the discovery session; null: not in the capture
    bool discovery = false;             // a session of that type, as its login or SendTargets=All shows
    std::uint64_t requests = 0;         // SendTargets sent
    std::uint64_t answers = 0;          // whole answers to them
    std::uint64_t targets = 0;          // names in these
    OptionalFrame first_request, first_answer;
    Duration slowest{};                   // from a request to its whole answer
    OptionalFrame empty_answer;           // the first whole answer that names no target
    OptionalFrame rejected;               // the first Reject that came in place of an answer
    std::optional<std::uint8_t> reason;   // of that Reject
    std::optional<Time> open_since;       // a request has no whole answer: since then
    OptionalFrame open_request;           // its frame
    bool answer_begun = false;            // of that request a part of the answer came
    std::optional<Duration> until_logout; // from that request to the initiator's Logout Request
    bool logged_out = false;              // the initiator asked for the logout
};

} // namespace iscsiscope
