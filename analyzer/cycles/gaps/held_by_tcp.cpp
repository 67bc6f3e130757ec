// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/held_by_tcp.h"

#include "analyzer/cycles/gaps/evidence/prompt.h"

#include <chrono>

namespace iscsiscope {

bool was_spurious(const GapEvidence &e) {
    return e.tcp.kind == RetransmissionClass::spurious;
}

bool had_more(const GapEvidence &e) {
    return (!e.at_pdu_start && e.role != PduRole::none) || e.role == PduRole::more_data_in ||
           e.role == PduRole::more_data_out;
}

bool ack_clocked(const GapEvidence &e) {
    return e.tcp.outstanding && e.tcp.release_advanced && e.tcp.prompt &&
           e.tcp.since_release * 4 <= e.end - e.start;
}

bool held_for_ack(const GapEvidence &e) {
    if (was_spurious(e) || !e.small_acked || !e.tail_held_by_nagle || !e.rtt_to_sender)
        return false;
    constexpr Duration delayed = std::chrono::milliseconds{20};
    // An ACK that the receiver itself delayed makes the gap a delayed_ack.
    if (*e.small_acked - e.last_sent > e.rtt_to_receiver.value_or(Duration{}) + delayed)
        return false;
    const Duration since = e.end - *e.small_acked;
    return since >= released_after(*e.rtt_to_sender) &&
           since <= prompt_within(*e.rtt_to_sender, e.rtt_to_receiver);
}

bool held_by_tcp(const GapEvidence &e) {
    if (e.fills_hole || e.tcp.overtaken)
        return true;
    if (e.nagle_seen && held_for_ack(e))
        return true;
    if (!had_more(e) || !e.tcp.outstanding)
        return false;
    if (ack_clocked(e))
        return true;
    if (e.at_pdu_start || !e.rtt_to_sender || !e.rtt_to_receiver)
        return false;
    const Duration round_trip = *e.rtt_to_sender + *e.rtt_to_receiver;
    return e.end - e.start <= round_trip + round_trip / 2;
}

} // namespace iscsiscope
