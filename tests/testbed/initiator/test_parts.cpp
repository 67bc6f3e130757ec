// SPDX-License-Identifier: GPL-2.0-or-later
// The initiator's parts that need no socket.
#include "catch.h"

#include "sample-captures/testbed/initiator/session/command_window.h"
#include "sample-captures/testbed/initiator/session/data_out_plan.h"
#include "sample-captures/testbed/initiator/session/dispatch.h"
#include "sample-captures/testbed/initiator/session/scsi_commands.h"
#include "sample-captures/testbed/initiator/url.h"
#include "sample-captures/testbed/initiator/workload/data_pattern.h"
#include "sample-captures/testbed/initiator/workload/data_verifier.h"
#include "sample-captures/testbed/initiator/workload/workload.h"

#include "analyzer/iscsi/scsi/cdb.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

using namespace iscsiscope;
using namespace iscsiscope::testbed::initiator;

TEST_CASE("URLs: every part, and every mistake named") {
    const auto good = [](const char *text) { return parse_url(text).value(); };
    const TargetUrl full = good("iscsi://user%se%40cret@host:13260/iqn.2026-11.example:disk/5");
    CHECK(full.user == "user");
    CHECK(full.secret == "se%40cret");
    CHECK(full.host == "host");
    CHECK(full.port == 13260);
    CHECK(full.name == "iqn.2026-11.example:disk");
    CHECK(full.lun == 5);
    CHECK(full.portal().find("se%40cret") == std::string::npos);
    CHECK(good("iscsi://10.0.0.1/iqn.x/0").port == 3260);
    CHECK(good("iscsi://[fe80::1]:99/iqn.x/1").portal() == "[fe80::1]:99");
    CHECK(good("iscsi://host").name.empty());
    CHECK(good("iscsi://host/iqn.x").lun == 0);
    for (const char *wrong :
         {"host", "http://host/x/0", "iscsi://", "iscsi:///iqn.x/0", "iscsi://host:0/iqn.x/0",
          "iscsi://host:70000/iqn.x/0", "iscsi://host:/iqn.x/0", "iscsi://[::1/iqn.x/0",
          "iscsi://host/iqn.x/lun", "iscsi://host/iqn.x/16384", "iscsi://host/iqn.x/-1",
          "iscsi://user@host/iqn.x/0", "iscsi://user%@host/iqn.x/0", "iscsi://host//0"})
        CHECK_FALSE(parse_url(wrong).ok());
}

TEST_CASE("a request is split into the sizes given") {
    const std::vector<std::uint64_t> default_split{255};
    // 500 KiB by 127.5 KiB (docs/testbed.md, "1. Sequential read over high latency").
    CHECK(split_request(1000, default_split) == std::vector<std::uint64_t>{255, 255, 255, 235});
    CHECK(split_request(1000, {}) == std::vector<std::uint64_t>{1000});
    const std::vector<std::uint64_t> two{8, 16};
    CHECK(split_request(50, two) == std::vector<std::uint64_t>{8, 16, 16, 10});
    CHECK(split_request(5, two) == std::vector<std::uint64_t>{5});
    const std::vector<std::uint64_t> zero{0};
    CHECK(split_request(5, zero) == std::vector<std::uint64_t>{5});
}

TEST_CASE("workloads stay in their region and do what their name says") {
    const BlockRange region{1000, 103};
    for (const WorkloadKind kind :
         {WorkloadKind::sequential_read, WorkloadKind::sequential_write, WorkloadKind::random_read,
          WorkloadKind::random_write, WorkloadKind::constant_read, WorkloadKind::constant_write,
          WorkloadKind::mixed}) {
        CHECK(workload_from_name(name(kind)) == kind);
        WorkloadGenerator one(kind, region, 10, 0.3, 42), two(kind, region, 10, 0.3, 42);
        std::map<std::uint64_t, unsigned> starts;
        unsigned writes = 0;
        for (unsigned i = 0; i < 2000; ++i) {
            const Request request = one.next();
            const Request again = two.next();
            REQUIRE(request.range.first == again.range.first); // same seed, same requests
            REQUIRE(request.write == again.write);
            REQUIRE(request.range.count == 10);
            REQUIRE(request.range.first >= 1000);
            REQUIRE(request.range.first + 10 <= 1103);
            ++starts[request.range.first];
            writes += request.write ? 1 : 0;
            if (kind == WorkloadKind::sequential_read)
                REQUIRE(request.range.first == 1000 + i % 10 * 10);
        }
        const bool constant = kind == WorkloadKind::constant_read || kind == WorkloadKind::constant_write;
        CHECK(starts.size() == (constant ? 1U : 10U));
        if (kind == WorkloadKind::mixed)
            CHECK((writes > 1300 && writes < 1500)); // 70 %, standard deviation 20
        else
            CHECK(writes == (only_reads(kind) ? 0U : 2000U));
    }
    CHECK_FALSE(workload_from_name("sequential"));
    CHECK(region_of_process(region, 1, 4, 10).first == 1020);
    CHECK(region_of_process(region, 1, 4, 10).count == 20);
    CHECK(region_of_process(region, 1, 20, 10).count == 103); // too many for a part each
}

TEST_CASE("dispatch policies") {
    Dispatcher turn(DispatchPolicy::round_robin, 3, 1);
    CHECK(turn.take() == 0U);
    CHECK(turn.take() == 1U);
    CHECK(turn.take() == 2U);
    CHECK_FALSE(turn.take());
    turn.finished(1);
    CHECK_FALSE(turn.take()); // strictly in turn: it waits for connection 0
    turn.finished(0);
    CHECK(turn.take() == 0U);
    CHECK(turn.take() == 1U);

    Dispatcher least(DispatchPolicy::least_loaded, 3, 0);
    for (unsigned expected : {0U, 1U, 2U, 0U})
        CHECK(least.take() == expected);
    least.finished(2);
    CHECK(least.take() == 2U);

    Dispatcher free(DispatchPolicy::first_free, 3, 0);
    for (unsigned expected : {0U, 1U, 2U})
        CHECK(free.take() == expected); // in turn at first
    CHECK_FALSE(free.take());
    free.finished(2);
    free.finished(0);
    CHECK(free.take() == 2U); // then who finished first
    CHECK(free.take() == 0U);

    Dispatcher active(DispatchPolicy::first_free, 4, 1);
    active.set_active(2);
    CHECK(active.take() == 0U);
    CHECK(active.take() == 1U);
    CHECK_FALSE(active.take());
    active.set_active(3);
    CHECK(active.take() == 2U);
    active.set_active(1);
    active.finished(2);
    active.finished(1);
    CHECK_FALSE(active.take());
    active.finished(0);
    CHECK(active.take() == 0U);
    active.set_active(4);
    CHECK(active.take() == 3U); // its place was never taken
    CHECK(active.take() == 2U);
}

TEST_CASE("the command window opens, closes and wraps") {
    CommandWindow window(CmdSn{0xfffffffe});
    CHECK_FALSE(window.open());
    window.update(CmdSn{0xfffffffe}, CmdSn{1}); // four numbers
    unsigned taken = 0;
    while (window.open()) {
        CHECK(window.take() == CmdSn{0xfffffffe} + taken);
        ++taken;
    }
    CHECK(taken == 4);
    window.update(CmdSn{0xfffffff0}, CmdSn{0xfffffff8}); // old news on another connection
    CHECK(window.maximum() == CmdSn{1});
    window.update(CmdSn{2}, CmdSn{0}); // MaxCmdSN < ExpCmdSN − 1: both ignored (section 4.2.2.1)
    CHECK(window.expected() == CmdSn{0xfffffffe});
    window.update(CmdSn{2}, CmdSn{1}); // closed
    CHECK_FALSE(window.open());
    window.update(CmdSn{2}, CmdSn{2});
    CHECK(window.open());
}

TEST_CASE("the unsolicited data of a write follows the keys and the policy") {
    OperationalParameters keys;
    keys.initial_r2t = false;
    keys.immediate_data = true;
    keys.first_burst_length = 65536;
    keys.max_recv_data_segment_length_target = 8192;
    const auto plan = [&](UnsolicitedPolicy policy, std::uint32_t length) {
        const WriteOpening opening = plan_write(keys, policy, length);
        return std::pair(opening.immediate, opening.unsolicited);
    };
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    CHECK(plan(UnsolicitedPolicy::negotiated, 262144) == Pair(8192, 57344));
    CHECK(plan(UnsolicitedPolicy::immediate, 262144) == Pair(8192, 0));
    CHECK(plan(UnsolicitedPolicy::none, 262144) == Pair(0, 0));
    CHECK(plan(UnsolicitedPolicy::negotiated, 4096) == Pair(4096, 0));
    keys.immediate_data = false;
    CHECK(plan(UnsolicitedPolicy::negotiated, 262144) == Pair(0, 65536));
    keys.initial_r2t = true;
    CHECK(plan(UnsolicitedPolicy::negotiated, 262144) == Pair(0, 0));
    keys.immediate_data = true;
    CHECK(plan(UnsolicitedPolicy::negotiated, 262144) == Pair(8192, 0));

    std::vector<std::array<std::uint32_t, 3>> pieces;
    cut_burst(100, 20000, 8192, [&](std::uint32_t offset, std::uint32_t length, bool final) {
        pieces.push_back({offset, length, final ? 1U : 0U});
    });
    CHECK(pieces ==
          std::vector<std::array<std::uint32_t, 3>>{{100, 8192, 0}, {8292, 8192, 0}, {16484, 3616, 1}});
}

TEST_CASE("the data pattern tells every way a block can be wrong") {
    std::vector<std::byte> data(8 * 512);
    fill_pattern(data, 512, 100, 7, 1);
    const std::span<const std::byte> all(data);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(describe_mismatch(inspect_block(all.subspan(i * 512, 512)), 100 + i, 7, 1).empty());
    const auto verdict = inspect_block(all.first(512));
    CHECK(describe_mismatch(verdict, 101, 7, 1) == "holds block 100");
    CHECK(describe_mismatch(verdict, 100, 8, 1) == "holds generation 7, expected 8");
    CHECK(describe_mismatch(verdict, 100, std::nullopt, 2) == "holds data of seed 1, expected 2");
    // Any single bit, anywhere.
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        const std::size_t at = random() % 512;
        std::vector<std::byte> spoiled(data.begin(), data.begin() + 512);
        spoiled[at] ^= std::byte(1U << random() % 8);
        const std::string found = describe_mismatch(inspect_block(spoiled), 100, 7, 1);
        REQUIRE_FALSE(found.empty());
        if (at >= 32)
            REQUIRE(found == "differs from byte " + std::to_string(at) + " on");
    }
    CHECK(describe_mismatch(inspect_block(std::vector<std::byte>(512)), 0, 1, 1) == "holds no test pattern");
    CHECK_FALSE(inspect_block({}).is_pattern);
}

TEST_CASE("the verifier knows what was written last, where, and what is in flight") {
    DataVerifier verifier(1, 512, false);
    std::vector<std::byte> data(4 * 512);
    const BlockRange range{5000, 4};
    CHECK(verifier.known_from(0, 100).count == 0);
    verifier.begin(range, true);
    CHECK(verifier.conflicts({5003, 1}, false));
    CHECK(verifier.conflicts({4999, 2}, true));
    CHECK_FALSE(verifier.conflicts({5004, 4}, true));
    verifier.end_write(range, 3, true);
    CHECK_FALSE(verifier.conflicts(range, true));
    verifier.begin(range, false);
    CHECK_FALSE(verifier.conflicts(range, false)); // two reads may overlap
    CHECK(verifier.conflicts(range, true));
    fill_pattern(data, 512, 5000, 3, 1);
    verifier.check(range, data, "t");
    CHECK(verifier.checked_blocks() == 4);
    CHECK(verifier.wrong_blocks() == 0);
    fill_pattern(std::span(data).subspan(512, 512), 512, 5001, 2, 1); // an older generation came back
    verifier.check(range, data, "t");
    CHECK(verifier.wrong_blocks() == 1);
    REQUIRE(verifier.complaints().size() == 1);
    CHECK(verifier.complaints()[0] == "t: block 5001 holds generation 2, expected 3");
    verifier.check({6000, 4}, data, "t");
    CHECK(verifier.unchecked_blocks() == 4);
    const BlockRange known = verifier.known_from(0, 3);
    CHECK(known.first == 5000);
    CHECK(known.count == 3);
    CHECK(verifier.known_from(5003, 100).count == 1);
    CHECK(verifier.known_from(5004, 100).count == 0);
    verifier.end_write(range, 4, false); // failed: nobody knows
    CHECK(verifier.known_from(0, 3).count == 0);

    DataVerifier all(1, 512, true);
    all.check({5000, 4}, data, "t"); // block 5001 is of another generation, but any will do
    CHECK(all.wrong_blocks() == 0);
    all.check({5001, 4}, data, "t");
    CHECK(all.wrong_blocks() == 4);
}

TEST_CASE("CDBs say to the analyzer's parser what was meant") {
    for (const auto &[lba, blocks] : {std::pair<std::uint64_t, std::uint32_t>{0, 1},
                                      {0xffffffff, 0xffff},
                                      {0x100000000, 8},
                                      {7, 0x10000}}) {
        const CommandInfo read = parse_cdb(read_cdb(lba, blocks));
        CHECK(read.group == CommandGroup::read);
        CHECK(read.lba == lba);
        CHECK(read.blocks == blocks);
        const CommandInfo write = parse_cdb(write_cdb(lba, blocks));
        CHECK(write.group == CommandGroup::write);
        CHECK(write.lba == lba);
        CHECK(write.blocks == blocks);
    }
    CHECK(parse_cdb(read_capacity_16_cdb(32)).allocation_length == 32U);
    CHECK(parse_cdb(inquiry_cdb(96)).name == "INQUIRY");
    CHECK(parse_cdb(read_capacity_10_cdb()).name == "READ CAPACITY(10)");
}
