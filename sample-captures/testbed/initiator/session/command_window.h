// SPDX-License-Identifier: GPL-2.0-or-later
// The command window of a session (RFC 7143 section 4.2.2.1): which CmdSN may go out.
#pragma once

#include "analyzer/iscsi/codec/serial.h"

namespace iscsiscope::testbed::initiator {

class CommandWindow {
public:
    // From the leading login: its CmdSN is that of the first command.
    explicit CommandWindow(CmdSn first = CmdSn{1}) : next_(first), exp_(first), max_(first - 1) {}

    // ExpCmdSN and MaxCmdSN of any PDU of any connection; older ones change nothing.
    void update(CmdSn exp, CmdSn max) {
        if (max < exp - 1)
            return; // "MUST ignore both"
        exp_ = newer(exp_, exp);
        max_ = newer(max_, max);
    }
    bool open() const { return next_ <= max_; }
    CmdSn take() {
        const CmdSn taken = next_;
        ++next_;
        return taken;
    }
    // What immediate PDUs carry without using it up.
    CmdSn next() const { return next_; }
    CmdSn expected() const { return exp_; }
    CmdSn maximum() const { return max_; }

private:
    CmdSn next_, exp_, max_;
};

} // namespace iscsiscope::testbed::initiator
