// SPDX-License-Identifier: GPL-2.0-or-later
// Ledger: hands on the entries of busy time, of all connections (docs/ledger.md).
//
// In: entries that are final (of runs), and waits, whose cause rests on the final record of their task; these
// records, before they are handed on; repeats; the end of each connection. Out: LedgerEntry records, those of
// a task's waits before its CycleRecord, and OutageRecords. It does nothing where no sink takes them. Bound:
// `most` waits are kept; a further one is entered without its task.
#pragma once

#include "analyzer/base/containers/flat_map.h"
#include "analyzer/cycles/ledger/long_commands.h"
#include "analyzer/cycles/ledger/outages.h"
#include "analyzer/cycles/ledger/wait_entries.h"
#include "analyzer/cycles/records/record_sink.h"

#include <deque>

namespace iscsiscope {

class Ledger {
public:
    static constexpr std::size_t most = 16384;

    // The tables must outlive it.
    explicit Ledger(const RecordTables &records)
        : records_(records), wanted_(records.wanted<LedgerEntry>()) {}

    void put(const LedgerEntry &e) const {
        if (wanted_)
            records_.put(e);
    }
    void wait(const Wait &);
    void begun(SessionId session, std::uint64_t lun, CycleId cycle, std::uint8_t opcode, Time start) {
        if (LongCommands::blocks(opcode))
            long_.begun(session, lun, cycle, start);
    }
    // Returns whether the task ran beside a long command, or is one. False where no sink takes entries.
    bool task(const CycleRecord &);
    void repeat(const TcpRetransmission &r, bool to_target) {
        if (wanted_)
            outages_.note(r, to_target);
    }
    // The connection has ended, and its tasks: enters its waits that are left. figures: of its directions, by
    // PduDirection; null where not known.
    void close(StreamId, const std::array<const TcpDirectionFigures *, 2> &figures);

private:
    struct Slot {
        Wait wait;
        bool used = false;
        std::uint32_t next = FlatMap::none;
    };
    void enter(const Wait &, const CycleRecord *task, WaitBeside) const;
    void give_back(std::uint32_t slot);

    const RecordTables &records_;
    bool wanted_;
    LongCommands long_;
    OutageGaps outages_;
    std::deque<Slot> slots_; // it does not move as it grows
    FlatMap first_of_;       // task → its latest wait
    std::uint32_t free_ = FlatMap::none;
    std::size_t kept_ = 0;
};

} // namespace iscsiscope
