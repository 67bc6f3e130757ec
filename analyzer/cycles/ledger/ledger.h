// SPDX-License-Identifier: GPL-2.0-or-later
// Ledger: hands on the entries of busy time, of all connections (docs/ledger.md).
//
// In: entries that are final (of runs), and waits, whose cause rests on the final record of their task; these
// records, before they are handed on; repeats; the end of each connection. Out: LedgerEntry records, those of
// a task's waits before its CycleRecord, and OutageRecords. It does nothing where no sink takes them. Bound:
// `most` waits of a connection are kept; a further one is entered without its task. Several threads may use
// it at a time, each for other connections.
#pragma once

#include "analyzer/base/containers/slab.h"
#include "analyzer/base/containers/striped_map.h"
#include "analyzer/cycles/ledger/outages.h"
#include "analyzer/cycles/ledger/wait_entries.h"
#include "analyzer/cycles/records/record_sink.h"

#include <memory>

namespace iscsiscope {

class Ledger {
public:
    static constexpr std::uint32_t most = 16384;

    // What it keeps of one connection. It stays where it is until close().
    struct Account {
        std::unique_ptr<OutageGaps> outages; // null: nothing is kept that may belong to one
        std::uint32_t kept = 0;              // waits
        std::uint32_t last = FlatMap::none;  // of these, the one that came last
    };

    // The tables must outlive it.
    explicit Ledger(const RecordTables &records)
        : records_(records), wanted_(records.wanted<LedgerEntry>()) {}

    void put(const LedgerEntry &e) const {
        if (wanted_)
            records_.put(e);
    }
    bool wanted() const { return wanted_; }
    void wait(Account &, const Wait &);
    // beside_long_command: of a task that ran beside one, or is one.
    void task(const CycleRecord &, bool beside_long_command);
    void repeat(Account &of, const TcpRetransmission &r, bool to_target) const {
        if (wanted_ && OutageGaps::may_show(r))
            outages(of).note(r, to_target);
    }
    // Of all connections: the waits whose task is not final.
    void show(OldestCycle &oldest) const {
        slots_.each([&](const Slot &s) {
            if (s.of != nullptr)
                s.wait.show(oldest);
        });
    }
    // The connection has ended, and its tasks: enters its waits that are left, in order of time. figures: of
    // its directions, by PduDirection; null where not known.
    void close(Account &, StreamId, const std::array<const TcpDirectionFigures *, 2> &figures);

private:
    struct Slot {
        Wait wait;
        Account *of = nullptr;                                        // null: unused
        std::uint32_t next = FlatMap::none;                           // of the same task
        std::uint32_t before = FlatMap::none, behind = FlatMap::none; // of the same connection
    };
    static OutageGaps &outages(Account &of) {
        if (!of.outages)
            of.outages = std::make_unique<OutageGaps>();
        return *of.outages;
    }
    void enter(const Wait &, const CycleRecord *task, WaitBeside) const;
    void give_back(std::uint32_t slot);

    const RecordTables &records_;
    bool wanted_;
    Slab<Slot> slots_;
    StripedMap first_of_; // task → its latest wait
};

} // namespace iscsiscope
