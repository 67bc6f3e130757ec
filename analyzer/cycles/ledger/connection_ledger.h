// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionLedger: divides the busy time of one connection between its owners (docs/figures.md, "Whose time
// it is"), so that each nanosecond of it is in one entry of the ledger.
//
// In: the interval between two consecutive payload frames, either as part of a run (run()), or as an idle
// gap, which is divided when it ends (wait()) and counted when its kind is known (gap()); after each frame
// the work outstanding at each end (state()). Out: the entries of each run, and each gap inside busy time
// with what it needs to become entries, to the Ledger; and their sum. States: the active life has not begun
// (nothing is counted); tasks are open (each interval counts); no task is open (the first rtt_to_initiator is
// the network's, and counts once another command has come). Busy time that no interval holds (a command that
// passed behind a hole) is unknown.
#pragma once

#include "analyzer/cycles/ledger/connection_entries.h"
#include "analyzer/cycles/ledger/held_work.h"
#include "analyzer/tcp/hosts/carried_rate.h"
#include "analyzer/tcp/hosts/host_moment.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// An interval between two payload frames, divided by the work outstanding at the ends.
struct WaitParts {
    Duration length{};
    Duration without_task{}; // no task was open, and the end of the last one had reached the initiator
    Duration at_target{}, at_host{}; // the end had work outstanding
    Duration by_nagle{};             // Nagle's algorithm held what the target had to send
    bool counted = false;            // the active life had begun before it
    bool open = false;               // a task was open
    bool oldest_awaits_target = false;
    bool tap_rtt_known = false;
    bool pdus_unknown = false; // PDUs that had passed before it were not known yet, so neither is the work
    bool repaired = false;     // a repeat, or bytes that fill a hole, ended it
    bool held_by_tcp = false;  // the sender had data that its TCP held until an ACK
    TaskType type{};           // of the oldest open task, or of the last one
    std::uint64_t lun = 0;     // the same
    std::optional<CycleId> oldest; // the oldest open task
};

// What a frame of a run continues: no bytes of the frame before it, which the other end sent, for example;
// those of a full segment; or those of a smaller one.
enum class Continues : std::uint8_t { nothing, full_segment, small_segment };

// The frame that ended an interval.
struct IntervalEnd {
    Time from{}, to{};
    bool from_target = false; // its sender
    // When its bytes had left the target at the latest, where an earlier copy was lost; empty: it was in
    // time.
    std::optional<Time> sent_by;
    // Of payload that the target sent on its other connections meanwhile, bytes, and what is known of its
    // path; null: nothing.
    std::uint64_t other_bytes = 0;
    const HostSeen *target = nullptr;

    // What those bytes needed at the path's rate.
    Duration others() const { return target != nullptr ? target->time_of(other_bytes) : Duration{}; }
};

class ConnectionLedger {
public:
    // Ledger and intervals must outlive it. Called before all others.
    void open(StreamId stream, NoTaskIntervals &without_task, Ledger &ledger) {
        stream_ = stream;
        entries_.open(without_task, ledger);
    }
    // The connection belongs to this session from now on.
    void joined(SessionId session) { session_ = session; }

    // Takes the state after a frame. life_start: of the connection's active life; empty: it has not begun.
    // without_task_from: with no task open, when the initiator knew it. gaps_pending: gap() has not been
    // called for all that have passed.
    void state(const HeldWork &, std::optional<Time> life_start, std::optional<Time> without_task_from,
               bool gaps_pending);

    // Since when this end has had work of the open tasks outstanding; Time::max(): no task awaits it.
    Time work_since(bool target) const {
        return !held_.open ? Time::max() : target ? held_.at_target : held_.at_initiator;
    }

    // With no task open: the initiator knew it later than was stated.
    void without_task_from(Time t) { without_task_from_ = t; }

    // A task has begun, and its first byte had passed then; before state() takes it.
    void begun(Time first_seen);
    // all: the PDUs of all bytes that have passed are known, so that nothing more will show of the time
    // before.
    void framed(bool all) {
        unknown_before_ = !framed_;
        framed_ = all;
        entries_.framed(all);
    }

    // An interval inside a run. bytes: payload of the frame. held_by_tcp: an ACK released them.
    void run(const IntervalEnd &, std::uint32_t bytes, Continues, bool held_by_tcp);
    // Divides an idle gap.
    WaitParts wait(const IntervalEnd &);
    // Counts an idle gap whose kind and active_part are known, and sets path, end_part, without_task and
    // end_owner.
    void gap(GapRecord &, const WaitParts &, bool sent_by_target);
    // The connection ends. busy: its busy time; empty: not known. life_end: the end of its active life.
    void finish(std::optional<Duration> busy, Time life_end);

    // The sum of the entries; after finish() they add up to the busy time.
    const OwnerTimes &total() const { return entries_.total(); }
    void show(OldestCycle &oldest) const {
        entries_.show(oldest);
        oldest.see(held_.oldest);
        oldest.see(run_.oldest);
    }
    // What the Ledger keeps of the connection.
    Ledger::Account &account() { return entries_.account(); }

private:
    struct Run {
        Time start{};
        Duration length{};
        std::array<Duration, owner_count> parts{};
        TaskType type{};
        std::uint64_t lun = 0;
        std::optional<CycleId> oldest;
    };
    // A part of a run with no task open. Up to busy_to it is busy, the way's; behind that, if a command shows
    // later that a task was open.
    struct Piece {
        Time from{}, busy_to{}, to{};
    };

    WaitParts parts(const IntervalEnd &) const;
    LedgerEntry entry(Time start, Duration length, Owner, Cause) const;
    void fill(Time to);
    void flush_run();
    void flush_tail();
    void add_to_tail(Piece);

    ConnectionEntries entries_;
    StreamId stream_;
    SessionId session_;
    HeldWork held_;
    Time without_task_from_ = Time::max(); // while no task is open: when the initiator knew it
    Time until_ = Time::max();         // intervals up to here were taken; max: the active life has not begun
    std::array<CarriedRate, 2> rates_; // by sender: initiator, target
    Run run_;                          // the run under way
    std::vector<Piece> tail_;          // since the last task ended
    Time command_from_ = Time::max();  // a task that state() does not know yet has begun then
    bool begun_ = false;               // the active life has
    bool framed_ = true, unknown_before_ = false; // framed() of the last frame; not so of the one before it
};

} // namespace iscsiscope
