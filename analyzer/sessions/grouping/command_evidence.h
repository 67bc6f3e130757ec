// SPDX-License-Identifier: GPL-2.0-or-later
// Evidence from command numbers, acknowledgments and task tags that two connections whose logins are not in
// the capture belong to one session. CommandEvidence collects it for one unit; compare() evaluates a pair of
// units.
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/time.h"
#include "analyzer/iscsi/codec/serial.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace iscsiscope {

// The latest 1,024 commands of one unit and the latest 1,024 acknowledgments (ExpCmdSN) of its target.
class CommandEvidence {
public:
    static constexpr std::uint16_t max_kept = 1024;

    struct Sent {
        CmdSn number;
        std::uint32_t itt = 0;
        Time at{};               // first_seen
        std::optional<Time> end; // end of its task; empty: not known
    };
    struct Acknowledged {
        CmdSn expected; // ExpCmdSN: every lower number had arrived
        Time at{};      // first_seen
    };

    void sent(CmdSn, std::uint32_t itt, Time);
    void ended(CmdSn, Time); // a task ended; ignored unless its command is among the latest 256
    void acknowledged(CmdSn expected, Time);

    std::uint64_t commands() const { return commands_; }
    // Commands whose number is that of the command before plus 1.
    std::uint64_t successive() const { return successive_; }
    std::uint64_t holes() const { return holes_; } // numbers left out between the commands
    std::uint64_t stretch() const { return commands_ + holes_; }
    // The number of the oldest command kept and of the latest; empty before the first command.
    std::optional<CmdSn> oldest() const {
        return sent_.empty() ? std::nullopt : std::optional(sent_.front().number);
    }
    std::optional<CmdSn> latest() const { return latest_; }

    const BoundedRing<Sent, max_kept> &sent() const { return sent_; } // in order of time
    const BoundedRing<Acknowledged, max_kept> &acknowledged() const { return acknowledged_; }

private:
    BoundedRing<Sent, max_kept> sent_;
    BoundedRing<Acknowledged, max_kept> acknowledged_;
    std::uint64_t commands_ = 0, successive_ = 0, holes_ = 0;
    std::optional<CmdSn> latest_, expected_;
};

// The comparison of two units (docs/protocol.md, "Which connections belong together").
struct PairEvidence {
    std::uint64_t handovers = 0;      // CmdSN n on one unit, n + 1 on the other
    std::uint64_t in_order = 0;       // handovers in which n passed the tap before n + 1
    std::uint64_t fewer_commands = 0; // commands in the common range of numbers, of the unit with fewer there
    // Contradictions: a CmdSN on both units; a CmdSN sent after the other unit's target had acknowledged it;
    // an Initiator Task Tag outstanding on both units at once.
    std::uint64_t duplicates = 0, too_late = 0, shared_tags = 0;
    std::uint64_t contradictions() const { return duplicates + too_late + shared_tags; }
    // True if contradictions are more than one in a hundred commands of the unit that has fewer.
    bool refuted() const { return contradictions() * 100 > std::max(fewer_commands, handovers); }
};
PairEvidence compare(const CommandEvidence &, const CommandEvidence &);

} // namespace iscsiscope
