// SPDX-License-Identifier: GPL-2.0-or-later
// Mirrored Writes: which are pairs, and which member answered last.
#include "catch.h"

#include "stage.h"

using namespace iscsiscope;
using namespace iscsiscope::test;

TEST_CASE("mirror: the same Writes to two targets, and who was last") {
    Stage stage;
    Link &near = stage.connect(1, 2), &far = stage.connect(1, 3);
    near.login(0ms, login_of("iqn.near", 1));
    far.login(1ms, login_of("iqn.far", 2));
    for (std::uint32_t i = 1; i <= 20; ++i) {
        const Duration t = i * 100ms;
        const bool far_last = i % 4 != 0;
        near.send(t, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        far.send(t + 1ms, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        near.send(t + (far_last ? 10ms : 40ms), to_initiator, response(i));
        far.send(t + (far_last ? 30ms : 25ms), to_initiator, response(i));
    }
    // Writes of the near one alone.
    for (std::uint32_t i = 21; i <= 24; ++i) {
        near.send(i * 100ms, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        near.send(i * 100ms + 10ms, to_initiator, response(i));
    }
    const SessionFigures f = stage.end(5s);
    REQUIRE(f.mirrors.size() == 1);
    const MirrorPair &m = f.mirrors[0];
    CHECK(m.pairs == 20);
    CHECK(m.members[0].writes == 24);
    CHECK(m.members[1].writes == 20);
    CHECK(m.paired_share == 1.0);
    CHECK(m.members[0].last == 5);
    CHECK(m.members[1].last == 15);
    CHECK(to_ns(m.members[0].held) == to_ns(Duration{5 * 15ms}));
    CHECK(to_ns(m.members[1].held) == to_ns(Duration{15 * 20ms}));
    CHECK(m.skew.maximum() == to_ns(Duration{20ms}));
    CHECK(m.bytes == 20 * 4096);

    // At the targets' tap the copies of the far one pass 16.5 ms later, when the near one has ended.
    Stage at_targets;
    Link &short_way = at_targets.connect(1, 2), &long_way = at_targets.connect(1, 3);
    short_way.tcp.ends[0].rtt.minimum = Duration{3ms};
    long_way.tcp.ends[0].rtt.minimum = Duration{36ms};
    short_way.login(0ms, login_of("iqn.near", 1));
    long_way.login(1ms, login_of("iqn.far", 2));
    for (std::uint32_t i = 1; i <= 20; ++i) {
        const Duration t = i * 100ms;
        short_way.send(t + 1500us, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        short_way.send(t + 2500us, to_initiator, response(i));
        long_way.send(t + 18ms, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        long_way.send(t + 19ms, to_initiator, response(i));
    }
    const SessionFigures seen = at_targets.end(5s);
    REQUIRE(seen.mirrors.size() == 1);
    CHECK(seen.mirrors[0].members[1].last == 20);
    CHECK(seen.mirrors[0].skew.maximum() == to_ns(Duration{33ms}));

    // The same blocks one after the other are no mirror.
    Stage apart;
    Link &one = apart.connect(1, 2), &two = apart.connect(1, 3);
    one.login(0ms, login_of("iqn.near", 1));
    two.login(1ms, login_of("iqn.far", 2));
    for (std::uint32_t i = 1; i <= 20; ++i) {
        one.send(i * 100ms, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        one.send(i * 100ms + 10ms, to_initiator, response(i));
        two.send(i * 100ms + 20ms, to_target, with_lba(write_command(i, i, 4096, 4096), i * 8));
        two.send(i * 100ms + 30ms, to_initiator, response(i));
    }
    CHECK(apart.end(5s).mirrors.empty());
}
