// SPDX-License-Identifier: GPL-2.0-or-later
// TimeOwners: divides the busy time of one connection between its owners (docs/figures.md, "Whose time it
// is").
//
// In: the interval between two consecutive payload frames, either as part of a run (run()), or as an idle
// gap, which is divided when it ends (wait()) and counted when its kind is known (gap()); after each frame
// the work outstanding at each end (state()). Out: an OwnedRecord for each gap and each run inside busy
// time, and the sum. States: the active life has not begun (nothing is counted); tasks are open (each
// interval counts); no task is open (the first rtt_to_initiator is the network's, and counts once another
// command has come).
#pragma once

#include "analyzer/cycles/owners/carried_rate.h"
#include "analyzer/cycles/owners/held_work.h"
#include "analyzer/cycles/records/record_sink.h"

#include <array>
#include <optional>

namespace iscsiscope {

// An interval between two payload frames, divided by the work outstanding at the ends.
struct WaitParts {
    Duration length{};
    Duration without_task{}; // no task was open, and the end of the last one had reached the initiator
    Duration at_target{}, at_host{}; // the end had work outstanding
    bool counted = false;            // the active life had begun before it
    bool open = false;               // a task was open
    bool oldest_awaits_target = false;
    bool tap_rtt_known = false;
    bool repaired = false;    // a repeat, or bytes that fill a hole, ended it
    bool held_by_tcp = false; // the sender had data that its TCP held until an ACK
    TaskType type{};          // of the oldest open task, or of the last one
    std::uint64_t lun = 0;    // the same
};

// The frame that ended an interval.
struct IntervalEnd {
    Time from{}, to{};
    bool from_target = false; // its sender
    // When its bytes had left the target at the latest, where an earlier copy was lost; empty: it was in
    // time.
    std::optional<Time> sent_by;
    Duration others{}; // what other connections' payload from the target needed at the path's rate
};

class TimeOwners {
public:
    // Takes the state after a frame. life_started: the connection's active life has begun. without_task_from:
    // with no task open, when the initiator knew it.
    void state(StreamId stream, const HeldWork &, bool life_started, std::optional<Time> without_task_from,
               const RecordTables &);

    // With no task open: the initiator knew it later than was stated.
    void without_task_from(Time t) { without_task_from_ = t; }

    // An interval inside a run. bytes: payload of the frame. continues: its bytes follow those of the frame
    // before it. held_by_tcp: an ACK released them.
    void run(StreamId stream, const IntervalEnd &, std::uint32_t bytes, bool continues, bool held_by_tcp,
             const RecordTables &);
    // Divides an idle gap.
    WaitParts wait(const IntervalEnd &, const RecordTables &);
    // Counts an idle gap whose kind and active_part are known, and sets path, end, unasked and end_owner.
    void gap(GapRecord &, const WaitParts &, bool sent_by_target, const RecordTables &);
    // The connection ends: passes the last run on.
    void finish(const RecordTables &records) { flush(run_, records); }

    // The sum of the records passed on.
    const OwnerTimes &total() const { return total_; }

private:
    WaitParts parts(const IntervalEnd &) const;
    void flush(OwnedRecord &, const RecordTables &);

    HeldWork held_;
    Time without_task_from_ = Time::max(); // while no task is open: when the initiator knew it
    std::array<CarriedRate, 2> rates_;     // by sender: initiator, target
    OwnedRecord run_;                      // the run under way
    Time tail_start_{};                    // its intervals since the last task ended, all the network's
    Duration tail_{};
    OwnerTimes total_;
    bool begun_ = false; // the active life has
};

} // namespace iscsiscope
