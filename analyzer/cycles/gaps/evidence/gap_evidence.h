// SPDX-License-Identifier: GPL-2.0-or-later
// GapEvidence: all facts by which a gap is classified (docs/figures.md, "Idle gap"). GapTracker sets them
// when the gap ends; those that only later frames can show, PendingGaps completes. Times are those of the
// tap. "The sender" is the end that sent the frame that ended the gap, "its peer" the other one.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/cycles/gaps/evidence/pdu_role.h"
#include "analyzer/tcp/diagnosis/history/send_circumstances.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// What ended the gap: payload; an RST; a FIN; a new connection on the same port pair; a login that replaces
// the session or the connection; the end of the capture.
enum class GapEnd : std::uint8_t { payload, reset, fin, reuse, relogin, capture_end };

// A rule that needs a further fact adds a member, set by GapTracker.
struct GapEvidence {
    GapEnd ended_by = GapEnd::payload; // Without payload, most members keep their defaults.
    Time start{}, end{};               // The payload frame before the gap and the frame that ended it passed.

    // The ending frame and the capture.
    bool repeats = false;      // Some bytes of the ending frame had passed before.
    bool fills_hole = false;   // Its bytes are new, but bytes with higher sequence numbers had passed before.
    bool bytes_missed = false; // Inside the gap bytes passed that no frame of the capture holds.
    OptionalFrame missed_ack_frame; // The last ACK for bytes that no frame holds.
    bool one_sided = false;         // The capture holds no frame of one of the two ends.

    // The path failed: bytes of the sender were unacknowledged at the start, and no segment of its peer
    // followed until the connection was given up, or repeated timeouts got no answer.
    bool path_broke = false;
    // For at least half of the gap no frame came from the peer's host, on any connection of the two hosts.
    bool path_silent = false;
    // In the gap, for so long no ACK for new bytes came from the peer's host on any of these connections.
    Duration unanswered{};
    // Inside the gap an ACK for new bytes passed from the end that received the payload frame before it: what
    // began the gap had come through, and its ACK was under way.
    bool start_answered = false;

    // TCP's evidence on the ending frame and on the wait before it; default-constructed: none.
    SendCircumstances tcp;

    PduRole role = PduRole::none; // The role of the PDU that holds the ending frame's first new byte.
    bool at_pdu_start = false;    // That byte is the PDU's first.
    bool tasks_open = false;      // A task was open when the ending frame passed.

    // The sender's last segment smaller than the MSS passed in this frame; empty: there was none.
    OptionalFrame small_frame;
    // The ACK for that segment passed in this frame; empty: it has not passed.
    OptionalFrame small_ack_frame;
    // That ACK passed at this time; empty: it has not passed. At a tap near the receiver this may be before
    // the last bytes of the same run.
    CompactOptional<Time> small_acked;
    bool peer_sent_payload = false; // The peer has sent payload since that segment.
    Time last_sent{};               // The sender's last payload before the gap passed.
    // A segment smaller than the MSS was unacknowledged at last_sent, the ending segment is small too, and
    // the sender has never sent a small segment while another one was unacknowledged (which would show that
    // Nagle's algorithm, in Minshall's variant as in Linux, is off). False if the MSS is unknown.
    bool tail_held_by_nagle = false;
    // Several small segments of the sender have waited for such an ACK, and none has not.
    bool nagle_seen = false;

    // The least round trips tap -> end -> tap so far, at the gap's end; empty: not known.
    std::optional<Duration> rtt_to_sender, rtt_to_receiver;

    // The session's command window was closed at the gap's start; the ending frame opened it, or carries a
    // command that had to wait for it, and a command was sent at once when it opened.
    bool waited_for_window = false;
};

} // namespace iscsiscope
