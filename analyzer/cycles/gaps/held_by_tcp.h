// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the TCP of a sender held data that it had to send, and what released the data. Pure functions of
// the evidence. The rules on gaps that TCP explains and the division of time between its owners use them.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"

namespace iscsiscope {

// The ending frame repeated data that had arrived.
bool was_spurious(const GapEvidence &);
// The sender paused inside a PDU, or after data of which more was to come.
bool had_more(const GapEvidence &);
// An ACK released the sender, which continued at once. On short paths `prompt` alone is too weak, since a
// host may take as long; there the ACK must lie in the last quarter of the gap.
bool ack_clocked(const GapEvidence &);
// The sender had data left, and Nagle's algorithm (RFC 1122 section 4.2.3.4) held it until the last segment,
// a small one, was acknowledged.
bool held_for_ack(const GapEvidence &);

// TCP held the data, whatever limited it: the ending frame filled a hole or had been overtaken; or Nagle's
// algorithm, seen before, held it; or the sender had more of the same data while some was unacknowledged, and
// an ACK released it, or it went on inside the PDU within one and a half round trips.
bool held_by_tcp(const GapEvidence &);
// The same of a frame that no gap preceded: an ACK released it, and a limit of TCP or a repair had held it.
inline bool held_by_tcp(const SendCircumstances &tcp) {
    return tcp.outstanding && tcp.release_advanced && tcp.prompt &&
           (tcp.recovering_before || tcp.limit_before == SendLimit::cwnd ||
            tcp.limit_before == SendLimit::receive_window || tcp.limit_before == SendLimit::send_buffer);
}

} // namespace iscsiscope
