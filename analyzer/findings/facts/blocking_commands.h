// SPDX-License-Identifier: GPL-2.0-or-later
// Detects long commands without data transfer (WRITE SAME, UNMAP, ...) and sums the Reads and Writes of the
// same LUN by whether they ran at the same time as one. Keeps the latest 16 such commands.
#pragma once

#include "analyzer/base/saturating.h"
#include "analyzer/findings/facts/facts.h"

#include <array>
#include <chrono>

namespace iscsiscope {

class BlockingCommands {
public:
    // A shorter command is not taken to block others.
    static constexpr Duration long_from = std::chrono::milliseconds{20};

    // A final task record. Returns true if the task is such a long command, or ran at the same time as one of
    // its LUN whose record came first.
    bool on_cycle(const CycleRecord &r, BlockingFacts &facts) {
        if (!r.response_time)
            return false;
        if (r.type == TaskType::control) {
            if (!blocks(r.opcode.value_or(0)) || *r.response_time < long_from)
                return false;
            recent_[next_++ % recent_.size()] = {r.start, r.end, r.session, r.lun, r.cycle};
            ++facts.commands;
            if (*r.response_time > facts.longest) {
                facts.longest = *r.response_time;
                facts.opcode = *r.opcode;
                facts.command_frame = r.command_frame;
                facts.end_frame = r.end_frame;
            }
            return true;
        }
        bool beside = false;
        for (const Span &s : recent_)
            beside =
                beside || (s.session == r.session && s.lun == r.lun && s.start < r.end && r.start < s.end);
        ++(beside ? facts.blocked : facts.free);
        add_saturated(beside ? facts.blocked_time : facts.free_time, *r.response_time);
        return beside;
    }

private:
    struct Span {
        Time start{}, end{};
        SessionId session;
        std::uint64_t lun = 0;
        CycleId cycle;
    };
    // SBC-4 and SPC-4: SYNCHRONIZE CACHE, WRITE SAME, UNMAP, FORMAT UNIT, SANITIZE, copy commands.
    static bool blocks(std::uint8_t opcode) {
        return opcode == 0x35 || opcode == 0x91 || opcode == 0x41 || opcode == 0x93 || opcode == 0x42 ||
               opcode == 0x04 || opcode == 0x48 || opcode == 0x83;
    }
    std::array<Span, 16> recent_{};
    std::size_t next_ = 0;
};

} // namespace iscsiscope
