// SPDX-License-Identifier: GPL-2.0-or-later
// Finds Reads and Writes without an answer that their host sends again on another connection. Keeps those
// that are open, while there are several sessions, and those that lost their connection.
#pragma once

#include "analyzer/sessions/figures/failover_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <compare>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iscsiscope {

class FailoverTracker {
public:
    static constexpr std::size_t max_kept = 4096, max_failovers = 256;
    static constexpr std::size_t max_alike = 16; // commands kept of one block, each of which is looked at
    // A block may be asked for again over another path while the first command is merely slow; TCP repairs a
    // loss within a second (cycles/ledger/outages.h).
    static constexpr Duration least = std::chrono::seconds(1);

    explicit FailoverTracker(const Luns &luns) : luns_(luns) {}

    // A SCSI Command was delivered. several: there are several sessions.
    void command(const Member &, const Pdu &, bool several);
    // A task has ended; its member may be closed already.
    void ended(const Member &, const CycleRecord &);

    std::vector<Failover> take();

private:
    struct Block {
        std::uint64_t lba = 0, blocks = 0;
        bool write = false;
        friend bool operator==(const Block &, const Block &) = default;
    };
    struct Hash {
        std::size_t operator()(const Block &) const;
    };
    struct Kept {
        const Member *member = nullptr;
        std::uint32_t itt = 0;
        bool lost = false; // its connection was; else it is open
        Failover found{};  // with `to` once `again_frame` is there
    };

    bool same_unit(const Member &, std::uint64_t lun, Kept &) const;
    Duration quiet_before(const Member &, Time);
    void add(const Failover &);

    const Luns &luns_;
    std::unordered_multimap<Block, Kept, Hash> kept_;
    std::unordered_map<std::uint32_t, Time> last_; // by initiator: its last Read or Write
    std::vector<Failover> found_;
};

} // namespace iscsiscope
