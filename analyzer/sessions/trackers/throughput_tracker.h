// SPDX-License-Identifier: GPL-2.0-or-later
// Sums stream bytes, tasks and their bytes by connection and interval. Intervals count from the session's
// first command, so tasks and bytes wait until that is known (settle); sessions without a login share one
// clock.
#pragma once

#include "analyzer/base/containers/by_index.h"
#include "analyzer/base/extent.h"
#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/figures/throughput_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class ThroughputTracker {
public:
    // Cells of all connections together, 24 bytes each. Intervals in which nothing happened take none, but
    // for a few between others.
    static constexpr std::size_t max_rows = std::size_t{1} << 20;
    // Ended tasks of a session that are kept before its first command is taken as known: the first task to
    // end need not be the first to begin.
    static constexpr std::size_t max_waiting = 256;
    // Amounts of stream bytes of a session that are kept before its first command is taken as known; beyond
    // this it is taken as known, or, if there was none, the older half is dropped. Once there was a command,
    // bytes that follow each other on one connection in one interval are one amount.
    static constexpr std::size_t max_waiting_bytes = 4096;
    // Stretches of a connection in which no PDU was found; beyond that the last one grows.
    static constexpr std::size_t max_unread = 256;

    explicit ThroughputTracker(Duration interval) : interval_(interval) {}

    void command(const Member &, Time first_seen);
    void task(const Member &, const CycleRecord &);
    void passed(const Member &, const StreamBytes &);
    // In one direction of the connection the next PDU was not found.
    void lost(const Member &);
    // ... was found again, after bytes that could not be read.
    void found(const Member &);
    // A PDU of the connection was delivered.
    void pdu(const Member &, Time delivered);

    // Called when the last connection of the unit has closed: its first command is known then.
    void close(const MemberUnit &unit);

    // groups: by number. To be called once.
    std::vector<ThroughputFigures> take(MemberTable &, const std::vector<SessionGroup> &);

private:
    // A number of bytes and the member that they belong to, in one word, since every session keeps some.
    class Amount {
    public:
        Amount(std::uint32_t member, std::uint64_t bytes)
            : word_(std::min(bytes, max_bytes) << member_bits | member) {}
        std::uint32_t member() const { return static_cast<std::uint32_t>(word_ & (members - 1)); }
        std::uint64_t bytes() const { return word_ >> member_bits; }

    private:
        static constexpr unsigned member_bits = 12;
        static constexpr std::uint64_t members = std::uint64_t{1} << member_bits;
        static constexpr std::uint64_t max_bytes = ~std::uint64_t{0} >> member_bits;
        static_assert(MemberTable::max_members <= members);
        std::uint64_t word_;
    };
    struct Ended {
        Time start, end;
        Amount of;
    };
    struct Passed {
        Time time;
        Amount of;
    };
    // The start of a session's intervals. Sessions without a login share one, so that they can be joined.
    struct Clock {
        std::optional<Time> first;
        bool settled = false;
        // The interval of the last time that was asked for: most follow in the same one.
        struct {
            bool known = false;
            Time begin{};
            std::uint64_t number = 0;
        } recent;
        void begin_at(Time t) {
            first = t;
            recent = {};
        }
        std::vector<Ended> waiting;
        std::vector<Passed> waiting_bytes;
    };
    // Where bytes passed of which no PDU is known.
    struct Unread {
        bool begins = false;       // with the next bytes
        std::optional<Time> since; // the next PDU of a direction is being searched for
        Time last_passed{}, last_pdu{};
        std::vector<std::pair<Time, Time>> stretches;
    };
    struct Sums : ThroughputFigures::Total {
        ThroughputColumn cells;
        std::uint64_t left_out = 0;
        Extent active;                  // of its tasks, and of bytes of which no PDU is known
        std::unique_ptr<Unread> unread; // null: all PDUs were found
    };
    Clock &clock_of(const MemberUnit &);
    void settle(Clock &);
    void add(Clock &, const Ended &);
    void add(Clock &, const Passed &);
    static void end_search(Unread &);
    // Makes the intervals active in which bytes passed without a known PDU.
    void count_unread(Clock &, Sums &);
    // The cell of an interval; null, and counted as left out, beyond the table's bound.
    ThroughputCell *cell(Sums &, std::uint64_t interval);
    std::uint64_t interval_of(Clock &, Time) const;

    Duration interval_;
    ByIndex<Clock> clocks_; // by unit
    Clock shared_;
    ByIndex<Sums> sums_;          // by member
    std::size_t room_ = max_rows; // cells that may be added
};

} // namespace iscsiscope
