// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the ledger: what each keeps of the headers, and when two ledgers are in the same state.
#include "catch.h"
#include "pdu_at.h"

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/expectation/ledger/task_ledger.h"

using namespace iscsiscope;
using iscsiscope::test::pdu_at;

namespace {

constexpr auto no_tag = static_cast<std::uint32_t>(InitiatorTaskTag::reserved);

Pdu write_command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint64_t offset = 0) {
    ScsiCommand c;
    c.final = c.write = true;
    c.initiator_task_tag = InitiatorTaskTag{itt};
    c.expected_data_transfer_length = 65536;
    c.cmd_sn = CmdSn{cmd_sn};
    c.exp_stat_sn = StatSn{100};
    return pdu_at(PduDirection::to_target, offset, c.encode());
}

Pdu r2t_for(std::uint32_t itt, std::uint64_t offset) {
    R2t r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.target_transfer_tag = TargetTransferTag{itt + 1000};
    r.desired_data_transfer_length = 4096;
    r.stat_sn = StatSn{100};
    r.exp_cmd_sn = CmdSn{3};
    r.max_cmd_sn = CmdSn{40};
    return pdu_at(PduDirection::to_initiator, offset, r.encode());
}

Pdu status_of(std::uint32_t itt, std::uint32_t stat_sn, std::uint32_t exp_cmd_sn = 3) {
    ScsiResponse r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.stat_sn = StatSn{stat_sn};
    r.exp_cmd_sn = CmdSn{exp_cmd_sn};
    r.max_cmd_sn = CmdSn{40};
    return pdu_at(PduDirection::to_initiator, 0, r.encode());
}

// The file holds only the first bytes of its header.
Pdu cut(Pdu pdu, std::size_t in_file) {
    for (std::size_t i = in_file; i < basic_header_size; ++i)
        pdu.header[i] = std::byte{0};
    pdu.in_file = pdu.known = (HeaderMask{1} << in_file) - 1;
    return pdu;
}

} // namespace

TEST_CASE("ledgers that differ in nothing but where headers ended are in the same state", "[iscsi]") {
    const auto with = [](std::uint64_t command, std::uint64_t asked, std::uint32_t itt) {
        TaskLedger ledger;
        ledger.note(write_command(itt, 1, command));
        ledger.note(r2t_for(itt, asked));
        return ledger;
    };
    const auto same = [](const TaskLedger &a, const TaskLedger &b) {
        return same_state(a.state(), b.state(), PduDirection::to_target) &&
               same_state(a.state(), b.state(), PduDirection::to_initiator);
    };
    TaskLedger late = with(480, 96, 7);
    const TaskLedger early = with(0, 480, 7);
    CHECK(same(late, early));
    late.take_earlier(early);
    CHECK(late.state().tasks.find(7)->command == basic_header_size);
    CHECK(late.state().tasks.find(7)->bursts.front().asked == 96 + basic_header_size);
    CHECK(!same(late, with(0, 480, 8))); // another task
    TaskLedger further = with(0, 480, 7);
    further.note(r2t_for(7, 960));
    CHECK(!same(late, further)); // another burst
    TaskLedger numbered = with(0, 480, 7);
    numbered.note(status_of(9, 200));
    CHECK(!same(late, numbered)); // another StatSN
}

TEST_CASE("commands without a tag are the same to the target, whatever their order", "[iscsi]") {
    const auto with = [](std::uint32_t immediate) {
        TaskLedger ledger;
        Pdu command = cut(write_command(no_tag, 1), 8);
        command.data_length = immediate;
        ledger.note(command);
        return ledger;
    };
    CHECK(same_state(with(512).state(), with(0).state(), PduDirection::to_target));
    CHECK(!same_state(with(512).state(), with(0).state(), PduDirection::to_initiator));
}

TEST_CASE("the oldest task without a tag gets the tag that an answer shows, or ends with one that shows none",
          "[iscsi]") {
    TaskList tasks;
    tasks.open_tagless();
    tasks.open(5);
    tasks.open_tagless();
    CHECK(tasks.tagless_count() == 2);
    tasks.give_tag(5); // a task has it
    CHECK(tasks.tagless_count() == 2);
    tasks.give_tag(6);
    CHECK(tasks.all().front().itt == 6);
    CHECK(tasks.find(6) == &tasks.all().front());
    CHECK(tasks.tags() == std::vector<std::uint32_t>{6, 5, no_tag});
    CHECK(tasks.close_tagless());
    CHECK(!tasks.close_tagless());
    CHECK(tasks.all().size() == 2);
}

TEST_CASE("a list of tasks forgets the oldest of too many", "[iscsi]") {
    TaskList tasks;
    for (std::uint32_t itt = 0; itt <= TaskList::max_open_tasks; ++itt)
        tasks.open(itt);
    CHECK(tasks.all().size() == TaskList::max_open_tasks);
    CHECK(tasks.find(0) == nullptr);
    CHECK(tasks.find(1) == &tasks.all().front());
}

TEST_CASE("the next number is none while one may have been missed", "[iscsi]") {
    TaskLedger ledger;
    const auto command_number = [&] { return ledger.state().commands.next(); };
    CHECK(!command_number());
    ledger.note(write_command(1, 1));
    CHECK(command_number() == 2);
    CHECK(ledger.state().unknown_commands() == 0);
    ledger.note(cut(write_command(2, 2), 20)); // its number is not in the file
    CHECK(!command_number());
    CHECK(ledger.state().commands.behind_last() == 2);
    CHECK(ledger.state().unknown_commands() == 4); // some
    ledger.note(write_command(4, 4));
    CHECK(command_number() == 5);
    CHECK(ledger.state().unknown_commands() == 2); // number 2 and 3
    ledger.note(status_of(3, 100));                // a task that was not seen
    CHECK(ledger.state().unknown_commands() == 1);
    CHECK(ledger.state().statuses.next() == 101);
    ledger.lost(PduDirection::to_initiator);
    CHECK(!ledger.state().statuses.next());
    CHECK(command_number() == 5);
    CHECK(!ledger.state().commands.shared());
    ledger.note(write_command(6, 6));
    CHECK(ledger.state().commands.shared()); // another connection had number 5
}

TEST_CASE("the order is unknown for 64 headers after one that acknowledges what comes later", "[iscsi]") {
    TaskLedger ledger;
    ledger.note(write_command(1, 1));
    ledger.note_order(status_of(1, 100, 2));
    CHECK(!ledger.state().order.unknown());
    ledger.note_order(status_of(1, 100, 3)); // counts a command that the file shows later
    for (int headers = 0; headers < 64; ++headers) {
        CHECK(ledger.state().order.unknown());
        ledger.note_order(status_of(1, 100, 2));
    }
    CHECK(!ledger.state().order.unknown());
}

TEST_CASE("what an end mostly does follows from the recent times", "[iscsi]") {
    RecentCounts counts;
    CHECK(counts.mostly());
    counts.add(false, 16);
    CHECK(!counts.mostly());
    for (int i = 0; i < 7; ++i)
        counts.add(true, 16);
    CHECK(counts.mostly()); // seven of eight
    counts.add(false, 16);
    CHECK(!counts.mostly());
    for (int i = 0; i < 40; ++i)
        counts.add(true, 16);
    CHECK(counts.no == 0);
    CHECK(counts.yes < 16);
}
