// SPDX-License-Identifier: GPL-2.0-or-later
// MissedCommands: how many commands there may be that the tasks of a connection do not show: those that were
// not found, by their numbers, and those that a bridge of the other direction withholds. In: what is found of
// them, and of their answers and R2Ts without a tag. Out: how many may still wait for an answer.
#pragma once

#include "analyzer/iscsi/expectation/ledger/task_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace iscsiscope {

// What may have come in the other direction and is not delivered, since a bridge has not confirmed it.
struct Withheld {
    std::uint32_t commands = 0;
    bool data = false, r2ts = false;
};

class MissedCommands {
public:
    void set_withheld(Withheld w) { withheld_ = w; }
    Withheld withheld() const { return withheld_; }
    // A command with a number, and how many numbers were used unseen before it
    // (CommandNumbers::missed_before).
    void note_number(std::optional<std::uint32_t> missed) {
        if (missed && *missed <= TaskList::max_open_tasks)
            missing_ = static_cast<std::uint16_t>(*missed);
        if (withheld_.commands == 0)
            answered_ = std::min(answered_, missing_);
    }
    // An answer has shown the task of one of them.
    void found() { one_less(missing_); }
    // The status of a task came without a tag, and no task without a tag was open.
    void answered() { one_more(answered_); }
    // An R2T without a tag; the tag of a command has become known.
    void asked() { one_more(asked_); }
    void named() { one_less(asked_); }
    // How many may wait for an answer, of which nothing else is known. unsure: commands may have been missed
    // since the last number.
    std::size_t waiting(bool unsure) const {
        constexpr std::size_t some = 4; // how many were missed is known by the next one
        const std::size_t all = withheld_.commands + missing_ + (unsure ? some : 0);
        return all - std::min<std::size_t>(all, answered_);
    }
    // Whether there can be one more R2T without a tag, if there are so many commands without one: each has
    // two.
    bool may_ask(std::size_t commands) const { return asked_ < 2 * commands; }

private:
    static void one_less(std::uint16_t &count) { count = static_cast<std::uint16_t>(count - (count > 0)); }
    static void one_more(std::uint16_t &count) {
        count = static_cast<std::uint16_t>(std::min(count + 1, 0xffff));
    }

    Withheld withheld_;
    std::uint16_t missing_ = 0;  // were not found and may not be answered yet
    std::uint16_t answered_ = 0; // answers to these, and to withheld ones, without a tag
    std::uint16_t asked_ = 0;    // R2Ts without a tag
};

} // namespace iscsiscope
