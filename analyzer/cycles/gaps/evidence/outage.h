// SPDX-License-Identifier: GPL-2.0-or-later
// Outage: decides whether a gap belongs to an outage of the path: timeouts whose retransmissions get no
// answer while the whole path is silent, from the second one on.
//
// In: each gap that payload ended, in order. Out: a verdict on it. States: no outage; in an outage, which
// lasts while each gap follows the one before directly and ends with a further timeout or with bytes behind
// a hole.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"

namespace iscsiscope {

class Outage {
public:
    // perhaps: a first timeout without an answer; a second one will show an outage that includes it.
    enum class Verdict : std::uint8_t { none, perhaps, outage };

    // start, end, tcp and path_silent of the evidence are known. opened_hole: the ending frame left a hole
    // before its bytes.
    Verdict judge(const GapEvidence &, bool opened_hole);

private:
    Time end_ = Time::max(); // of the last gap of an outage; Time::max(): there was none
};

} // namespace iscsiscope
