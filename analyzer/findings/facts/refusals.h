// SPDX-License-Identifier: GPL-2.0-or-later
// What targets refused or answered with sense data, by logical unit and command (Refusals), and what each
// session saw of its logical units (UnitSight). Sums of bounded size; times are those of the capture point.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

// One logical unit as one session addresses it.
struct UnitKey {
    SessionId session;
    std::uint64_t lun = 0; // 8 bytes as on the wire
    friend auto operator<=>(const UnitKey &, const UnitKey &) = default;
};

struct RefusalKey {
    UnitKey unit;
    TaskOutcome outcome{};              // CHECK CONDITION, BUSY, TASK SET FULL or RESERVATION CONFLICT
    std::optional<std::uint32_t> sense; // packed() of sense.h; empty: no sense data in the capture
    std::optional<std::uint8_t> opcode; // empty: it is not in the file
    friend auto operator<=>(const RefusalKey &, const RefusalKey &) = default;
};

// The commands that ended in the same way.
struct Refusals {
    std::uint64_t count = 0, of_transfers = 0;            // of_transfers: Reads and Writes
    Time first = Time::max(), last = Time::min();         // when the first and the last of them ended
    OptionalFrame first_command, first_frame, last_frame; // statuses but for the first
    StreamId stream;                                      // of the first
    std::optional<std::uint64_t> lba;                     // of the first
    std::optional<std::uint32_t> asked_bytes;             // of the first: expected data transfer length
    Duration response{};                                  // sum of the known response times

    void add(const CycleRecord &);
    void merge(const Refusals &);
};

// Commands that a unit refused one after the other for the same reason, until one ended well.
struct Standstill {
    TaskOutcome outcome{};
    std::optional<std::uint32_t> sense;
    std::uint64_t count = 0, of_transfers = 0;
    Time first{}, last{}; // when the first and the last refused command ended
    OptionalFrame first_frame, last_frame;
    std::optional<Time> worked_before; // when the unit last served this session before it
    std::optional<Time> over;          // when the first Read, Write or TEST UNIT READY behind it ended well
    OptionalFrame over_frame;
    Duration over_response{}; // of that command

    // Up to the command that ended well; without one, to the last refused command.
    Duration length() const { return over.value_or(last) - first; }
};

struct UnitSight {
    static constexpr std::size_t max_standstills = 64; // of one unit; of further ones the longest is kept

    std::uint64_t worked = 0; // Reads, Writes and TEST UNIT READY that ended well
    Time first_worked = Time::max(), last_worked = Time::min();
    OptionalFrame last_worked_frame;
    std::uint32_t deepest_queue = 0;       // of its commands
    bool addressed = false;                // by a Read or Write
    std::vector<PresenceRecord> inquiries; // the first answer, and the last that differs
    std::vector<Standstill> standstills;   // by time

    void work(const CycleRecord &);
    void refuse(const CycleRecord &);
};

// What a session was last given by REPORT LUNS.
struct LunLists {
    PresenceRecord last;
    std::uint64_t answers = 0;
};

struct RefusalFacts {
    static constexpr std::size_t max_rows = 4096, max_units = 1024, max_sessions = 1024;

    std::map<RefusalKey, Refusals> rows;
    std::map<UnitKey, UnitSight> units;
    std::map<SessionId, LunLists> lists;

    void add(const CycleRecord &);
    void add(const PresenceRecord &);
    // Null: this session did nothing with the unit.
    const UnitSight *unit(const UnitKey &) const;
};

} // namespace iscsiscope
