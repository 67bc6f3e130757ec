// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/gap_owner.h"

#include <algorithm>

namespace iscsiscope {
namespace {

Owner of_end(bool target) {
    return target ? Owner::target : Owner::host;
}

} // namespace

EndPart end_part(const GapRecord &gap, const WaitParts &w, bool sent_by_target) {
    const Duration busy = gap.length - gap.without_task;
    const bool awaited = gap.kind != GapKind::initiator_idle && gap.kind != GapKind::initiator_pause &&
                         gap.kind != GapKind::control;
    const bool open = w.open || w.pdus_unknown;
    // What an end can have had of a wait for an ACK or a window update: all but one round trip.
    const auto beyond_round_trip = [&](Owner owner) -> EndPart {
        if (!gap.rtt_to_awaited || !gap.rtt_to_other)
            return {busy, Owner::unknown};
        return {std::max(Duration{}, busy - *gap.rtt_to_awaited - *gap.rtt_to_other), owner};
    };
    const auto in_hand = [&](bool target) -> EndPart {
        if (w.held_by_tcp)
            return {{}, of_end(target)};
        if (w.pdus_unknown) // the end that the PDU behind the wait came from had what it needed before the
                            // wait
            return awaited && gap.rtt_to_awaited
                       ? EndPart{std::max(Duration{}, busy - *gap.rtt_to_awaited), of_end(target)}
                       : EndPart{busy, Owner::unknown};
        if (!w.tap_rtt_known)
            return {busy, Owner::unknown};
        return {target ? w.at_target : w.at_host, of_end(target)};
    };
    if (!w.counted && gap.kind == GapKind::control) // a login
        return {std::max(Duration{}, busy - gap.rtt_to_awaited.value_or(Duration{})), of_end(sent_by_target)};
    switch (gap.kind) {
    case GapKind::capture_loss:
        return {open || !w.counted ? busy : Duration{}, Owner::unknown};
    case GapKind::path_down:
    case GapKind::retransmission_timeout:
    case GapKind::fast_retransmit:
    case GapKind::cwnd_limited:
        return {{}, Owner::network};
    case GapKind::window_closed:
    case GapKind::delayed_ack:
        return beyond_round_trip(of_end(!sent_by_target));
    case GapKind::ack_held_status:
    case GapKind::ack_held_data:
    case GapKind::send_buffer:
        return beyond_round_trip(of_end(sent_by_target));
    case GapKind::command_window:
    case GapKind::target_first_data:
    case GapKind::target_r2t:
    case GapKind::target_status:
    case GapKind::target_data:
        return open ? in_hand(true) : EndPart{{}, Owner::target};
    case GapKind::initiator_burst:
    case GapKind::initiator_data:
        return open ? in_hand(false) : EndPart{{}, Owner::host};
    case GapKind::initiator_idle:
    case GapKind::initiator_pause:
    case GapKind::control:
        return open ? in_hand(w.oldest_awaits_target) : EndPart{{}, Owner::host};
    case GapKind::unclassified:
        if (w.repaired || (w.counted && !open))
            return {{}, Owner::network};
        break;
    default: // no kind of a gap
        break;
    }
    return {busy, Owner::unknown};
}

} // namespace iscsiscope
