// SPDX-License-Identifier: GPL-2.0-or-later
// What was received bounds what can be answered: forecast() and agrees_with().
#include "catch.h"
#include "pdu_at.h"

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/expectation/bridge.h"
#include "analyzer/iscsi/expectation/forecast.h"
#include "analyzer/iscsi/expectation/received.h"

#include <algorithm>

using namespace iscsiscope;
using iscsiscope::test::pdu_at;

namespace {

constexpr std::uint32_t block = 65536;

Pdu command(std::uint32_t itt, std::uint64_t offset, std::uint32_t cmd_sn, std::uint32_t exp_stat_sn = 100) {
    ScsiCommand c;
    c.final = c.write = true;
    c.initiator_task_tag = InitiatorTaskTag{itt};
    c.expected_data_transfer_length = block;
    c.cmd_sn = CmdSn{cmd_sn};
    c.exp_stat_sn = StatSn{exp_stat_sn};
    return pdu_at(PduDirection::to_target, offset, c.encode());
}

Pdu data_out(std::uint32_t itt, std::uint64_t offset) {
    DataOut d;
    d.final = true;
    d.initiator_task_tag = InitiatorTaskTag{itt};
    d.target_transfer_tag = TargetTransferTag{itt};
    d.data_segment_length = block;
    d.exp_stat_sn = StatSn{100};
    return pdu_at(PduDirection::to_target, offset, d.encode());
}

Pdu r2t(std::uint32_t itt, std::uint64_t offset) {
    R2t r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.target_transfer_tag = TargetTransferTag{itt};
    r.desired_data_transfer_length = block;
    r.stat_sn = StatSn{100};
    r.exp_cmd_sn = CmdSn{3};
    r.max_cmd_sn = CmdSn{40};
    return pdu_at(PduDirection::to_initiator, offset, r.encode());
}

Pdu response(std::uint32_t itt, std::uint64_t offset, std::uint32_t exp_cmd_sn) {
    ScsiResponse r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.stat_sn = StatSn{100};
    r.exp_cmd_sn = CmdSn{exp_cmd_sn};
    r.max_cmd_sn = CmdSn{40};
    return pdu_at(PduDirection::to_initiator, offset, r.encode());
}

// A reading of a direction that has these PDUs.
Reading reading_of(PduDirection direction, const TaskLedger &before, const std::vector<Pdu> &pdus) {
    Reading r{PduFramer{direction, DigestMode::off, DigestMode::off, false}, before};
    for (const Pdu &p : pdus) {
        r.ledger.note(p);
        r.pdus.push_back({.pdu = p, .complete = true, .data = {}, .ahs = {}});
    }
    return r;
}

// Two Writes, of which both R2Ts have come.
TaskLedger two_writes() {
    TaskLedger ledger;
    ledger.negotiated({.data_in = block, .data_out = block, .burst = block});
    ledger.note(command(1, 0, 1));
    ledger.note(command(2, 48, 2));
    ledger.note(r2t(1, 0));
    ledger.note(r2t(2, 48));
    return ledger;
}

} // namespace

TEST_CASE("nothing answers an R2T that its sender had not received", "[iscsi]") {
    const auto answers = [](std::uint64_t received) {
        std::vector<PredictedHeader> next;
        forecast(two_writes().state(), PduDirection::to_target, received, next);
        return std::count_if(next.begin(), next.end(), [](const PredictedHeader &p) {
            return HeaderView{p.header}.opcode() == Opcode::data_out;
        });
    };
    CHECK(answers(0) == 0);
    CHECK(answers(47) == 0);
    CHECK(answers(48) == 1);
    CHECK(answers(96) == 2);
    CHECK(answers(unknown_offset) == 2);
}

TEST_CASE("nothing answers a command that the target had not received", "[iscsi]") {
    TaskLedger ledger;
    ledger.note(command(1, 0, 1));
    const auto answers = [&](std::uint64_t received) {
        std::vector<PredictedHeader> next;
        forecast(ledger.state(), PduDirection::to_initiator, received, next);
        return next.size();
    };
    CHECK(answers(47) == 0);
    CHECK(answers(48) > 0);
}

TEST_CASE("a Write ends well only after its data, and as many commands as came before them", "[iscsi]") {
    const std::uint64_t behind = 96 + 48 + block;
    const Reading first = reading_of(PduDirection::to_target, two_writes(), {data_out(1, 96)});
    CHECK(agrees_with(first, response(1, 96, 3), behind));
    CHECK(!agrees_with(first, response(1, 96, 3), behind - 1)); // not all had come
    CHECK(!agrees_with(first, response(2, 96, 3), behind));     // its data are not there
    const Reading more =
        reading_of(PduDirection::to_target, two_writes(), {command(3, 96, 3), data_out(1, 144)});
    CHECK(agrees_with(more, response(1, 96, 4), behind + 48));
    CHECK(
        !agrees_with(more, response(1, 96, 3), behind + 48)); // the target has not counted the third command
    CHECK(!agrees_with(more, response(1, 96, 5), behind + 48)); // it has counted a fourth one
    ScsiResponse failed;
    failed.initiator_task_tag = InitiatorTaskTag{2};
    failed.status = 0x02; // CHECK CONDITION
    failed.stat_sn = StatSn{100};
    failed.exp_cmd_sn = CmdSn{3};
    failed.max_cmd_sn = CmdSn{40};
    CHECK(agrees_with(first, pdu_at(PduDirection::to_initiator, 96, failed.encode()), behind));
}

TEST_CASE("a tag is used again only behind the answer to the task that had it", "[iscsi]") {
    TaskLedger ledger;
    ledger.note(command(1, 0, 1));
    const Reading without = reading_of(PduDirection::to_initiator, ledger, {});
    CHECK(!agrees_with(without, command(1, 48, 2), 200));
    CHECK(agrees_with(without, command(2, 48, 2), 200));
    const Reading with = reading_of(PduDirection::to_initiator, ledger, {response(1, 100, 2)});
    CHECK(agrees_with(with, command(1, 48, 2), 148));
    CHECK(!agrees_with(with, command(1, 48, 2), 147)); // the answer had not come
}

TEST_CASE("the initiator owes an answer to a ping of the target", "[iscsi]") {
    TaskLedger ledger;
    NopIn ping;
    ping.initiator_task_tag = InitiatorTaskTag::reserved;
    ping.target_transfer_tag = TargetTransferTag{77};
    ledger.note(pdu_at(PduDirection::to_initiator, 0, ping.encode()));
    const auto expected = [&](std::uint64_t received) {
        std::vector<PredictedHeader> next;
        forecast(ledger.state(), PduDirection::to_target, received, next);
        return !next.empty() && HeaderView{next.front().header}.opcode() == Opcode::nop_out &&
               HeaderView{next.front().header}.target_transfer_tag() == TargetTransferTag{77};
    };
    CHECK(!expected(47));
    CHECK(expected(48));
    NopOut answer;
    answer.initiator_task_tag = InitiatorTaskTag::reserved;
    answer.target_transfer_tag = TargetTransferTag{77};
    ledger.note(pdu_at(PduDirection::to_target, 0, answer.encode()));
    CHECK(!expected(48));
}

TEST_CASE("a bridge whose last reading a header of the other direction refuted stays refuted", "[iscsi]") {
    TaskLedger ledger;
    ledger.note(command(1, 0, 1));
    Bridge bridge{PduFramer{PduDirection::to_target, DigestMode::off, DigestMode::off, false}, ledger};
    CHECK(bridge.note(response(1, 48, 9), 48, true) == Bridge::State::refuted); // counts seven more commands
    const StreamPiece unseen{.offset = 48, .length = 100, .unseen = true};
    CHECK(bridge.feed(unseen, 0, {}, SyncContext{}) == Bridge::State::refuted);
}
