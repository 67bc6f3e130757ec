// SPDX-License-Identifier: GPL-2.0-or-later
// CommandHole: the command numbers of a session that the initiator has left out. The target delivers commands
// in the order of their numbers (RFC 7143 section 4.2.2.1), so that it may not run one behind a hole.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/iscsi/codec/serial.h"

#include <algorithm>
#include <optional>

namespace iscsiscope {

// States: no hole; a hole [begin, end). A command that fills its first number moves the begin. A command that
// fills another one closes it, for what is left of it is then not known; a hole behind a hole is not counted.
class CommandHole {
public:
    // The command after all those sent so far has this number, and not the expected one.
    void opened(CmdSn expected, CmdSn sent) {
        if (!begin_) {
            begin_ = expected;
            end_ = sent;
        }
    }
    // A command passed whose number lies before the expected one.
    void sent_late(CmdSn number, Time when) {
        if (!begin_ || number < *begin_ || number >= end_)
            return;
        if (number == *begin_)
            ++*begin_;
        filled_ = number;
        filled_at_ = when;
        if (number + 1 != *begin_ || *begin_ == end_)
            begin_.reset();
    }
    void forget() { begin_.reset(); }

    // The first number left out: no command with a later number can run.
    std::optional<CmdSn> first() const { return begin_; }
    // True if the target may not run this command.
    bool before(CmdSn number) const { return begin_ && number > *begin_; }
    // When the target could run this command at the earliest, which passed at `sent`: then, or when the last
    // one before it that had been left out passed.
    Time runs_from(CmdSn number, Time sent) const {
        return filled_ && number > *filled_ ? std::max(sent, filled_at_) : sent;
    }

private:
    std::optional<CmdSn> begin_, filled_;
    CmdSn end_;
    Time filled_at_{};
};

} // namespace iscsiscope
