// SPDX-License-Identifier: GPL-2.0-or-later
// What can be said of the last payload segment of a sender as it passes: was it a repeat, and what did its
// sender wait for. The evidence for the kinds of idle gaps that TCP explains. Causal.
#pragma once

#include "analyzer/tcp/tcp_figures.h"

namespace iscsiscope {

struct SendCircumstances {
    FrameNumber frame = 0; // of that segment

    // A lost segment was sent again: its bytes had passed before, or fill a hole that only a loss explains,
    // or identifications left out show that they had been sent before. False if they had arrived.
    bool recovers = false;
    RetransmissionClass kind = RetransmissionClass::unknown;
    // What follows may change both yet: its TcpRetransmission will tell.
    bool verdict_open = false;
    bool overtaken = false;         // it comes behind others that were sent later: nothing was lost
    std::uint32_t attempt = 0;      // how often the bytes have been sent again, as far as the tap shows
    FrameNumber original_frame = 0; // 0: not seen
    FrameNumber signal_frame = 0;

    // The acknowledgment that the sender last learned before it sent, if it came since its segment before.
    FrameNumber release_frame = 0; // 0: none did
    bool release_advanced = false; // it told of new data delivered: acknowledged, SACKed, or a duplicate ACK
    Duration since_release{};      // from when it reached the sender to the segment, at the least
    bool prompt = false;           // the segment followed it at once
    bool ack_held = false;         // the receiver had held it back
    FrameNumber held_data_frame = 0;

    // As the sender knew it after its segment before.
    bool outstanding = false;            // data was unacknowledged
    bool window_full = false;            // the receiver had no room for the next segment
    FrameNumber window_closed_frame = 0; // the ACK that said so
    FrameNumber window_update_frame = 0; // the ACK that made room; 0: none yet
    bool update_prompt = false;          // the segment followed that one at once

    // The label of its sample before (unknown: none), and the state then.
    SendLimit limit_before = SendLimit::unknown;
    SenderState state_before = SenderState::unknown;
    bool plateau_before = false;    // its flight had come back to one level for many round trips
    bool recovering_before = false; // it was repairing a loss
};

} // namespace iscsiscope
