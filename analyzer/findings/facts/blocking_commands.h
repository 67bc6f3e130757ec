// SPDX-License-Identifier: GPL-2.0-or-later
// Long commands that move no data of their own, and the Reads and Writes that ran beside them.
#pragma once

#include "analyzer/findings/facts/facts.h"

#include <array>
#include <chrono>

namespace iscsiscope {

class BlockingCommands {
public:
    // A command that took less stops nobody.
    static constexpr Duration long_from = std::chrono::milliseconds{20};

    // Each final task. True: it ran beside a long one of its LUN (or is one), which ended first.
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
        (beside ? facts.blocked_time : facts.free_time) += *r.response_time;
        return beside;
    }

private:
    struct Span {
        Time start{}, end{};
        std::uint64_t session = 0, lun = 0, cycle = 0;
    };
    // SBC-4 and SPC-4 operation codes: SYNCHRONIZE CACHE, WRITE SAME, UNMAP, FORMAT UNIT, SANITIZE, the copy
    // commands.
    static bool blocks(std::uint8_t opcode) {
        return opcode == 0x35 || opcode == 0x91 || opcode == 0x41 || opcode == 0x93 || opcode == 0x42 ||
               opcode == 0x04 || opcode == 0x48 || opcode == 0x83;
    }
    std::array<Span, 16> recent_{};
    std::size_t next_ = 0;
};

} // namespace iscsiscope
