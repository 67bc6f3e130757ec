// SPDX-License-Identifier: GPL-2.0-or-later
// LossState: whether a sender is repairing a loss, as it knew.
//
//            a fast retransmit
//      open ───────────────────▶ recovery ─┐
//       ▲ │                        │       │ a timer expires
//       │ └────────────────────────┼───────┴─▶ loss ◀─┐ a timer expires again
//       │       a timer expires    │            │ └───┘
//       └──────────────────────────┴────────────┘
//         it learns of the ACK for all that it had sent when the state began
//
// Beside it: whether the sender uses tail loss probes (RFC 8985 section 7), which once seen it does to the
// end. Offsets are those of its stream.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/diagnosis/repeats/retransmission_judge.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class LossState {
public:
    // The sender repeats bytes. sent_to: the end of the highest byte that passed.
    void repeated(const RepeatVerdict &v, std::uint64_t sent_to, Time now) {
        if (v.kind == RetransmissionClass::timeout && v.expiry) {
            loss_until_ = std::max(sent_to, loss_until_.value_or(0));
            recovery_until_.reset();
        } else if (v.kind == RetransmissionClass::tail_probe) {
            uses_probes();
        } else if (v.kind == RetransmissionClass::fast && !repairing()) {
            recovery_until_ = sent_to;
            recovery_began_ = now;
        }
    }
    // The sender has learnt of an ACK up to this offset. Returns how long its recovery took, if it ends it.
    std::optional<Duration> learnt(std::uint64_t acked, Time at) {
        if (loss_until_ && acked >= *loss_until_)
            loss_until_.reset();
        if (!recovery_until_ || acked < *recovery_until_)
            return std::nullopt;
        recovery_until_.reset();
        return std::max(Duration{}, at - recovery_began_);
    }
    void uses_probes() { probes_ = true; }

    bool repairing() const { return loss_until_ || recovery_until_; }
    bool in_recovery() const { return recovery_until_.has_value(); }
    // True if the byte at this offset was sent before a timeout from which the sender has not recovered.
    bool lost_by_timeout(std::uint64_t offset) const { return loss_until_ && offset < *loss_until_; }
    bool probes() const { return probes_; }

private:
    CompactOptional<std::uint64_t> loss_until_, recovery_until_; // offset whose ACK ends the state
    Time recovery_began_{};                                      // with recovery_until_
    bool probes_ = false;
};

} // namespace iscsiscope
