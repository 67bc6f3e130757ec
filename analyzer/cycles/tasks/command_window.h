// SPDX-License-Identifier: GPL-2.0-or-later
// CommandWindow: the command window of one session (RFC 7143 section 4.2.2.1). Its numbers are session-wide:
// the headers of all connections of the session go in, and the largest number counts.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <optional>

namespace iscsiscope {

class CommandWindow {
public:
    // Takes a PDU of the target.
    void answered(HeaderView v) {
        if (!v.has_max_cmd_sn() || v.max_cmd_sn() < v.exp_cmd_sn() - 1)
            return; // section 4.2.2.1: such a pair is ignored
        if (!max_ || *max_ < v.max_cmd_sn())
            max_ = v.max_cmd_sn();
    }
    // Takes a PDU of the initiator.
    void sent(HeaderView v) {
        if (v.consumes_cmd_sn() && (!sent_ || *sent_ < v.cmd_sn()))
            sent_ = v.cmd_sn();
    }

    // Merges in a window that turned out to belong to the same session.
    void merge(const CommandWindow &other) {
        if (other.max_ && (!max_ || *max_ < *other.max_))
            max_ = other.max_;
        if (other.sent_ && (!sent_ || *sent_ < *other.sent_))
            sent_ = other.sent_;
    }

    // The highest MaxCmdSN of the target, and the highest CmdSN sent; empty: none seen.
    std::optional<CmdSn> max() const { return max_; }
    std::optional<CmdSn> highest_sent() const { return sent_; }
    // True if no further command may be sent.
    bool closed() const { return max_ && sent_ && *sent_ >= *max_; }

private:
    std::optional<CmdSn> max_, sent_;
};

} // namespace iscsiscope
