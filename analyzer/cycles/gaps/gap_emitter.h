// SPDX-License-Identifier: GPL-2.0-or-later
// GapEmitter: makes the record of a gap whose evidence is complete, and hands it on.
//
// In: a PendingGap. Out: the GapRecord, to the sink; its part of the active life, to ActiveLife; its division
// between the owners, to ConnectionLedger; the sums of each sender's waits for ACKs. No states.
#pragma once

#include "analyzer/cycles/gaps/gap_surroundings.h"
#include "analyzer/cycles/gaps/pending_gap.h"
#include "analyzer/tcp/tcp_figures.h"

#include <array>
#include <memory>

namespace iscsiscope {

class GapEmitter {
public:
    // The surroundings must outlive the object.
    explicit GapEmitter(const GapSurroundings &around) : around_(around) {}
    void emit(PendingGap &);

    // A sender's waits for the ACK of a small segment (Nagle's algorithm), and for delayed ACKs.
    struct AckWaits {
        TcpWaits nagle, held_acks;
    };
    AckWaits ack_waits(Side sender) const {
        const auto &waits = waits_[index(sender)];
        return waits ? *waits : AckWaits{};
    }

private:
    void note_ack_wait(const PendingGap &, const GapRecord &);

    const GapSurroundings &around_;
    // By sender; allocated with the first such wait, since few connections have one.
    std::array<std::unique_ptr<AckWaits>, 2> waits_;
};

} // namespace iscsiscope
