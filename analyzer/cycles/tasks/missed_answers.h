// SPDX-License-Identifier: GPL-2.0-or-later
// MissedAnswers: how many tasks of a connection had an answer among PDUs that were not found, and until when.
//
// In: each PDU of the connection as it is delivered, and where PDU boundaries were lost. A target numbers its
// statuses one by one (StatSN, RFC 7143 section 4.2.2.2): where boundaries were lost and numbers are left
// out, answers passed there. Those to requests that are no SCSI Commands (pings, task management, texts,
// logouts) are taken off, as far as such requests were open. Out: the losses whose tasks are not known yet.
// Of the tasks that were open then, each whose answer comes later is none of them; when as few are left as
// answers were missed, they are these. If fewer are left, commands were missed too, and the loss is given up.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

class MissedAnswers {
public:
    struct Loss {
        std::uint32_t answers = 0;
        Time until{};          // they had passed: the next answer did
        FrameNumber frame = 0; // of that
    };
    static constexpr std::size_t max_losses = 16;
    static constexpr std::uint32_t max_answers = 256; // of a loss; more than that is another numbering

    // Boundaries of the target's PDUs were lost.
    void lost() { lost_ = true; }

    void delivered(const Pdu &pdu) {
        const HeaderView v = pdu.view();
        const Opcode o = v.opcode();
        if (pdu.direction == PduDirection::to_target) {
            const bool waits = v.initiator_task_tag() != InitiatorTaskTag::reserved;
            if (waits && (o == Opcode::nop_out || o == Opcode::task_management_request ||
                          o == Opcode::text_request || o == Opcode::logout_request))
                ++others_;
        } else if (v.consumes_stat_sn()) {
            if (o == Opcode::nop_in || o == Opcode::task_management_response || o == Opcode::text_response ||
                o == Opcode::logout_response)
                others_ -= std::min(others_, 1U);
            if (pdu.knows(header_field::stat_sn))
                numbered(v.stat_sn(), pdu);
            else if (next_)
                ++*next_;
        }
    }

    const std::vector<Loss> &losses() const { return losses_; }
    // Takes out the first `count` losses: their tasks are known, or will not be.
    std::vector<Loss> resolved(std::size_t count) {
        const auto end = losses_.begin() + static_cast<std::ptrdiff_t>(count);
        std::vector<Loss> out(losses_.begin(), end);
        losses_.erase(losses_.begin(), end);
        return out;
    }
    // A task that began then has ended unseen, as something else shows. Returns the loss, if it can be one of
    // these.
    std::optional<Loss> resolve_one(Time began) {
        const auto found = std::ranges::find_if(losses_, [began](const Loss &l) { return l.until > began; });
        if (found == losses_.end())
            return std::nullopt;
        const Loss loss = *found;
        if (--found->answers == 0)
            losses_.erase(found);
        return loss;
    }

private:
    void numbered(StatSn number, const Pdu &pdu) {
        const std::int32_t left_out = next_ ? distance(*next_, number) : 0;
        if (left_out < 0)
            return; // it was delivered late
        const auto missed = static_cast<std::uint32_t>(left_out);
        if (lost_ && missed > others_ && missed <= max_answers) {
            if (losses_.size() == max_losses)
                losses_.erase(losses_.begin());
            losses_.push_back({missed - others_, pdu.first_seen, pdu.frame});
        }
        if (missed > 0)
            others_ = 0;
        lost_ = false;
        next_ = number + 1;
    }

    std::optional<StatSn> next_; // of the target
    std::uint32_t others_ = 0;   // requests other than SCSI Commands without an answer
    bool lost_ = false;          // since the last answer
    std::vector<Loss> losses_;   // oldest first
};

} // namespace iscsiscope
