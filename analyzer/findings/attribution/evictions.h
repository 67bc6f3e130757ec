// SPDX-License-Identifier: GPL-2.0-or-later
// Evictions: connections in use that a target ended because another login asked for the same session (same
// InitiatorName, ISID and target; RFC 7143 sections 6.3.5 and 10.1): the identity of two hosts is one.
#pragma once

#include "analyzer/findings/attribution/connection_end.h"

#include <vector>

namespace iscsiscope {

struct Eviction {
    const ConnectionFacts *evicted = nullptr;
    const ConnectionFacts *by = nullptr; // with the login that took the session
    FirstEnd end;                        // of the evicted connection
};

// By time of the logins. The pointers stay valid as long as the facts are unchanged.
std::vector<Eviction> evictions(const Facts &);

// True if hosts throw each other out: one that was thrown out came back and threw out another one, or it
// happens again and again from one address. A host that only changed its address does not come back with the
// old one.
bool mutual(const std::vector<Eviction> &);

} // namespace iscsiscope
