// SPDX-License-Identifier: GPL-2.0-or-later
// Determines the kind of an idle gap: the kind of the first rule whose evidence is present, in the order of
// docs/figures.md, "Idle gap". Pure functions of GapEvidence, which GapTracker collects.
#pragma once

#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/diagnosis/send_circumstances.h"

#include <array>
#include <optional>

namespace iscsiscope {

enum class GapEnd : std::uint8_t { payload, reset, fin, reuse, relogin, capture_end };

// All facts by which a gap is classified. A rule that needs a further fact adds a member, set by GapTracker.
struct GapEvidence {
    GapEnd ended_by = GapEnd::payload;
    Time start{}, end{};

    // The ending frame and the capture.
    bool repeats = false;      // some bytes of the ending frame had passed before
    bool fills_hole = false;   // its bytes are new, but bytes with higher sequence numbers had passed before
    bool bytes_missed = false; // inside the gap bytes passed that no frame of the capture holds
    bool one_sided = false;    // the capture holds no frame of one of the two ends
    // The path failed: bytes of the ending frame's sender were unacknowledged at the start, and no segment of
    // its peer followed until the connection was given up, or repeated timeouts got no answer.
    bool path_broke = false;

    // TCP's evidence on the ending frame and on the wait before it; default-constructed: none.
    SendCircumstances tcp;
    // For at least half of the gap no frame came from the sender's peer, on any connection of the two hosts.
    bool path_silent = false;

    // The PDU of the ending frame's first new byte, and whether that byte is the PDU's first.
    PduRole role = PduRole::none;
    bool at_pdu_start = false;
    bool tasks_open = false; // a task was open when the ending frame passed

    // When the ACK for the sender's last segment smaller than the MSS passed the tap. At a tap near the
    // receiver this may be before the last bytes of the same run.
    std::optional<Time> small_acked;
    bool peer_sent_payload = false; // the other end has sent payload since that segment
    Time last_sent{};               // when the sender's last payload before the gap passed
    // A segment smaller than the MSS was unacknowledged at last_sent, the ending segment is small too, and
    // the sender has never sent a small segment while another one was unacknowledged (which would show that
    // Nagle's algorithm, in Minshall's variant as in Linux, is off). False if the MSS is unknown.
    bool tail_held_by_nagle = false;
    bool nagle_seen =
        false; // several small segments of the sender have waited for such an ACK, and none has not
    FrameNumber small_frame = 0, small_ack_frame = 0;       // the small segment, and its ACK; 0: none yet
    FrameNumber missed_ack_frame = 0;                       // the ACK for bytes that no frame holds
    std::optional<Duration> rtt_to_sender, rtt_to_receiver; // running minima, at the gap's end

    // The session's command window was closed at the gap's start; the ending frame opened it, or carries a
    // command that had to wait for it, and a command was sent at once when it opened.
    bool waited_for_window = false;
};

// The kind of the first rule that holds; unclassified if none does.
GapKind classify(const GapEvidence &);
// The sender had more of the same data, and an ACK released it: TCP held the data, whatever limited it.
bool held_by_tcp(const GapEvidence &);
// The frames that prove the kind, in order of time; unused elements have frame 0.
std::array<GapProofFrame, 3> proof_of(GapKind, const GapEvidence &, FrameNumber ended_by);

// The time after an event at the tap within which an answer counts as sent at once: the round trip from the
// tap to the answering end, plus max(1/8 of the connection's round trip, 200 µs).
Duration prompt_within(Duration rtt_to_sender, std::optional<Duration> rtt_to_receiver);

} // namespace iscsiscope
