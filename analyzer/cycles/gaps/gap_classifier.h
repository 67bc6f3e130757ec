// SPDX-License-Identifier: GPL-2.0-or-later
// The kind of an idle gap: the first rule, in the order of definitions.md, whose evidence is there.
#pragma once

#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/diagnosis/send_circumstances.h"

#include <array>
#include <optional>
#include <span>

namespace iscsiscope {

enum class GapEnd : std::uint8_t { payload, reset, fin, reuse, relogin, capture_end };

// What is known of a gap when it is classified. The rules read nothing else; a rule that needs more
// adds a member here and has the GapTracker fill it.
struct GapEvidence {
    GapEnd ended_by = GapEnd::payload;
    Time start{}, end{};

    // The frame that ended it.
    bool repeats = false;      // some of its bytes had passed before
    bool fills_hole = false;   // its bytes are new but others behind them had passed before
    bool bytes_missed = false; // bytes passed inside the gap that no frame holds
    bool one_sided = false;    // the capture holds no frame of one of the two ends
    // Bytes of the ending frame's sender were unacknowledged at the start, and its peer was not heard
    // again until the connection was given up.
    bool path_broke = false;

    // What the tcp room says of that frame and of the wait before it; of the default, nothing.
    SendCircumstances tcp;
    // For at least half of the gap nothing came from its peer, on any connection between the two hosts.
    bool path_silent = false;

    // The PDU of its first new byte, and whether that byte is the PDU's first.
    PduRole role = PduRole::none;
    bool at_pdu_start = false;
    bool tasks_open = false; // when it passed

    // Acknowledgment of its sender's last segment smaller than the MSS, when it passed the tap. At a tap
    // near the receiver that may be before the last bytes of the same run.
    std::optional<Time> small_acked;
    bool peer_spoke = false; // the other end has sent payload since that segment
    Time last_sent{};        // when the sender's last bytes before the gap had passed
    // A segment smaller than the MSS was unacknowledged then, the ending one is small too, and the sender
    // has never been seen to let a small segment follow another unacknowledged one (then Nagle's
    // algorithm, in Minshall's form that Linux has, is off). False if the MSS is unknown.
    bool tail_held_by_nagle = false;
    FrameNumber small_frame = 0, small_ack_frame = 0;       // that segment, and the ACK for it; 0: none yet
    FrameNumber missed_ack_frame = 0;                       // the ACK for bytes that no frame holds
    std::optional<Duration> rtt_to_sender, rtt_to_receiver; // running minima, at the gap's end

    // The session's command window was closed at its start; the ending frame opened it, or carries a
    // command that had to wait for it, and commands were sent at once when it opened.
    bool waited_for_window = false;
};

struct GapRule {
    GapKind kind;
    bool (*holds)(const GapEvidence &);
};

// In the order in which they are tried.
std::span<const GapRule> gap_rules();
GapKind classify(const GapEvidence &);
// The frames that prove this kind, in order of time.
std::array<GapProofFrame, 3> proof_of(GapKind, const GapEvidence &, FrameNumber ended_by);

// How long after an event at the tap an answer counts as sent at once: the loop to the answering end
// and back, and max(1/8 RTT, 200 µs).
Duration prompt_within(Duration rtt_to_sender, std::optional<Duration> rtt_to_receiver);

} // namespace iscsiscope
