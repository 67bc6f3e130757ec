// SPDX-License-Identifier: GPL-2.0-or-later
// Connections that broke: they ended with tasks open, or with bytes that were never acknowledged before a new
// login of the same initiator took their session over, or were silent when that login came, or the target
// ended them without a logout. Which one story each belongs to: stories.h.
#pragma once

#include "analyzer/findings/attribution/connection_end.h"

#include <string>
#include <vector>

namespace iscsiscope {

struct Break {
    const ConnectionFacts *connection = nullptr;
    // The next connection whose login reinstates the session (RFC 7143 section 6.3.5); null: none.
    const ConnectionFacts *successor = nullptr;
    const OutageInterval *outage =
        nullptr;         // in which the connection ended; null: it carried data until its end
    Duration downtime{}; // until the successor's login was accepted; 0 without one
    // From the last answer to a command until the successor's login began, if nothing was open and the
    // initiator gave the connection up without a trace at the tap: no FIN or RST of either end came before.
    // Longer than an initiator waits that has learnt of the end; else 0.
    Duration silence{};
    FirstEnd end{};

    // No command was open, and nothing that passed was lost.
    bool idle() const;
};

// In order of the connections. The pointers stay valid as long as the facts are unchanged.
std::vector<Break> broken_connections(const Facts &);
// Returns the break of this connection; null if it did not break.
const Break *break_of(const std::vector<Break> &, const ConnectionFacts &);

// Returns what ended the connection: "An RST with the address of the target (frame 12) ended the connection".
// One sentence, or two with the new login; without the period of the last.
std::string end_words(const Break &);
// Returns for how long the other end had sent nothing before the packet that the RST answers which ended the
// connection first; zero: not for long, or no RST did. Devices in between forget connections that are idle.
Duration quiet_before_end(const Break &);
// Returns what was open: "2 commands were open (2 Reads), the oldest for 1.2 s"; empty if none was.
std::string open_words(const ConnectionFacts &);

} // namespace iscsiscope
