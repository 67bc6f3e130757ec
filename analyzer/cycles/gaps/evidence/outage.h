// SPDX-License-Identifier: GPL-2.0-or-later
// Outage: decides whether a gap belongs to an outage of the path: timeouts whose retransmissions get no
// answer while the whole path is silent, from the second one on.
//
// In: each gap that payload ended, in order. Out: a verdict on it. States: no outage; in an outage, which
// lasts while each gap follows the one before directly, what began it was not answered, and it ends with a
// further timeout, with bytes behind a hole, or with bytes sent again although they had arrived: their ACK
// was lost.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"

namespace iscsiscope {

class Outage {
public:
    // perhaps: a first timeout without an answer; a second one will show an outage that includes it.
    enum class Verdict : std::uint8_t { none, perhaps, outage };

    // start, end, tcp and path_silent of the evidence are known. opened_hole: the ending frame left a hole
    // before its bytes. sender_silent: its sender sent nothing else in the gap, no ACK either.
    Verdict judge(const GapEvidence &, bool opened_hole, bool sender_silent);

private:
    Time end_ = Time::max(); // of the last gap of an outage; Time::max(): there was none
};

} // namespace iscsiscope
