// SPDX-License-Identifier: GPL-2.0-or-later
// Consequences: what the other end did because of a PDU that breaks a rule of RFC 7143: it rejected the PDU,
// closed the connection directly after it, or left its task without an answer. Rules on breaks and on failed
// commands leave to protocol_violation what is here.
#pragma once

#include "analyzer/findings/findings_input.h"
#include "analyzer/sessions/figures/conformance.h"

#include <optional>
#include <set>
#include <vector>

namespace iscsiscope {

struct Consequence {
    // Null: the target rejected a PDU as breaking the protocol, and the capture shows no rule that it broke.
    const Violation *violation = nullptr;
    const RejectFigures *reject = nullptr;       // null: none
    const ConnectionFacts *connection = nullptr; // null: beyond those with facts
    OptionalFrame close_frame;                   // the first FIN or RST, by the other end; empty: none
    bool by_reset = false;                       // it is an RST
    Duration close_after{};                      // from the PDU, or from the Reject, to it
    std::optional<Duration> given_up;            // the task had no answer for so long
    std::optional<std::uint32_t> failed;         // the task ended with this sense data (Violation::failed)
    std::optional<Duration> down{};              // from the close to the next login of this initiator

    StreamId stream() const { return violation != nullptr ? violation->stream : reject->stream; }
    FrameNumber frame() const { return violation != nullptr ? violation->frame : reject->frame; }
    bool by_initiator() const { return violation == nullptr || violation->by == PduDirection::to_target; }
};

class Consequences {
public:
    // The facts and figures must outlive it.
    explicit Consequences(const FindingsInput &);

    // In order of the frames.
    const std::vector<Consequence> &all() const { return all_; }
    // The connection was closed because of a violation.
    bool ended(StreamId stream) const { return ended_.contains(stream); }
    // A task of the connection got no answer because of one.
    bool stalled(StreamId stream) const { return stalled_.contains(stream); }
    // SCSI commands that were rejected because of one.
    std::uint64_t commands_rejected() const { return commands_rejected_; }

private:
    void add(Consequence, const FindingsInput &);

    std::vector<Consequence> all_;
    std::set<StreamId> ended_, stalled_;
    std::uint64_t commands_rejected_ = 0;
};

} // namespace iscsiscope
