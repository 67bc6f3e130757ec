// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/evidence/outage.h"

#include <chrono>

namespace iscsiscope {

// If the tap is beyond the outage the first retransmissions do not pass it, but a sender that waited three
// seconds has retransmitted before: the first timeout is at most one second, and it doubles (RFC 6298
// sections 2 and 5.5).
Outage::Verdict Outage::judge(const GapEvidence &e, bool opened_hole, bool sender_silent) {
    constexpr Duration second_timeout = std::chrono::seconds{3};
    const bool timed_out = e.tcp.recovers && e.tcp.kind == RetransmissionClass::timeout;
    const bool same_outage =
        e.start == end_ && !e.start_answered && (timed_out || opened_hole || (e.repeats && sender_silent));
    if (!same_outage && !(timed_out && e.path_silent))
        return Verdict::none;
    if (!same_outage && e.tcp.attempt < 2 && e.end - e.start < second_timeout)
        return Verdict::perhaps;
    end_ = e.end;
    return Verdict::outage;
}

} // namespace iscsiscope
