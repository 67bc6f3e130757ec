// SPDX-License-Identifier: GPL-2.0-or-later
// What follows from the state of the tasks: TaskLedger, forecast, CommandNames.
#include "catch.h"

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/expectation/command_names.h"
#include "analyzer/iscsi/expectation/completion.h"
#include "analyzer/iscsi/expectation/continuation.h"
#include "analyzer/iscsi/expectation/forecast.h"
#include "analyzer/iscsi/expectation/ledger/task_ledger.h"
#include "analyzer/iscsi/framing/digest_votes.h"

using namespace iscsiscope;
namespace hf = header_field;

namespace {

Pdu pdu_of(PduDirection direction, const HeaderBytes &header, std::size_t in_file = basic_header_size) {
    Pdu pdu;
    pdu.direction = direction;
    pdu.data_length = HeaderView{header}.data_segment_length();
    for (std::size_t i = 0; i < in_file; ++i)
        pdu.header[i] = header[i];
    pdu.in_file = pdu.known = (HeaderMask{1} << in_file) - 1;
    return pdu;
}

HeaderBytes read_command(std::uint32_t itt, std::uint32_t bytes, std::uint32_t cmd_sn) {
    ScsiCommand c;
    c.final = c.read = true;
    c.initiator_task_tag = InitiatorTaskTag{itt};
    c.expected_data_transfer_length = bytes;
    c.cmd_sn = CmdSn{cmd_sn};
    c.exp_stat_sn = StatSn{100};
    return c.encode();
}

HeaderBytes data_in(std::uint32_t itt, std::uint32_t offset, std::uint32_t length, bool last,
                    std::uint32_t sn) {
    DataIn d;
    d.final = d.has_status = last;
    d.initiator_task_tag = InitiatorTaskTag{itt};
    d.target_transfer_tag = TargetTransferTag::reserved;
    d.data_segment_length = length;
    d.buffer_offset = offset;
    d.data_sn = DataSn{sn};
    d.stat_sn = StatSn{last ? 100u : 0u};
    d.exp_cmd_sn = CmdSn{8};
    d.max_cmd_sn = CmdSn{40};
    return d.encode();
}

// A ledger with an open Read of 64 KiB, of which 16 KiB have come.
TaskLedger reading() {
    TaskLedger ledger;
    ledger.note(pdu_of(PduDirection::to_target, read_command(7, 65536, 7)));
    ledger.note(pdu_of(PduDirection::to_initiator, data_in(7, 0, 16384, false, 0)));
    return ledger;
}

} // namespace

TEST_CASE("a header of 30 bytes: its offset and DataSN follow from the PDUs before", "[iscsi]") {
    Pdu pdu = pdu_of(PduDirection::to_initiator, data_in(7, 16384, 16384, false, 1), 30);
    CHECK(!pdu.knows(hf::buffer_offset));
    complete(reading().state(), pdu);
    REQUIRE(pdu.knows(hf::buffer_offset));
    CHECK(pdu.view().buffer_offset() == 16384);
    CHECK(pdu.view().data_sn() == DataSn{1});
    CHECK(!pdu.knows(hf::max_cmd_sn));
    CHECK(!pdu.inferred); // the file shows whose it is and where it ends
}

TEST_CASE("a header of 14 bytes belongs to the task that can send it", "[iscsi]") {
    Pdu pdu = pdu_of(PduDirection::to_initiator, data_in(7, 16384, 16384, false, 1), 14);
    complete(reading().state(), pdu);
    REQUIRE(pdu.knows(hf::initiator_task_tag));
    CHECK(pdu.view().initiator_task_tag() == InitiatorTaskTag{7});
    CHECK(pdu.inferred);
    Pdu other = pdu_of(PduDirection::to_initiator, data_in(7, 0, 4096, false, 1), 14); // of another length
    complete(reading().state(), other);
    CHECK(!other.knows(hf::initiator_task_tag));
}

TEST_CASE("a sequence of Data-In that has begun goes on in equal pieces to its end", "[iscsi]") {
    TaskLedger ledger = reading();
    for (std::uint32_t offset = 16384; offset < 65536; offset += 16384) {
        std::vector<PredictedHeader> next;
        forecast(ledger.state(), PduDirection::to_initiator, unknown_offset, next);
        REQUIRE(!next.empty());
        for (const PredictedHeader &p : next) {
            const HeaderView h{p.header};
            CHECK(h.opcode() == Opcode::data_in);
            CHECK(h.buffer_offset() == offset);
            CHECK(h.data_segment_length() == 16384);
            CHECK(h.final() == (offset == 49152));
        }
        CHECK(next.size() == (offset == 49152 ? 2 : 1)); // with the status or without: not seen yet
        ledger.note(
            pdu_of(PduDirection::to_initiator, data_in(7, offset, 16384, offset == 49152, offset / 16384)));
    }
    CHECK(ledger.state().tasks.find(7) == nullptr); // its status has come
    CHECK(ledger.state().target.status_with_data() == true);
}

TEST_CASE("a header that does not continue the task or the numbers does not follow", "[iscsi]") {
    const TaskLedger ledger = reading();
    const auto next = [&](const HeaderBytes &h) {
        return follows(ledger.state(), pdu_of(PduDirection::to_initiator, h)) == Following::yes;
    };
    CHECK(next(data_in(7, 16384, 16384, false, 1)));
    CHECK(!next(data_in(7, 32768, 16384, false, 1))); // offset
    CHECK(!next(data_in(7, 16384, 16384, false, 3))); // DataSN
    CHECK(!next(data_in(8, 16384, 16384, false, 1))); // no such task
    CHECK(follows(ledger.state(), pdu_of(PduDirection::to_target, read_command(9, 512, 8))) ==
          Following::yes);
    CHECK(follows(ledger.state(), pdu_of(PduDirection::to_target, read_command(9, 512, 9))) ==
          Following::no); // CmdSN
}

TEST_CASE("where answers come in order, a loss concerns the tasks older than the one found behind it",
          "[iscsi]") {
    TaskLedger ledger;
    for (std::uint32_t itt = 1; itt <= 3; ++itt)
        ledger.note(pdu_of(PduDirection::to_target, read_command(itt, 512, itt)));
    TaskLedger other = ledger;
    ledger.lost_before(pdu_of(PduDirection::to_initiator, data_in(2, 0, 512, true, 0)));
    CHECK(ledger.state().tasks.find(1)->doubtful);
    CHECK(!ledger.state().tasks.find(2)->doubtful);
    CHECK(ledger.state().tasks.find(3)->sure);
    other.lost_before(pdu_of(PduDirection::to_initiator, data_in(9, 0, 512, true, 0))); // of no known task
    CHECK(other.state().tasks.find(3)->doubtful);
}

TEST_CASE("the distance between headers shows the digests in use", "[iscsi]") {
    const auto decided = [](std::uint32_t distance, DigestMode header) {
        DigestVotes votes;
        const HeaderBytes h = data_in(1, 0, 512, true, 0);
        std::optional<DigestVotes::Digests> found;
        int distances = -1;
        for (std::uint64_t at = 0; !found && distances < 10; at += distance, ++distances)
            found = votes.note(at, HeaderView{h}, header);
        return std::pair(found ? std::optional(std::pair(found->header, found->data)) : std::nullopt,
                         distances);
    };
    const auto off = DigestMode::off, on = DigestMode::on;
    CHECK(decided(1120, off) == std::pair(std::optional(std::pair(off, off)), 3)); // two of 560 bytes
    CHECK(decided(1128, off) == std::pair(std::optional(std::pair(off, on)), 3));
    CHECK(decided(1136, DigestMode::unknown) == std::pair(std::optional(std::pair(on, on)), 3));
    CHECK(!decided(1128, DigestMode::unknown).first); // a header digest, or a data digest
    CHECK(!decided(1000, off).first);                 // other PDUs lie between
}

TEST_CASE("an answer shows the tag of a command, or a command finds its answer", "[iscsi]") {
    TaskLedger ledger = reading();
    Pdu command = pdu_of(PduDirection::to_target, read_command(0x1234, 512, 8), 14);
    command.first_seen = Time{} + std::chrono::milliseconds(1);
    Pdu answer = pdu_of(PduDirection::to_initiator, data_in(0x1234, 0, 512, true, 0));
    answer.first_seen = Time{} + std::chrono::milliseconds(2);
    {
        CommandNames names;
        CHECK(!names.command(command, ledger.state()));
        const auto named = names.answer(answer, ledger.state());
        REQUIRE(named);
        CHECK(named->view().initiator_task_tag() == InitiatorTaskTag{0x1234});
        CHECK(named->inferred);
        CHECK(!named->tag_stands_in);
    }
    {
        CommandNames names;
        CHECK(!names.answer(answer, ledger.state())); // the command is delivered later
        REQUIRE(names.command(command, ledger.state()));
    }
    {
        CommandNames names;
        answer.first_seen = Time{}; // before the command: not its answer
        CHECK(!names.command(command, ledger.state()));
        CHECK(!names.answer(answer, ledger.state()));
    }
    {
        CommandNames names;
        Pdu hidden = pdu_of(PduDirection::to_initiator, data_in(0x1234, 0, 512, true, 0), 14);
        hidden.first_seen = Time{} + std::chrono::milliseconds(2);
        CHECK(!names.command(command, ledger.state()));
        const auto named = names.pair(hidden, ledger.state());
        REQUIRE(named);
        CHECK(named->tag_stands_in);
        CHECK(named->view().initiator_task_tag() == hidden.view().initiator_task_tag());
    }
}
