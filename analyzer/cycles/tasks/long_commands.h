// SPDX-License-Identifier: GPL-2.0-or-later
// LongCommands: finds the Reads and Writes that ran at the same time as a long command without data transfer
// (WRITE SAME, UNMAP, ...) of the same LUN of a session.
//
// In: the beginning of each such command, and the final record of each task. Out: whether a task was one, or
// ran beside one. Bounds: the latest 16 that have ended, and 16 that are open. Memory: nothing before the
// first.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

namespace iscsiscope {

class LongCommands {
public:
    // A shorter command is not taken to block others.
    static constexpr Duration long_from = std::chrono::milliseconds{20};

    // SBC-4 and SPC-4: SYNCHRONIZE CACHE, WRITE SAME, UNMAP, FORMAT UNIT, SANITIZE, copy commands.
    static constexpr bool blocks(std::uint8_t opcode) {
        return opcode == 0x35 || opcode == 0x91 || opcode == 0x41 || opcode == 0x93 || opcode == 0x42 ||
               opcode == 0x04 || opcode == 0x48 || opcode == 0x83;
    }

    // A command whose opcode blocks() has begun.
    void begun(std::uint64_t lun, CycleId cycle, Time start) {
        if (!latest_)
            latest_ = std::make_unique<Latest>();
        latest_->open.add({start, Time::max(), lun, cycle});
    }
    // Takes the final record of a task. Returns true if it is such a long command, or ran beside one that had
    // begun long_from before the task's end.
    bool take(const CycleRecord &r) {
        if (!latest_)
            return false;
        if (r.type == TaskType::control) {
            if (!blocks(r.opcode.value_or(0)))
                return false;
            for (Span &s : latest_->open.spans)
                if (s.cycle == r.cycle)
                    s = {};
            if (!r.response_time || *r.response_time < long_from)
                return false;
            latest_->ended.add({r.start, r.end, r.lun, r.cycle});
            return true;
        }
        const auto beside = [&](const Span &s) {
            return s.lun == r.lun && s.start < r.end && r.start < s.end &&
                   (s.end != Time::max() || r.end - s.start >= long_from);
        };
        return r.response_time && (latest_->ended.any(beside) || latest_->open.any(beside));
    }

private:
    struct Span {
        Time start{}, end{};
        std::uint64_t lun = 0;
        CycleId cycle{~std::uint64_t{0}};
    };
    struct Ring {
        std::array<Span, 16> spans{};
        std::size_t next = 0;

        void add(const Span &s) { spans[next++ % spans.size()] = s; }
        template <class Test>
        bool any(const Test &test) const {
            return std::any_of(spans.begin(), spans.end(), test);
        }
    };
    struct Latest {
        Ring ended, open;
    };
    std::unique_ptr<Latest> latest_; // null: none has begun
};

} // namespace iscsiscope
