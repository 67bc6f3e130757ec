// SPDX-License-Identifier: GPL-2.0-or-later
// SendCircumstances: describes a payload segment when it passes: whether it was a repeat, and what its sender
// had waited for. It is the evidence for the idle gaps that TCP explains (docs/figures.md, "Idle gap") and
// depends only on frames up to that segment.
#pragma once

#include "analyzer/tcp/tcp_figures.h"

namespace iscsiscope {

struct SendCircumstances {
    // True if the segment repeats lost data: its bytes had passed before, or fill a hole that only a loss
    // explains, or missing IP identifications show that they had been sent before. False if they had arrived.
    bool recovers = false;
    RetransmissionClass kind = RetransmissionClass::unknown;
    // Later segments may change both; the TcpRetransmission gives the final values.
    bool verdict_open = false;
    bool overtaken = false;              // reordered: segments sent later passed first, nothing was lost
    std::uint32_t attempt = 0;           // number of repeats of the bytes seen at the tap
    OptionalFrame original_frame;        // empty: not seen
    CompactOptional<Time> original_time; // when that frame passed
    OptionalFrame signal_frame;

    // The last ACK that reached the sender between its segment before and this one.
    OptionalFrame release_frame;
    bool release_advanced = false; // it reported new data as delivered: by ACK, SACK or duplicate ACK
    Duration since_release{};      // least time from its arrival at the sender to the segment
    bool prompt = false;           // the segment followed it immediately
    bool ack_held = false;         // it was a delayed ACK
    OptionalFrame held_data_frame;

    // The sender's view after its segment before.
    bool outstanding = false;          // data was unacknowledged
    bool window_full = false;          // the window had no room for the next segment
    OptionalFrame window_closed_frame; // the ACK that announced this window
    OptionalFrame window_update_frame; // the ACK that opened the window; empty: none yet
    bool update_prompt = false;        // the segment followed the window update immediately
    bool window_inferred = false;      // its scale is in no SYN: a window_full is not known

    // Limit and state of the sender's sample before (unknown: no sample).
    SendLimit limit_before = SendLimit::unknown;
    SenderState state_before = SenderState::unknown;
    bool window_grows = false;      // it waited for a congestion window that began anew (WindowRestart)
    bool plateau_before = false;    // the bytes in flight were constant for many round trips
    bool recovering_before = false; // the sender was repairing a loss
};

} // namespace iscsiscope
