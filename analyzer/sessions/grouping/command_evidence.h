// SPDX-License-Identifier: GPL-2.0-or-later
// What the command numbers of a connection say about which session it belongs to, where no login does.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/iscsi/codec/serial.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// The latest commands of one unit and what its target acknowledged. Bounded: 1,024 of each.
class CommandEvidence {
public:
    static constexpr std::size_t most_kept = 1024;

    struct Sent {
        CmdSn number;
        std::uint32_t itt = 0;
        Time at{};               // first_seen
        std::optional<Time> end; // of its task, where known
    };
    struct Acknowledged {
        CmdSn expected; // ExpCmdSN: every number below it had arrived
        Time at{};      // first_seen
    };

    void sent(CmdSn, std::uint32_t itt, Time);
    void ended(CmdSn, Time); // the task of a number that was sent not long ago
    void acknowledged(CmdSn expected, Time);

    std::uint64_t commands() const { return commands_; }
    std::uint64_t successive() const { return successive_; } // followed the one before by 1
    std::uint64_t holes() const { return holes_; }           // numbers left out between them
    std::uint64_t stretch() const { return commands_ + holes_; }
    // Oldest and latest number kept; none without a command.
    std::optional<CmdSn> oldest() const;
    std::optional<CmdSn> latest() const { return latest_; }
    Time last_sent() const { return last_sent_; }

    const std::vector<Sent> &sent() const { return sent_; } // in no order
    const std::vector<Acknowledged> &acknowledged() const { return acknowledged_; }

private:
    std::vector<Sent> sent_; // rings: the next place is overwritten once full
    std::vector<Acknowledged> acknowledged_;
    std::size_t next_sent_ = 0, next_acknowledged_ = 0;
    std::uint64_t commands_ = 0, successive_ = 0, holes_ = 0;
    std::optional<CmdSn> latest_, expected_;
    Time last_sent_{};
};

// Two units held against each other (protocol.md, "Which connections belong together").
struct PairEvidence {
    std::uint64_t handovers = 0;      // n on one, n + 1 on the other
    std::uint64_t in_order = 0;       // of those: n passed the tap before n + 1
    std::uint64_t fewer_commands = 0; // where both have numbers: of the one that has fewer there
    // One number on both; or a number sent after the other's target had said that it had it; or one tag
    // on both for different numbers that were outstanding at once.
    std::uint64_t duplicates = 0, too_late = 0, shared_tags = 0;
    std::uint64_t contradictions() const { return duplicates + too_late + shared_tags; }
    // More than one in a hundred commands (of the unit that has fewer).
    bool refuted() const { return contradictions() * 100 > std::max(fewer_commands, handovers); }
};
PairEvidence compare(const CommandEvidence &, const CommandEvidence &);

} // namespace iscsiscope
