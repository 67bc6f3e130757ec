// SPDX-License-Identifier: GPL-2.0-or-later
// HeldQueue: the ended tasks of one connection whose records are not final, as indices of HeldTasks, in the
// order of their ends.
//
// In: each task that ends; the commands that begin; that the bytes of the next task are acknowledged. Out:
// the tasks that a command ends the wait of, and the oldest task, whose record becomes final first. States of
// a task: not acknowledged; acknowledged, once its bytes and those of all before it are; taken out. Until the
// next command it may also await that.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class HeldQueue {
public:
    void push(std::uint32_t held, bool awaits_command) {
        if (awaits_command)
            awaiting_command_.push(held);
        held_.push(held);
    }
    bool empty() const { return held_.empty(); }
    std::size_t size() const { return held_.size(); }
    // The oldest first.
    std::uint32_t operator[](std::size_t i) const { return held_[i]; }

    // A command begins. Returns the oldest task that awaited it, once; empty: none does any more.
    std::optional<std::uint32_t> next_awaiting_command() {
        if (awaiting_command_.empty())
            return std::nullopt;
        const std::uint32_t held = awaiting_command_.front();
        awaiting_command_.pop();
        return held;
    }

    // The oldest task that is not acknowledged; empty: all are.
    std::optional<std::uint32_t> first_unacknowledged() const {
        return acknowledged_ < held_.size() ? std::optional(held_[acknowledged_]) : std::nullopt;
    }
    // That task's bytes are all acknowledged.
    void acknowledge_first() { ++acknowledged_; }
    bool oldest_acknowledged() const { return acknowledged_ != 0; }

    // Takes the oldest task out, whatever it still waits for.
    std::uint32_t take_oldest() {
        const std::uint32_t held = held_.front();
        held_.pop();
        if (acknowledged_ != 0)
            --acknowledged_;
        if (!awaiting_command_.empty() && awaiting_command_.front() == held)
            awaiting_command_.pop();
        return held;
    }

    // When the oldest record becomes final without another PDU or ACK; Time::max(): not known.
    Time next_release() const { return next_release_; }
    void set_next_release(Time at) { next_release_ = at; }

private:
    Fifo<std::uint32_t> held_;
    std::size_t acknowledged_ = 0;         // how many, of the oldest ones
    Fifo<std::uint32_t> awaiting_command_; // whose next_command_wait is not known yet
    Time next_release_ = Time::max();
};

} // namespace iscsiscope
