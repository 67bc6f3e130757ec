// SPDX-License-Identifier: GPL-2.0-or-later
// CongestionState: the phase of one sender's congestion control, as its segments and the ACKs that it knew
// show it (RFC 5681, RFC 6675).
//
//   unknown ──a handshake in the capture──▶ slow_start ◀──▶ avoidance    while its window is known: by its
//      ▲                                        ▲               ▲        growth
//      │ the segment after the silence is       │ after         │ after
//      │ acknowledged                           │ a loss        │ a recovery: all is acknowledged that
//   idle_restart                                │               │ had been sent
//      ▲                                       loss ◀──────── recovery
//      │ a silence of a timeout with nothing    ▲  after a silence of a timeout the oldest bytes pass again
//      │ in flight                              │               ▲
//   any other than loss and recovery ───────────┴───────────────┘ bytes pass again; the sender knew of three
//                                                                 SACKed packets, or sent CWR
//
// In: what is sent again, and the ACK that the sender knew at each segment of new data. Out: the state, and
// its changes to the CwndEnvelope.
#pragma once

#include "analyzer/tcp/inference/cwnd_envelope.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/track/acked_log.h"

#include <cstdint>

namespace iscsiscope {

// SACKed packets that make a hole a loss (RFC 6675: DupThresh).
inline constexpr std::uint64_t duplicate_threshold = 3;

class CongestionState {
public:
    // A segment of the sender, with what had passed of its stream before.
    struct Sent {
        const SegmentReport &report;
        std::uint64_t to = 0;   // end of the highest byte
        bool timed_out = false; // the sender had been silent for a retransmission timeout
        bool first = false;     // the first one of new data
    };

    // The segment lies below the highest byte. oldest: it begins with the oldest byte that is not known to be
    // acknowledged.
    void resent(const Sent &, bool oldest, CwndEnvelope &);
    // The segment carries new data, and its sender knew this ACK. opened: the handshake is in the capture.
    void knew(const AckSeen &, const Sent &, bool opened, CwndEnvelope &);
    // The sender's window is known, and it grows as in slow start, or not.
    void window_known(bool growing_fast) {
        if (!repairing())
            state_ = growing_fast ? SenderState::slow_start : SenderState::avoidance;
    }

    SenderState now() const { return state_; }
    // Until a loss, a repair or a silence the state depends on the window alone.
    bool calm() const { return !repairing() && state_ != SenderState::idle_restart; }
    bool repairing() const { return state_ == SenderState::recovery || state_ == SenderState::loss; }

private:
    void enter_recovery(std::uint64_t point, CwndEnvelope &);

    SenderState state_ = SenderState::unknown;
    std::uint64_t point_ = 0; // offset whose ACK ends recovery, loss and idle restart
};

} // namespace iscsiscope
