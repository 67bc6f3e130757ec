// SPDX-License-Identifier: GPL-2.0-or-later
// CommandWait: whether commands waited for the session's command window, seen from one connection.
//
// In: the session's window after each frame with a PDU, and each SCSI Command. Out: whether a command had
// waited for the window. States: open, or not known; closed; opening, from the target's frame that opens the
// window until the next command: one that follows at once and lies beyond the closed window had waited.
#pragma once

#include "analyzer/cycles/gaps/evidence/prompt.h"
#include "analyzer/cycles/tasks/command_window.h"
#include "analyzer/tcp/stream/connection.h"

#include <optional>

namespace iscsiscope {

class CommandWait {
public:
    // Takes the window after a payload frame of this sender.
    void window(const CommandWindow &window, const Connection &tcp, Side initiator, Side sender, Time now) {
        const bool closed = window.closed();
        const std::optional<Duration> &to_initiator = tcp.end(initiator).rtt.minimum;
        if (closed_ && !closed && sender != initiator && to_initiator)
            opening_until_ = now + prompt_within(*to_initiator, tcp.end(other(initiator)).rtt.minimum);
        if (closed && window.max())
            max_ = *window.max();
        closed_ = closed;
    }
    // Takes a SCSI Command, before its frame. Returns true if it had waited.
    bool command(CmdSn cmd_sn, Time first_seen) {
        const bool waited = opening_until_ && cmd_sn > max_ && first_seen <= *opening_until_;
        waited_ = waited_ || waited;
        opening_until_.reset();
        return waited;
    }
    // The frame that carried the commands has been dealt with.
    void frame_done() { waited_ = false; }

    bool closed() const { return closed_; }
    // While opening: a command up to then has waited.
    std::optional<Time> opening_until() const { return opening_until_; }
    // The current frame carries a command that had waited.
    bool waited() const { return waited_; }

private:
    std::optional<Time> opening_until_;
    CmdSn max_; // MaxCmdSN when the window was last closed
    bool closed_ = false;
    bool waited_ = false;
};

} // namespace iscsiscope
