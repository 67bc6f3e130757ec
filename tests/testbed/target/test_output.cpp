// SPDX-License-Identifier: GPL-2.0-or-later
// What the target does with an initiator that does not read: it produces no more, reads no more, and keeps
// the command window as it is.
#include "catch.h"

#include "sample-captures/testbed/target/service/distribution.h"
#include "tests/testbed/target/fake_link.h"

using namespace iscsiscope;
using namespace iscsiscope::testbed;

namespace {

constexpr std::size_t bound = 65536;
constexpr std::uint16_t blocks = 1024; // 512 KiB
constexpr std::size_t bytes = std::size_t{blocks} * 512;

std::size_t data_in(const std::vector<Sent> &sent) {
    std::size_t sum = 0;
    for (const Sent &s : sent)
        sum += s.view().opcode() == Opcode::data_in ? s.data.size() : 0;
    return sum;
}

// A target with a pattern on its disk and a connection that holds `bound` bytes.
struct Slow : Bench {
    explicit Slow(TargetConfig c = {}) : Bench(std::move(c)), wire(connect()) {
        std::vector<std::byte> pattern(2 * bytes);
        for (std::size_t i = 0; i < pattern.size(); ++i)
            pattern[i] = static_cast<std::byte>((i / 512 + i) & 0xff);
        units.find(0)->disk->store().write(0, pattern);
        REQUIRE(log_in(wire, {{"MaxRecvDataSegmentLength", "8192"}}) != 0);
        wire.link->bound = bound;
        wire.link->queued = 0;
    }
    // All that the target sends to an initiator that reads again.
    std::vector<Sent> read_all() {
        std::vector<Sent> all;
        for (int idle = 0; idle < 2;) {
            auto part = wire.drain();
            idle = part.empty() ? idle + 1 : 0;
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }
    Wire wire;
};

} // namespace

TEST_CASE("Data-In is produced as the connection drains", "[output]") {
    Slow b;
    for (std::uint32_t n = 1; n <= 100; ++n)
        b.wire.send(Bench::command(n, n, 0x28, n % 2 * blocks, blocks).encode());
    CHECK(data_in(b.wire.link->sent) <= 2 * bound);
    std::vector<std::byte> expected(bytes);
    std::vector<std::byte> got;
    std::uint32_t statuses = 0;
    StatSn next{};
    for (const Sent &s : b.read_all()) {
        const auto d = DataIn::parse(s.view());
        REQUIRE(d);
        CHECK(d->buffer_offset == got.size());
        got.insert(got.end(), s.data.begin(), s.data.end());
        if (!d->has_status)
            continue;
        CHECK((statuses == 0 || d->stat_sn == next));
        next = d->stat_sn;
        ++next;
        ++statuses;
        REQUIRE(d->initiator_task_tag == InitiatorTaskTag{statuses});
        b.units.find(0)->disk->store().read(statuses % 2 * bytes, expected);
        CHECK(got == expected);
        got.clear();
    }
    CHECK(statuses == 100);
}

TEST_CASE("while data waits, its commands keep their places in the window", "[output]") {
    TargetConfig c;
    c.faults.command_window = 8;
    Slow b(c);
    for (std::uint32_t n = 1; n <= 8; ++n)
        b.wire.send(Bench::command(n, n, 0x28, 0, blocks).encode());
    for (const Sent &s : b.wire.link->sent)
        CHECK(s.view().max_cmd_sn() <= CmdSn{8});
    const auto all = b.read_all();
    CHECK(all.back().view().max_cmd_sn() == CmdSn{16});
}

TEST_CASE("NOP echoes that are not read stop the input; the window opens when they are", "[output]") {
    TargetConfig c;
    c.faults.window_policy = WindowPolicy::open;
    c.faults.command_window = 32;
    Slow b(c);
    const std::vector<std::byte> data(8192, std::byte{1});
    std::uint32_t n = 1;
    CmdSn seen{};
    for (; n <= 32 && !b.wire.link->held; ++n) {
        NopOut nop;
        nop.initiator_task_tag = InitiatorTaskTag{n};
        nop.cmd_sn = CmdSn{n};
        b.wire.send(nop.encode(), data);
        seen = b.wire.link->sent.back().view().max_cmd_sn();
    }
    CHECK(b.wire.link->held);
    CHECK(b.wire.link->queued <= 2 * bound + 2 * data.size());
    CHECK(n < 20);
    // What else is sent meanwhile does not open the window.
    b.wire.send(Bench::command(99, n, 0x00, 0, 0).encode());
    CHECK(b.wire.link->sent.back().view().max_cmd_sn() == seen);
    b.wire.drain();
    CHECK_FALSE(b.wire.link->held);
    const auto opened = b.wire.link->take();
    REQUIRE(opened.size() == 1);
    const auto nop = NopIn::parse(opened[0].view());
    REQUIRE(nop);
    CHECK(nop->initiator_task_tag == InitiatorTaskTag::reserved);
    CHECK(nop->target_transfer_tag == TargetTransferTag::reserved);
    CHECK(nop->max_cmd_sn == nop->exp_cmd_sn + 31);
}

TEST_CASE("more than 64 MiB of Data-In that nobody reads stop the input", "[output]") {
    Slow b;
    std::uint32_t n = 1;
    for (; n <= 1000 && !b.wire.link->held; ++n) {
        auto read = Bench::command(n, n, 0x28, 0, 2 * blocks);
        read.expected_data_transfer_length = 2 * bytes;
        b.wire.send(read.encode());
    }
    CHECK(n == 66); // the 65th goes above it
    b.read_all();
    CHECK_FALSE(b.wire.link->held);
}

TEST_CASE("a ping whose answer the target does not read ends nothing", "[output]") {
    TargetConfig c;
    c.faults.nop_interval = std::chrono::seconds(1);
    c.faults.nop_timeout = std::chrono::seconds(3);
    Slow b(c);
    for (std::uint32_t n = 1; n <= 100 && !b.wire.link->held; ++n) {
        auto read = Bench::command(n, n, 0x28, 0, 2 * blocks);
        read.expected_data_transfer_length = 2 * bytes;
        b.wire.send(read.encode());
    }
    REQUIRE(b.wire.link->held);
    b.clock.advance(std::chrono::seconds(20));
    CHECK_FALSE(b.wire.link->closed);
    b.read_all();
    b.clock.advance(std::chrono::seconds(20)); // it reads now, and has no answer
    CHECK(b.wire.link->closed);
}

TEST_CASE("a read that is aborted sends no more, and the next one goes on", "[output]") {
    Slow b;
    b.wire.send(Bench::command(1, 1, 0x28, 0, blocks).encode());
    b.wire.send(Bench::command(2, 2, 0x28, 0, blocks).encode());
    TaskManagementRequest t;
    t.immediate = true;
    t.initiator_task_tag = InitiatorTaskTag{9};
    t.referenced_task_tag = InitiatorTaskTag{1};
    t.cmd_sn = CmdSn{3};
    t.ref_cmd_sn = CmdSn{1};
    b.wire.send(t.encode());
    CHECK(b.wire.link->sent.back().view().response() == 0);
    const auto all = b.read_all();
    CHECK(data_in(all) < 2 * bytes);
    CHECK(all.back().view().initiator_task_tag() == InitiatorTaskTag{2});
    CHECK(DataIn::parse(all.back().view())->has_status);
}

TEST_CASE("immediate commands beside the window are bounded", "[output]") {
    Slow b;
    std::uint32_t rejected = 0;
    for (std::uint32_t n = 1; n <= 100; ++n) {
        auto read = Bench::command(n, 1, 0x28, 0, blocks);
        read.immediate = true;
        const auto before = b.wire.link->sent.size();
        b.wire.send(read.encode());
        for (auto at = before; at < b.wire.link->sent.size(); ++at)
            rejected += b.wire.link->sent[at].view().opcode() == Opcode::reject;
    }
    CHECK(rejected == 36);
}

TEST_CASE("one connection too many in login ends the oldest of the address with most", "[output]") {
    Bench b;
    b.target->limit_logins(3);
    const auto named = [&](std::string name) {
        const auto link = std::make_shared<FakeLink>(std::move(name));
        b.target->accept(link, nullptr);
        return link;
    };
    const auto other = named("192.0.2.9:1>t"), one = named("192.0.2.1:1>t"), two = named("192.0.2.1:2>t");
    CHECK_FALSE(one->closed);
    const auto next = named("192.0.2.7:1>t");
    CHECK(one->closed);
    CHECK_FALSE(other->closed);
    CHECK_FALSE(two->closed);
    CHECK_FALSE(next->closed);
}
