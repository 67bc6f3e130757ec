// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "sample-captures/testbed/target/service/distribution.h"
#include "tests/testbed/target/fake_link.h"

using namespace iscsiscope;
using namespace iscsiscope::testbed;

namespace {

std::vector<std::byte> pattern(std::size_t n) {
    std::vector<std::byte> out(n);
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<std::byte>((i * 7 + i / 251) & 0xff);
    return out;
}

DataOut data_out(const R2t &r, std::uint32_t data_sn, std::uint32_t offset, bool final) {
    DataOut d;
    d.final = final;
    d.initiator_task_tag = r.initiator_task_tag;
    d.target_transfer_tag = r.target_transfer_tag;
    d.data_sn = DataSn{data_sn};
    d.buffer_offset = offset;
    return d;
}

bool is(const Sent &s, Opcode o) {
    return s.view().opcode() == o;
}

} // namespace

TEST_CASE("a write of 262144 bytes at MaxBurstLength 16384 is asked for by 16 R2Ts", "[target]") {
    Bench b;
    const auto w = b.connect();
    REQUIRE(
        b.log_in(w, {{"MaxBurstLength", "16384"}, {"FirstBurstLength", "16384"}, {"ImmediateData", "No"}}) !=
        0);
    const auto data = pattern(262144);
    w.send(Bench::command(1, 1, 0x2a, 100, 512).encode());
    for (std::uint32_t n = 0; n < 16; ++n) {
        const auto sent = w.link->take();
        REQUIRE(sent.size() == 1);
        const auto r = R2t::parse(sent[0].view());
        REQUIRE(r);
        CHECK(r->r2t_sn == DataSn{n});
        CHECK(r->buffer_offset == n * 16384);
        CHECK(r->desired_data_transfer_length == 16384);
        w.send(data_out(*r, 0, r->buffer_offset, false).encode(),
               std::span(data).subspan(r->buffer_offset, 8192));
        CHECK(w.link->sent.empty());
        w.send(data_out(*r, 1, r->buffer_offset + 8192, true).encode(),
               std::span(data).subspan(r->buffer_offset + 8192, 8192));
    }
    const auto sent = w.link->take();
    REQUIRE(sent.size() == 1);
    const auto response = ScsiResponse::parse(sent[0].view());
    REQUIRE(response);
    CHECK(response->status == 0);
    CHECK(response->residual_count == 0);

    SECTION("and is read back, in sequences of at most MaxBurstLength, the status in the last PDU") {
        w.send(Bench::command(2, 2, 0x28, 100, 512).encode());
        std::vector<std::byte> back;
        std::uint32_t data_sn = 0, finals = 0;
        for (const Sent &s : w.link->take()) {
            const auto d = DataIn::parse(s.view());
            REQUIRE(d);
            CHECK(d->data_sn == DataSn{data_sn++});
            CHECK(d->buffer_offset == back.size());
            CHECK(s.data.size() <= 8192);
            back.insert(back.end(), s.data.begin(), s.data.end());
            CHECK(d->final == (back.size() % 16384 == 0));
            CHECK(d->has_status == (back.size() == 262144));
            finals += d->final;
        }
        CHECK(finals == 16);
        CHECK(back == data);
    }
}

TEST_CASE("without phase collapse the status is a PDU of its own", "[target]") {
    TargetConfig c;
    c.faults.phase_collapse = false;
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w);
    w.send(Bench::command(1, 1, 0x28, 0, 8).encode());
    const auto sent = w.link->take();
    REQUIRE(sent.size() == 2);
    CHECK(is(sent[0], Opcode::data_in));
    CHECK_FALSE(DataIn::parse(sent[0].view())->has_status);
    CHECK(is(sent[1], Opcode::scsi_response));
}

TEST_CASE("several R2Ts are outstanding where agreed, and R2T delay and cap hold", "[target]") {
    TargetConfig c;
    c.wish.max_outstanding_r2t = 4;
    c.faults.r2t_cap = 4096;
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w, {{"MaxOutstandingR2T", "3"}, {"ImmediateData", "No"}});
    w.send(Bench::command(1, 1, 0x2a, 0, 64).encode());
    const auto sent = w.link->take();
    REQUIRE(sent.size() == 3);
    CHECK(R2t::parse(sent[2].view())->buffer_offset == 8192);
    CHECK(R2t::parse(sent[2].view())->desired_data_transfer_length == 4096);
}

TEST_CASE("a Read comes from the disks in pieces of the send buffer, where that is asked for", "[target]") {
    const auto service = std::chrono::milliseconds(1);
    TargetConfig c;
    c.sockets.send_buffer = 4096;
    c.faults.access_by_send_buffer = GENERATE(false, true);
    Bench b(c, std::make_unique<DistributionService>(Distribution{Distribution::Kind::constant, service, {}},
                                                     false, 1));
    const auto w = b.connect();
    REQUIRE(b.log_in(w) != 0);
    w.send(Bench::command(1, 1, 0x28, 0, 20).encode()); // 10,240 bytes: pieces of 4096, 4096 and 2048
    const int pieces = c.faults.access_by_send_buffer ? 3 : 1;
    b.clock.advance(pieces * service - std::chrono::microseconds(1));
    CHECK(w.drain().empty());
    b.clock.advance(std::chrono::microseconds(2));
    CHECK_FALSE(w.drain().empty());
}

TEST_CASE("an R2T waits for the delay", "[target]") {
    TargetConfig c;
    c.faults.r2t_delay = std::chrono::milliseconds(3);
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w, {{"ImmediateData", "No"}});
    w.send(Bench::command(1, 1, 0x2a, 0, 8).encode());
    b.clock.advance(std::chrono::microseconds(2999));
    CHECK(w.link->sent.empty());
    b.clock.advance(std::chrono::microseconds(2));
    REQUIRE(w.link->sent.size() == 1);
    CHECK(is(w.link->sent[0], Opcode::r2t));
}

TEST_CASE("data that breaks the rules ends the task with the sense of RFC 7143", "[target]") {
    Bench b;
    const auto w = b.connect();
    b.log_in(w, {{"ImmediateData", "No"}});
    w.send(Bench::command(1, 1, 0x2a, 0, 8).encode());
    auto sent = w.link->take();
    const auto r = R2t::parse(sent.at(0).view());
    const auto data = pattern(4096);
    std::uint16_t code = 0;
    bool digest_ok = true;
    DataOut d = data_out(*r, 0, 0, true);
    std::span<const std::byte> bytes = data;
    SECTION("DataSN out of sequence") {
        d.data_sn = DataSn{27};
        code = 0x4705;
    }
    SECTION("a wrong offset") {
        d.buffer_offset = 512;
        code = 0x0c0d;
    }
    SECTION("too little under F") {
        bytes = bytes.first(512);
        code = 0x0c0d;
    }
    SECTION("a damaged segment") {
        digest_ok = false;
        code = 0x4705;
    }
    SECTION("unsolicited data not agreed") {
        d.target_transfer_tag = TargetTransferTag::reserved;
        code = 0x0c0c;
    }
    w.send(d.encode(), bytes, digest_ok);
    sent = w.link->take();
    if (!digest_ok) {
        REQUIRE(is(sent.at(0), Opcode::reject));
        sent.erase(sent.begin());
    }
    REQUIRE(sent.size() == 1);
    REQUIRE(is(sent[0], Opcode::scsi_response));
    CHECK(sent[0].view().status() == 2);
    REQUIRE(sent[0].data.size() == 20);
    CHECK(wire::load8(&sent[0].data[4]) == 0x0b);
    CHECK(wire::load16(&sent[0].data[14]) == code);
    // Nothing of it reached the disk.
    w.send(Bench::command(2, 2, 0x28, 0, 8).encode());
    CHECK(w.link->take().at(0).data == std::vector<std::byte>(4096));
}

TEST_CASE("unsolicited data, immediate and not, up to FirstBurstLength, then R2Ts", "[target]") {
    TargetConfig c;
    c.wish.initial_r2t = false;
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w, {{"InitialR2T", "No"}, {"ImmediateData", "Yes"}, {"FirstBurstLength", "2048"}});
    const auto data = pattern(4096);
    auto command = Bench::command(1, 1, 0x2a, 8, 8);
    command.final = false;
    w.send(command.encode(), std::span(data).first(1024));
    CHECK(w.link->sent.empty());
    DataOut d;
    d.final = true;
    d.initiator_task_tag = InitiatorTaskTag{1};
    d.buffer_offset = 1024;
    w.send(d.encode(), std::span(data).subspan(1024, 1024));
    auto sent = w.link->take();
    REQUIRE(sent.size() == 1);
    const auto r = R2t::parse(sent[0].view());
    REQUIRE(r);
    CHECK(r->buffer_offset == 2048);
    CHECK(r->desired_data_transfer_length == 2048);
    w.send(data_out(*r, 0, 2048, true).encode(), std::span(data).subspan(2048));
    CHECK(w.link->take().at(0).view().status() == 0);
    w.send(Bench::command(2, 2, 0x28, 8, 8).encode());
    CHECK(w.link->take().at(0).data == data);
}

TEST_CASE("the command window closes on outstanding commands and never goes back", "[target]") {
    TargetConfig c;
    c.faults.command_window = 2;
    const auto service = std::chrono::milliseconds(1);
    Bench b(c, std::make_unique<DistributionService>(Distribution{Distribution::Kind::constant, service, {}},
                                                     true, 1));
    const auto w = b.connect();
    b.log_in(w);
    for (std::uint32_t n = 1; n <= 3; ++n)
        w.send(Bench::command(n, n, 0x28, 0, 1).encode());
    CHECK(w.link->sent.empty());
    b.clock.advance(service);
    auto sent = w.link->take();
    REQUIRE(sent.size() == 1); // the third was outside the window and is not there at all
    CHECK(sent[0].view().exp_cmd_sn() == CmdSn{3});
    CHECK(sent[0].view().max_cmd_sn() == CmdSn{3});
    b.clock.advance(10 * service);
    sent = w.link->take();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].view().max_cmd_sn() == CmdSn{4});
}

TEST_CASE("commands of two connections are carried out in the order of CmdSN", "[target]") {
    TargetConfig c;
    c.wish.max_connections = 2;
    Bench b(c);
    const auto one = b.connect(), two = b.connect(), three = b.connect();
    const std::uint16_t tsih = b.log_in(one, {{"MaxConnections", "4"}});
    REQUIRE(tsih != 0);
    REQUIRE(b.log_in(two, {}, tsih, 1) == tsih);
    CHECK(b.log_in(three, {}, tsih, 2) == 0); // one too many

    two.send(Bench::command(2, 2, 0x28, 0, 1).encode());
    CHECK(two.link->sent.empty());
    one.send(Bench::command(1, 1, 0x28, 0, 1).encode());
    REQUIRE(one.link->take().size() == 1);
    const auto sent = two.link->take();
    REQUIRE(sent.size() == 1); // its status comes where its command came
    CHECK(sent[0].view().exp_cmd_sn() == CmdSn{3});

    SECTION("one that fails takes the session along") {
        one.events->on_link_down("reset");
        CHECK(two.link->closed);
        CHECK(is(two.link->sent.at(0), Opcode::async_message));
    }
    SECTION("one that logs out does not") {
        LogoutRequest l;
        l.immediate = true;
        l.reason = LogoutReason::close_connection;
        l.cid = 1;
        two.send(l.encode());
        CHECK(two.link->closed);
        CHECK_FALSE(one.link->closed);
        one.send(Bench::command(5, 3, 0x28, 0, 1).encode());
        CHECK(one.link->take().size() == 1);
    }
    SECTION("the same CID again replaces it") {
        const auto again = b.connect();
        CHECK(b.log_in(again, {}, tsih, 1) == tsih);
        CHECK(two.link->closed);
        CHECK_FALSE(one.link->closed);
    }
}

TEST_CASE("the same initiator port again replaces its session", "[target]") {
    Bench b;
    const auto one = b.connect(), two = b.connect();
    const auto first = b.log_in(one), second = b.log_in(two);
    CHECK(first != 0);
    CHECK(second != 0);
    CHECK(one.link->closed);
    CHECK_FALSE(two.link->closed);
}

TEST_CASE("a dropped response leaves a task that can be aborted", "[target]") {
    TargetConfig c;
    c.faults.drop_response = 2;
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w);
    w.send(Bench::command(1, 1, 0x28, 0, 1).encode());
    CHECK(w.link->take().size() == 1);
    w.send(Bench::command(2, 2, 0x28, 0, 1).encode());
    const auto sent = w.link->take();
    REQUIRE(sent.size() == 1);
    CHECK_FALSE(DataIn::parse(sent[0].view())->has_status);
    TaskManagementRequest t;
    t.immediate = true;
    t.initiator_task_tag = InitiatorTaskTag{9};
    t.referenced_task_tag = InitiatorTaskTag{2};
    t.cmd_sn = CmdSn{3};
    t.ref_cmd_sn = CmdSn{2};
    w.send(t.encode());
    CHECK(w.link->take().at(0).view().response() == 0);
    w.send(t.encode());
    CHECK(w.link->take().at(0).view().response() == 1); // no such task any more
}

TEST_CASE("TASK SET FULL and BUSY come as often as asked", "[target]") {
    TargetConfig c;
    c.faults.task_set_full = 3;
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w);
    std::vector<int> statuses;
    for (std::uint32_t n = 1; n <= 6; ++n) {
        w.send(Bench::command(n, n, 0x28, 0, 1).encode());
        statuses.push_back(w.link->take().at(0).view().status());
    }
    CHECK(statuses == std::vector<int>{0, 0, 0x28, 0, 0, 0x28});
}

TEST_CASE("a reset ends tasks, tells with a unit attention, and releases the reservation", "[target]") {
    const auto service = std::chrono::seconds(1);
    Bench b({}, std::make_unique<DistributionService>(Distribution{Distribution::Kind::constant, service, {}},
                                                      true, 1));
    const auto w = b.connect();
    b.log_in(w);
    w.send(Bench::command(1, 1, 0x28, 0, 1).encode());
    TaskManagementRequest t;
    t.immediate = true;
    t.function = TaskManagementFunction::logical_unit_reset;
    t.cmd_sn = CmdSn{2};
    w.send(t.encode());
    CHECK(w.link->take().at(0).view().response() == 0);
    b.clock.advance(2 * service);
    CHECK(w.link->sent.empty()); // the read is gone
    auto ready = Bench::command(3, 2, 0x00, 0, 0);
    w.send(ready.encode());
    const auto sent = w.link->take();
    CHECK(sent.at(0).view().status() == 2);
    CHECK(wire::load16(&sent.at(0).data.at(14)) == 0x2903);
}

TEST_CASE("discovery names the target and its portal, and has no disks", "[target]") {
    Bench b;
    const auto w = b.connect();
    REQUIRE(b.log_in(w, {}, 0, 0, true) != 0);
    TextRequest t;
    t.cmd_sn = CmdSn{1};
    const std::vector<KeyValue> ask{{"SendTargets", "All"}};
    w.send(t.encode(), build_text(ask));
    const auto sent = w.link->take();
    REQUIRE(sent.size() == 1);
    const auto keys = parse_text(sent[0].data);
    CHECK(*find_value(keys, "TargetName") == b.config.name);
    CHECK(*find_value(keys, "TargetAddress") == "192.0.2.1:3260,1");
    w.send(Bench::command(1, 2, 0x28, 0, 1).encode());
    CHECK(is(w.link->take().at(0), Opcode::reject));
}

TEST_CASE("NOP-Out is answered with its data, or not on purpose", "[target]") {
    const bool silent = GENERATE(false, true);
    TargetConfig c;
    c.faults.silent_nops = silent;
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w);
    NopOut n;
    n.immediate = true;
    n.initiator_task_tag = InitiatorTaskTag{77};
    n.cmd_sn = CmdSn{1};
    const auto data = pattern(100);
    w.send(n.encode(), data);
    const auto sent = w.link->take();
    REQUIRE(sent.size() == (silent ? 0u : 1u));
    if (!silent)
        CHECK(sent[0].data == data);
}

TEST_CASE("a ping without an answer ends the session", "[target]") {
    TargetConfig c;
    c.faults.nop_interval = std::chrono::seconds(1);
    c.faults.nop_timeout = std::chrono::seconds(3);
    Bench b(c);
    const auto w = b.connect();
    b.log_in(w);
    b.clock.advance(std::chrono::milliseconds(1001));
    auto sent = w.link->take();
    REQUIRE(sent.size() == 1);
    const auto ping = NopIn::parse(sent[0].view());
    NopOut answer;
    answer.immediate = true;
    answer.target_transfer_tag = ping->target_transfer_tag;
    w.send(answer.encode());
    b.clock.advance(std::chrono::milliseconds(1001));
    CHECK(w.link->take().size() == 1);
    CHECK_FALSE(w.link->closed);
    b.clock.advance(std::chrono::milliseconds(3001));
    CHECK(w.link->closed);
}

TEST_CASE("residuals tell what EDTL and CDB disagree about", "[target]") {
    Bench b;
    const auto w = b.connect();
    b.log_in(w);
    auto c = Bench::command(1, 1, 0x28, 0, 2);
    c.expected_data_transfer_length = 1500;
    w.send(c.encode());
    auto d = DataIn::parse(w.link->take().at(0).view());
    CHECK(d->underflow);
    CHECK(d->residual_count == 1500 - 1024);
    c = Bench::command(2, 2, 0x28, 0, 2);
    c.expected_data_transfer_length = 600;
    w.send(c.encode());
    const auto sent = w.link->take();
    d = DataIn::parse(sent.at(0).view());
    CHECK(d->overflow);
    CHECK(d->residual_count == 1024 - 600);
    CHECK(sent[0].data.size() == 600);
}
