// SPDX-License-Identifier: GPL-2.0-or-later
// Turns: two sessions take one logical unit from each other: gateways that share a lock on it, or ports of an
// array of which one at a time serves it. Whoever comes anew is refused, with BUSY (SAM-5 section 5.3.1) or
// the state of its path (ALUA; SPC-4 section 5.15), until the unit is its own.
#pragma once

#include "analyzer/findings/facts/facts.h"
#include "analyzer/findings/finding.h"

#include <optional>
#include <string>

namespace iscsiscope {

struct Turns {
    std::uint64_t lun = 0;              // on the session that took it first, 8 bytes as on the wire
    SessionId first, second;            // two of the sessions
    Endpoint initiators[2], portals[2]; // of these
    bool one_initiator = false;         // both are of one initiator: its paths take the unit by turns
    std::uint64_t changes = 0;          // times that the unit was taken over
    bool by_state = false;              // refused with the state of a path rather than BUSY
    std::uint64_t refused = 0;          // commands refused at these
    Duration slowest{}; // response time of the slowest first command that was served afterwards
    OptionalFrame first_frame, last_frame; // first BUSY of the first and of the last change

    std::string title() const;
    std::string sentence(Finding &) const; // without a full stop; adds evidence and figures
    std::string remedy() const;
};

// Of the unit with most changes; nullopt: no unit changed hands three times.
std::optional<Turns> turns_of(const Facts &);

} // namespace iscsiscope
