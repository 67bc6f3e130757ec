// SPDX-License-Identifier: GPL-2.0-or-later
// The ledger (docs/ledger.md): the entries of a wait, and whose they are.
#include "catch.h"

#include "analyzer/cycles/ledger/connection_entries.h"
#include "analyzer/cycles/ledger/wait_entries.h"
#include "analyzer/cycles/tasks/long_commands.h"
#include "conversation.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

// A wait of this kind, of which so much is the awaited end's.
Wait wait(GapKind kind, Duration length, Duration of_end, Duration to_awaited, Owner end = Owner::target) {
    Wait w;
    w.gap.kind = kind;
    w.gap.cycle = CycleId{7};
    w.gap.length = w.gap.active_part = length;
    w.gap.end_part = of_end;
    w.gap.end_owner = end;
    w.gap.path = length - of_end;
    w.gap.rtt_to_awaited = to_awaited;
    w.gap.rtt_to_other = 0ms;
    return w;
}

CycleRecord task(TaskType type, std::uint32_t r2ts = 0) {
    CycleRecord r;
    r.cycle = CycleId{7};
    r.type = type;
    r.r2t_count = r2ts;
    r.outcome = TaskOutcome::good;
    return r;
}

// "owner cause length", one a line, as far as they are not zero.
std::string of(const Wait &w, const CycleRecord *task = nullptr, WaitBeside beside = WaitBeside::nothing) {
    std::string all;
    Time at = w.gap.start;
    for (const LedgerEntry &e : entries_of(w, task, beside)) {
        CHECK(e.start == at);
        at = e.end();
        all += std::string(name(e.owner)) + " " + std::string(name(e.cause)) + " " +
               std::to_string(e.length / 1us) + (e.is_long() ? " long" : "") + "\n";
    }
    return all;
}

} // namespace

TEST_CASE("a wait's entries: the distance, the queue, the end") {
    const CycleRecord read = task(TaskType::read), write1 = task(TaskType::write, 1),
                      write4 = task(TaskType::write, 4), other = task(TaskType::control);
    CHECK(of(wait(GapKind::target_first_data, 4300us, 300us, 4ms), &read) ==
          "network round_trip 4000\ntarget target_first_data 300\n");
    CHECK(of(wait(GapKind::target_first_data, 20ms, 14ms, 4ms), &read) ==
          "network round_trip 4000\nnetwork queueing 2000\ntarget target_first_data 14000 long\n");
    CHECK(of(wait(GapKind::target_status, 4100us, 0us, 4ms), &other) ==
          "network other_round_trip 4000\nnetwork queueing 100\n");
    CHECK(of(wait(GapKind::target_r2t, 4200us, 200us, 4ms), &write4) ==
          "network r2t_chain 4000\ntarget target_r2t 200\n");
    CHECK(of(wait(GapKind::target_r2t, 4200us, 200us, 4ms), &write1) ==
          "network r2t_single 4000\ntarget target_r2t 200\n");
    CHECK(of(wait(GapKind::initiator_burst, 30ms, 26ms, 4ms, Owner::host), &write4) ==
          "network r2t_chain 4000\nhost initiator_burst 26000 long\n");
    // A slow answer is the target's, whatever waited for it meanwhile.
    CHECK(of(wait(GapKind::command_window, 13ms, 9ms, 4ms), &read) ==
          "network command_window 4000\ntarget command_window 9000 long\n");
    CHECK(of(wait(GapKind::command_window, 14ms, 10ms, 4ms), &read) ==
          "network command_window 4000\ntarget target_first_data 10000 long\n");
    CHECK(of(wait(GapKind::command_window, 14ms, 10ms, 4ms), &write1) ==
          "network command_window 4000\ntarget target_status 10000 long\n");
    // Where TCP is the cause, it is that of all parts; a repair is trouble, however far the ends are.
    CHECK(of(wait(GapKind::window_closed, 9ms, 5ms, 4ms, Owner::host)) ==
          "network window_closed 4000\nhost window_closed 5000 long\n");
    CHECK(of(wait(GapKind::retransmission_timeout, 200ms, 0ms, 4ms)) ==
          "network retransmission_timeout 200000 long\n");
    CHECK(of(wait(GapKind::path_down, 2000ms, 0ms, 4ms), nullptr, WaitBeside::outage) ==
          "network outage 2000000 long\n");
}

TEST_CASE("the way of a wait in which Nagle's algorithm held an answer is that algorithm's") {
    const CycleRecord read = task(TaskType::read);
    Wait w = wait(GapKind::target_first_data, 6ms, 1ms, 4ms);
    w.by_nagle = 3ms;
    CHECK(of(w, &read) == "network ack_held_data 3000\nnetwork round_trip 1000\n"
                          "network queueing 1000\ntarget target_first_data 1000\n");
    w.gap.kind = GapKind::initiator_pause; // a command that carries the ACK ended it
    w.type = TaskType::write;
    w.by_nagle = 9ms;
    CHECK(of(w) == "network ack_held_status 4000\nnetwork queueing 1000\ntarget initiator_pause 1000\n");
    w.gap.kind = GapKind::retransmission_timeout; // TCP's own cause is that of all
    CHECK(of(w).starts_with("network retransmission_timeout 5000"));
}

TEST_CASE("the record of its task states the cause of a wait more exactly") {
    CycleRecord answered = task(TaskType::read);
    answered.has_phases = true;
    const Wait w = wait(GapKind::target_first_data, 20ms, 16ms, 4ms);
    answered.target_service = 10ms;
    CHECK(of(w, &answered) == "network round_trip 4000\ntarget target_first_data 16000 long\n");
    answered.target_service.reset(); // a repair or a closed window hides it
    CHECK(of(w, &answered) == "network round_trip 4000\ntarget unclassified 16000 long\n");
    answered.target_window_closed = true;
    CHECK(of(w, &answered) == "network round_trip 4000\ntarget window_closed 16000 long\n");
    // The status after Data-In is not part of the target's service.
    answered.data_pdus = 1;
    CHECK(of(wait(GapKind::target_status, 20ms, 16ms, 4ms), &answered) ==
          "network round_trip 4000\ntarget target_status 16000 long\n");
    CHECK(of(w, &answered, WaitBeside::long_command) ==
          "network round_trip 4000\ntarget blocked 16000 long\n");
    CycleRecord aborted = task(TaskType::read);
    aborted.outcome = TaskOutcome::aborted;
    CHECK(of(wait(GapKind::target_status, 5s, 4996ms, 4ms), &aborted) ==
          "network round_trip 4000\ntarget task_ended 4996000 long\n");
}

TEST_CASE("entries lie inside the active life, and belong to the task that was awaited") {
    Wait w = wait(GapKind::target_first_data, 20ms, 16ms, 4ms);
    w.oldest = CycleId{3};
    w.lun = 5;
    w.gap.active_part = 6ms;
    CHECK(of(w) == "network round_trip 4000\ntarget target_first_data 2000\n");
    CycleRecord read = task(TaskType::read);
    read.lun = 9;
    LedgerEntry first = *entries_of(w, &read, WaitBeside::nothing).begin();
    CHECK(first.cycle == CycleId{7});
    CHECK(first.lun == 9);
    w.gap.kind = GapKind::initiator_pause; // a further command ended it: the oldest task was awaited
    first = *entries_of(w, &read, WaitBeside::nothing).begin();
    CHECK(first.cycle == CycleId{3});
    CHECK(first.lun == 5);
    w.shorten(3ms); // it shows later that no task was open at its end
    CHECK(of(w) == "network round_trip 3000\n");
}

TEST_CASE("a Read beside a long command is one that ran while that had lasted 20 ms") {
    LongCommands all;
    CycleRecord write_same = task(TaskType::control), read = task(TaskType::read);
    write_same.opcode = std::uint8_t{0x93};
    write_same.start = at(100ms);
    write_same.end = at(600ms);
    write_same.response_time = 500ms;
    read.cycle = CycleId{8};
    read.start = at(90ms);
    read.end = at(130ms);
    read.response_time = 40ms;
    CHECK_FALSE(all.take(read));
    all.begun(0, CycleId{7}, at(100ms));
    CHECK(all.take(read)); // it ends before the long command
    read.end = at(110ms);
    CHECK_FALSE(all.take(read));
    read.lun = 1;
    read.end = at(400ms);
    CHECK_FALSE(all.take(read));
    CHECK(all.take(write_same));
    read.lun = 0;
    read.start = at(599ms);
    read.end = at(603ms);
    CHECK(all.take(read));
    read.start = at(600ms);
    CHECK_FALSE(all.take(read));
}

TEST_CASE("no busy time lies behind the end of the active life, whatever came late") {
    RecordTables none;
    Ledger ledger(none);
    NoTaskIntervals without_task;
    ConnectionEntries entries;
    entries.open(without_task, ledger);
    entries.framed(false); // bytes wait behind a hole: what is put is kept
    LedgerEntry before, across, behind;
    before.start = at(0ms);
    across.start = at(8ms);
    behind.start = at(12ms);
    before.length = across.length = behind.length = 4ms;
    entries.put(before);
    entries.put(across);
    entries.put(behind);
    Wait w = wait(GapKind::capture_loss, 6ms, 6ms, 0ms, Owner::unknown);
    w.gap.start = at(9ms);
    entries.put(w);
    CHECK(entries.total().sum() == Duration{});
    entries.finish(at(10ms));
    CHECK(entries.total().sum() == 4ms + 2ms + 1ms);
}
