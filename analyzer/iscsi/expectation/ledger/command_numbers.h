// SPDX-License-Identifier: GPL-2.0-or-later
// CommandNumbers: the CmdSN of a connection's initiator and the command window of its target. In: headers of
// both directions. Out: the next number, if the next command is sure to have it. States: no number seen yet;
// sure of the next one; unsure, since a command may have been missed after the last number.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class CommandNumbers {
public:
    void note(const Pdu &);
    // Commands may have been missed.
    void lost() { sure_ = false; }
    // None while one may have been missed.
    std::optional<std::uint32_t> next() const { return sure_ ? next_ : std::nullopt; }
    // The number behind the last one seen, whatever was missed since.
    std::optional<std::uint32_t> behind_last() const { return next_; }
    // There was a number, and commands may have been missed since.
    bool unsure() const { return next_ && !sure_; }
    // How many numbers were used between the last one and this, while that was unsure; empty: it was not.
    std::optional<std::uint32_t> missed_before(std::uint32_t number) const {
        return unsure() ? std::optional(number - *next_) : std::nullopt;
    }
    // Other connections use CmdSNs of the session between those of this one.
    bool shared() const { return shared_; }
    // The command window allows another command (MaxCmdSN).
    bool window_open() const { return !max_ || !next_ || static_cast<std::int32_t>(*max_ - *next_) >= 0; }

private:
    std::optional<std::uint32_t> next_, max_;
    bool sure_ = false; // none was missed since the last one
    bool shared_ = false;
};

} // namespace iscsiscope
