// SPDX-License-Identifier: GPL-2.0-or-later
// The command window of one session (RFC 7143 section 4.2.2.1). Its numbers are session-wide: they
// come on any of its connections, and the largest counts.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <optional>

namespace iscsiscope {

class CommandWindow {
public:
    // A PDU of the target.
    void answered(HeaderView v) {
        if (!v.has_max_cmd_sn() || v.max_cmd_sn() < v.exp_cmd_sn() - 1)
            return; // section 4.2.2.1: such a pair is ignored
        if (!max_ || *max_ < v.max_cmd_sn())
            max_ = v.max_cmd_sn();
    }
    // A PDU of the initiator.
    void sent(HeaderView v) {
        if (v.consumes_cmd_sn() && (!sent_ || *sent_ < v.cmd_sn()))
            sent_ = v.cmd_sn();
    }

    // Two that turn out to be one session's.
    void merge(const CommandWindow &other) {
        if (other.max_ && (!max_ || *max_ < *other.max_))
            max_ = other.max_;
        if (other.sent_ && (!sent_ || *sent_ < *other.sent_))
            sent_ = other.sent_;
    }

    // The highest number that the target allows.
    std::optional<CmdSn> max() const { return max_; }
    std::optional<CmdSn> highest_sent() const { return sent_; }
    // No further command may be sent.
    bool closed() const { return max_ && sent_ && *sent_ >= *max_; }

private:
    std::optional<CmdSn> max_, sent_;
};

} // namespace iscsiscope
