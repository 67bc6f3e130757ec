// SPDX-License-Identifier: GPL-2.0-or-later
// Each kind of figure on a conversation made by hand.
#include "catch.h"

#include "stage.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <random>

using namespace iscsiscope;
using namespace iscsiscope::test;

TEST_CASE("throughput by connection, deviation and N per interval against the definition") {
    struct Task {
        int connection;
        std::int64_t start, end;
        std::uint32_t bytes;
    };
    std::mt19937_64 random(3);
    double worst = 0;
    std::size_t rows = 0, without = 0;
    for (int round = 0; round < 20; ++round) {
        Stage stage(SessionOptions{100ms});
        std::vector<Link *> links;
        for (std::uint16_t i = 0; i < 4; ++i) {
            links.push_back(&stage.connect());
            links.back()->login(Duration{i}, login_of("iqn.t", 1, i == 0 ? 0 : 7, 7, i));
        }
        // Events in order of time: commands and answers.
        std::vector<Task> tasks;
        std::int64_t t = 5'000'000;
        const auto count = 30 + random() % 200;
        for (std::uint64_t i = 0; i < count; ++i) {
            t += static_cast<std::int64_t>(random() % 9'000'000);
            tasks.push_back(
                {static_cast<int>(random() % 4), t,
                 t + 1 + static_cast<std::int64_t>(random() % (i % 9 == 0 ? 350'000'000 : 30'000'000)),
                 static_cast<std::uint32_t>(512 * (1 + random() % 64))});
        }
        std::multimap<std::int64_t, std::pair<std::uint32_t, bool>> events;
        for (std::uint32_t i = 0; i < tasks.size(); ++i) {
            events.emplace(tasks[i].start, std::pair{i, true});
            events.emplace(tasks[i].end, std::pair{i, false});
        }
        for (const auto &[when, what] : events) {
            const Task &task = tasks[what.first];
            Link &l = *links[static_cast<std::size_t>(task.connection)];
            if (what.second)
                l.send(Duration{when}, to_target, read_command(what.first, what.first, task.bytes));
            else
                l.send(Duration{when}, to_initiator, data_in(what.first, 0, task.bytes, true, 100000));
            stage.analysis.on(PassedRecord{{at(Duration{when}), what.second ? 48u : task.bytes, 0},
                                           l.tcp.stream,
                                           what.second ? to_target : to_initiator});
        }
        const SessionFigures f = stage.end(Duration{events.rbegin()->first + 1'000'000});
        REQUIRE(f.throughput.size() == 1);
        const ThroughputFigures &got = f.throughput[0];
        const std::int64_t first = tasks.front().start, last = events.rbegin()->first, tm = 100'000'000;
        REQUIRE(to_ns(got.first) == to_ns(at(Duration{first})));
        std::size_t at = 0; // the next row
        REQUIRE(got.rows.end_interval() == static_cast<std::uint64_t>((last - first) / tm));
        for (std::uint64_t k = 0; k < got.rows.end_interval(); ++k) {
            const std::int64_t low = first + static_cast<std::int64_t>(k) * tm, high = low + tm;
            long double bytes[4] = {}, sum = 0, squares = 0;
            std::uint64_t of_tasks[4] = {};
            bool active[4] = {};
            for (const Task &task : tasks) {
                if (task.start >= low && task.start < high)
                    bytes[task.connection] += 48;
                if (task.end >= low && task.end < high) {
                    bytes[task.connection] += task.bytes;
                    of_tasks[task.connection] += task.bytes;
                }
                active[task.connection] |= task.start < high && task.end >= low;
            }
            if (bytes[0] + bytes[1] + bytes[2] + bytes[3] == 0) { // nothing happened: no row
                REQUIRE((at == got.rows.size() || got.rows[at].interval > k));
                ++without;
                continue;
            }
            REQUIRE(at < got.rows.size());
            const ThroughputRow row = got.rows[at++];
            REQUIRE(row.interval == k);
            std::size_t n = 0;
            for (int c = 0; c < 4; ++c)
                if (active[c]) {
                    ++n;
                    sum += bytes[c] / 0.1L;
                }
            REQUIRE(row.rate.members == n);
            REQUIRE(row.bytes == std::vector<std::uint64_t>(of_tasks, of_tasks + 4));
            if (n == 0)
                continue;
            const long double mean = sum / static_cast<long double>(n);
            for (int c = 0; c < 4; ++c)
                if (active[c])
                    squares += (bytes[c] / 0.1L - mean) * (bytes[c] / 0.1L - mean);
            const auto deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(n)));
            if (deviation > 0)
                worst = std::max(worst, std::abs(row.rate.deviation - deviation) / deviation);
            else
                REQUIRE(row.rate.deviation < 1e-6);
            ++rows;
        }
        REQUIRE(at == got.rows.size());
    }
    std::cout << "FIGURE: throughput deviation per interval, worst relative error over " << rows
              << " intervals: " << worst << "; " << without << " in which nothing happened have no row\n";
    CHECK(worst < 1e-9);
}

TEST_CASE("bytes count where no PDU of them is known, and make a connection active there") {
    Stage stage(SessionOptions{100ms});
    Link &known = stage.connect(), &lost = stage.connect();
    known.login(Duration{0}, login_of("iqn.t", 1, 0, 7, 0));
    lost.login(Duration{1}, login_of("iqn.t", 1, 7, 7, 1));
    const auto pass = [&](Link &l, Duration when, std::uint64_t bytes) {
        stage.analysis.on(PassedRecord{{at(when), bytes, 0}, l.tcp.stream, to_initiator});
    };
    // A Read each on both in the first interval, then one on the first connection in each interval.
    pass(known, 5ms, 4444); // of the login: before the first command
    for (int i = 0; i < 5; ++i) {
        const Duration begin = 10ms + i * 100ms;
        const auto tag = static_cast<std::uint32_t>(i);
        known.send(begin, to_target, read_command(tag, tag, 8192));
        known.send(begin + 20ms, to_initiator, data_in(tag, 0, 8192, true, 100000));
        pass(known, begin + 20ms, 8192);
    }
    lost.send(515ms, to_target, read_command(70, 5, 512));
    lost.send(516ms, to_initiator, data_in(70, 0, 512, true, 100000));
    const auto anomaly = [&](AnomalyKind kind) {
        stage.analysis.on(Anomaly{.kind = kind, .frame = 1, .stream = lost.tcp.stream, .detail = 0});
    };
    pass(lost, 520ms, 1000);
    anomaly(AnomalyKind::sync_lost);
    pass(lost, 650ms, 20000); // in the interval from 610 to 710 ms
    pass(lost, 655ms, 20000);
    anomaly(AnomalyKind::resync);
    pass(lost, 720ms, 77); // an interval without a task, with known PDUs
    known.send(715ms, to_target, read_command(90, 6, 8192));
    known.send(940ms, to_initiator, data_in(90, 0, 8192, true, 100000));
    const SessionFigures f = stage.end(1s);
    REQUIRE(f.throughput.size() == 1);
    const ThroughputFigures &t = f.throughput[0];
    REQUIRE(t.rows.size() == 8); // in the ninth interval a task is open, but nothing passes
    REQUIRE(t.rows.end_interval() == 9);
    REQUIRE(t.totals.size() == 2);
    CHECK(t.totals[0].stream_bytes == 5 * 8192);
    CHECK(t.totals[1].stream_bytes == 41077);
    CHECK(t.rows[0].rate.members == 1);
    CHECK(t.rows[0].rate.sum == Approx(81920));
    CHECK(t.rows[6].stream_bytes == std::vector<std::uint64_t>{0, 40000});
    CHECK(t.rows[6].rate.members == 1);
    CHECK(t.rows[6].rate.sum == Approx(400000));
    CHECK(t.rows[7].rate.members == 1);
    CHECK(t.rows[7].rate.sum == Approx(0).margin(1e-9));
}

TEST_CASE("depth: the area, Little's law, and what unanswered tasks add") {
    Stage stage;
    auto [a, b] = pair_of(stage);
    a->send(10ms, to_target, read_command(1, 1, 4096));
    b->send(12ms, to_target, read_command(2, 2, 4096));
    a->send(14ms, to_target, read_command(3, 3, 4096));
    a->send(20ms, to_initiator, data_in(1, 0, 4096, true));
    b->send(26ms, to_initiator, data_in(2, 0, 4096, true));
    a->send(30ms, to_initiator, data_in(3, 0, 4096, true));
    const SessionFigures f = stage.end(40ms);
    REQUIRE(f.connection_depth.size() == 2);
    REQUIRE(f.session_depth.size() == 1);
    CHECK(std::abs(f.connection_depth[0].mean_depth - 26.0 / 20) < 1e-12); // 10 + 16 ms over 20
    CHECK(f.connection_depth[0].most == 2);
    CHECK(std::abs(f.connection_depth[1].mean_depth - 1) < 1e-12);
    CHECK(f.connection_depth[1].most == 1);
    const DepthFigures &s = f.session_depth[0];
    CHECK(std::abs(s.mean_depth - 40.0 / 20) < 1e-12);
    CHECK(s.most == 3);
    CHECK(s.closed());
    CHECK(std::abs(s.littles_depth - s.mean_depth) < 1e-12);
    CHECK(s.outside_depth == 0);

    Stage open;
    Link &c = open.connect();
    c.login(0ms, login_of("iqn.t"));
    read(c, 10ms, 10ms, 1, 1);
    c.send(20ms, to_target, read_command(2, 2, 4096));
    const SessionFigures g = open.end(30ms);
    const DepthFigures &d = g.connection_depth.at(0);
    CHECK_FALSE(d.closed());
    CHECK(std::abs(d.mean_depth - 1) < 1e-12);
    CHECK(std::abs(d.littles_depth - 0.5) < 1e-12);
    CHECK(std::abs(d.littles_depth + d.outside_depth - d.mean_depth) < 1e-12);
}

TEST_CASE("the command window: closed, with work waiting, as the initiator had it") {
    const auto run = [](Duration rtt_to_initiator) {
        // Tap delays: commands pass half a loop after they were sent, answers half a loop before they come.
        const Duration d = rtt_to_initiator / 2;
        Stage stage;
        Link &l = stage.connect();
        l.login(0ms, login_of("iqn.t"));
        l.tcp.ends[0].rtt.minimum = rtt_to_initiator;
        l.send(10ms + d, to_target, read_command(1, 1, 512));
        l.send(20ms - d, to_initiator, with_window(data_in(1, 0, 512, true), 2, 3)); // 2 and 3 allowed
        l.send(20ms + d, to_target, read_command(2, 2, 512));
        l.send(21ms + d, to_target, read_command(3, 3, 512));                        // closed at 21 ms
        l.send(30ms - d, to_initiator, with_window(data_in(2, 0, 512, true), 4, 4)); // open at 30: 4
        l.send(30ms + d, to_target, read_command(4, 4, 512));                        // at once; closed again
        l.send(40ms - d, to_initiator, with_window(data_in(3, 0, 512, true), 5, 6)); // open at 40
        l.send(50ms + d, to_target, read_command(5, 5, 512));                        // not at once
        l.send(60ms - d, to_initiator, with_window(data_in(4, 0, 512, true), 6, 7));
        return stage.end(70ms);
    };
    for (const Duration loop : {Duration{0}, Duration{4ms}}) {
        const SessionFigures f = run(loop);
        REQUIRE(f.windows.size() == 1);
        const WindowFigures &w = f.windows[0];
        CHECK(to_ns(w.closed) == to_ns(Duration{19ms}));
        CHECK(w.closings == 2);
        CHECK(to_ns(w.closed_waiting) == to_ns(Duration{9ms}));
        CHECK(w.closings_waiting == 1);
        CHECK(to_ns(w.longest) == to_ns(Duration{9ms}));
        CHECK(w.smallest == 0);
        CHECK(w.largest == 2);
        // 2 of 20..20, 1 until 21, 0 until 40, then 2 until 50, 1 until 60.
        const double length = static_cast<double>(to_ns(w.end - w.start)) / 1e6;
        CHECK(length == 40);
        CHECK(std::abs(w.mean - (1 + 0 + 20 + 10) / 40.0) < 1e-9);
        CHECK(row(f, Rule::command_window).broken == 0);
    }
    Stage stage;
    Link &l = stage.connect();
    l.login(0ms, login_of("iqn.t"));
    l.send(1ms, to_target, read_command(1, 1, 512));
    l.send(2ms, to_initiator, with_window(data_in(1, 0, 512, true), 2, 2));
    l.send(3ms, to_target, read_command(2, 2, 512));
    l.send(4ms, to_target, read_command(3, 3, 512)); // beyond MaxCmdSN 2
    const SessionFigures f = stage.end(5ms);
    CHECK(row(f, Rule::command_window).broken == 1);
    CHECK(row(f, Rule::command_window).first_frames.size() == 1);
}

TEST_CASE("a late command of one connection holds up the others") {
    Stage stage;
    auto [a, b] = pair_of(stage);
    read(*a, 10ms, 1ms, 1, 1);
    b->send(20ms, to_target, read_command(3, 3, 512)); // 2 has not passed
    b->send(21ms, to_target, read_command(4, 4, 512));
    a->send(27ms, to_target, read_command(2, 2, 512));
    b->send(30ms, to_initiator, with_window(data_in(3, 0, 512, true), 5, 60));
    b->send(31ms, to_initiator, with_window(data_in(4, 0, 512, true), 5, 60));
    a->send(32ms, to_initiator, with_window(data_in(2, 0, 512, true), 5, 60));
    const SessionFigures f = stage.end(40ms);
    REQUIRE(f.holds.size() == 1);
    const HoldFigures &h = f.holds[0];
    CHECK(to_ns(h.held) == to_ns(Duration{7ms}));
    CHECK(h.members.at(0).holds == 1);
    CHECK(h.members.at(1).holds == 0);
    CHECK(std::abs(h.share - 7.0 / 22) < 1e-9);

    CHECK(h.whole);

    // A number that the capture does not hold: nobody is blamed for it.
    Stage hole;
    auto [c, d] = pair_of(hole);
    read(*c, 10ms, 1ms, 1, 1);
    d->send(20ms, to_target, read_command(3, 3, 512));
    d->send(30ms, to_initiator, with_window(data_in(3, 0, 512, true), 4, 60));
    c->send(40ms, to_target, read_command(4, 4, 512));
    d->send(50ms, to_initiator, with_window(data_in(4, 0, 512, true), 5, 60));
    const SessionFigures g = hole.end(100ms);
    CHECK(to_ns(g.holds.at(0).held) == 0);
}

TEST_CASE("dispatch: round robin, least loaded, neither") {
    const auto run = [](auto choose) {
        Stage stage;
        std::vector<Link *> links;
        for (std::uint16_t i = 0; i < 3; ++i) {
            links.push_back(&stage.connect());
            links.back()->login(Duration{i}, login_of("iqn.t", 1, i == 0 ? 0 : 7, 7, i));
        }
        std::mt19937 random(5);
        std::multimap<int, std::pair<std::size_t, std::uint32_t>> ends;
        std::vector<int> open(3);
        int t = 10;
        for (std::uint32_t n = 1; n <= 200; ++n) {
            t += 1 + static_cast<int>(random() % 3);
            while (!ends.empty() && ends.begin()->first <= t) {
                const auto [c, tag] = ends.begin()->second;
                links[c]->send(std::chrono::milliseconds{ends.begin()->first}, to_initiator,
                               with_window(data_in(tag, 0, 512, true), tag + 1, tag + 100));
                --open[c];
                ends.erase(ends.begin());
            }
            const std::size_t c = choose(open, n, random);
            links[c]->send(std::chrono::milliseconds{t}, to_target, read_command(n, n, 512));
            ++open[c];
            ends.emplace(t + 2 + static_cast<int>(random() % 12), std::pair{c, n});
        }
        return stage.end(10s);
    };
    const SessionFigures turn =
        run([](const std::vector<int> &, std::uint32_t n, std::mt19937 &) { return std::size_t{n % 3}; });
    CHECK(turn.dispatch.at(0).policy == DispatchPolicy::round_robin);
    CHECK(turn.dispatch.at(0).round_robin_share == 1.0);
    const SessionFigures least = run([](const std::vector<int> &open, std::uint32_t, std::mt19937 &random) {
        const int fewest = *std::min_element(open.begin(), open.end());
        std::size_t c = random() % 3;
        while (open[c] != fewest)
            c = random() % 3;
        return c;
    });
    CHECK(least.dispatch.at(0).policy == DispatchPolicy::least_loaded);
    CHECK(least.dispatch.at(0).least_loaded_share == 1.0);
    const SessionFigures any = run([](const std::vector<int> &, std::uint32_t, std::mt19937 &random) {
        return std::size_t{random() % 3};
    });
    CHECK(any.dispatch.at(0).policy == DispatchPolicy::other);
}

TEST_CASE("paths: one LUN by its designator, by name only as a guess, and never one after the other") {
    const auto run = [](bool told, bool together) {
        Stage stage;
        Link &a = stage.connect(1, 2), &b = stage.connect(1, 3);
        a.login(0ms, login_of("iqn.t", 1));
        b.login(1ms, login_of("iqn.t", 2));
        for (std::uint32_t i = 1; i <= 30; ++i)
            read(a, i * 10ms, 1ms, i, i, 8192);
        for (std::uint32_t i = 1; i <= 10; ++i)
            read(b, (together ? 0ms : 1000ms) + i * 10ms + 5ms, 2ms, i, i, 8192);
        if (told)
            for (const SessionId session : {SessionId{0}, SessionId{1}}) {
                LunRecord l;
                l.session = session;
                l.designator = "naa.600";
                stage.analysis.on(l);
            }
        return stage.end(3s);
    };
    const SessionFigures f = run(true, true);
    REQUIRE(f.path_groups.size() == 1);
    const PathGroup &g = f.path_groups[0];
    CHECK(g.by == SameLunBy::designator);
    CHECK_FALSE(g.guess);
    CHECK(g.paths.at(0).byte_share == 0.75);
    CHECK(g.paths.at(1).tasks == 10);
    CHECK(std::abs(*g.by_tasks.jain - 1600.0 / (2 * 1000)) < 1e-12);
    CHECK(g.paths.at(1).response_time.quantile(0.5) == to_ns(Duration{2ms}));
    REQUIRE(run(false, true).path_groups.size() == 1);
    CHECK(run(false, true).path_groups[0].guess);
    CHECK(run(false, true).path_groups[0].by == SameLunBy::name_and_lun);
    CHECK(run(true, false).path_groups.empty());
}

TEST_CASE("a designator that two LUNs of one session share identifies neither") {
    Stage stage;
    Link &link = stage.connect(1, 2);
    link.login(0ms, login_of("iqn.t", 1));
    for (std::uint32_t i = 1; i <= 20; ++i) {
        link.send(i * 10ms, to_target, read_command(i, i, 512, i % 2 == 0 ? 0 : 1ULL << 48));
        link.send(i * 10ms + 1ms, to_initiator, data_in(i, 0, 512, true));
    }
    for (const std::uint64_t lun : {std::uint64_t{0}, std::uint64_t{1} << 48}) {
        LunRecord l;
        l.lun = lun;
        l.designator = "naa.60014050000000000000000000000000"; // of a serial number that was never set
        stage.analysis.on(l);
    }
    CHECK(stage.end(3s).path_groups.empty());
}

TEST_CASE("access: sequential, interleaved streams, cut requests, alignment") {
    Stage stage;
    Link &l = stage.connect();
    l.login(0ms, login_of("iqn.t"));
    // 500 KB asked at a time, sent as 127.5 KB three times and 117.5 KB: 255, 255, 255, 235 blocks.
    std::uint32_t tag = 1, lba = 0;
    for (int request = 0; request < 12; ++request)
        for (const std::uint32_t blocks : {255u, 255u, 255u, 235u}) {
            HeaderBytes h = with_lba(read_command(tag, tag, blocks * 512), lba);
            l.send(tag * 10ms, to_target, h);
            l.send(tag * 10ms + 1ms, to_initiator, data_in(tag, 0, blocks * 512, true));
            lba += blocks;
            ++tag;
        }
    const SessionFigures f = stage.end(10s);
    REQUIRE(f.access.size() == 1);
    const AccessFigures &a = f.access[0];
    CHECK(a.sequential_share() == 1.0);
    REQUIRE(a.split);
    CHECK(a.split->asked_bytes == 1000 * 512);
    CHECK(a.split->piece_bytes == 255 * 512);
    CHECK(a.split->last_bytes == 235 * 512);
    CHECK(a.split->pieces == 4);
    CHECK(a.split->requests == 12);
    CHECK(a.commands == 48);
    CHECK(a.misaligned == 48); // no length is a multiple of 4 KiB
    CHECK(a.block_length == 512);

    Stage two;
    Link &m = two.connect();
    m.login(0ms, login_of("iqn.t"));
    tag = 1;
    for (std::uint32_t i = 0; i < 50; ++i)
        for (const std::uint32_t base : {0u, 1u << 20}) {
            m.send(tag * 10ms, to_target, with_lba(read_command(tag, tag, 4096), base + i * 8));
            m.send(tag * 10ms + 1ms, to_initiator, data_in(tag, 0, 4096, true));
            ++tag;
        }
    const SessionFigures g = two.end(10s);
    CHECK(g.access.at(0).sequential_share() == 0);
    CHECK(std::abs(g.access[0].stream_share() - 98.0 / 99) < 1e-12);
    CHECK(g.access[0].misaligned == 0);
    CHECK_FALSE(g.access[0].split);
}

TEST_CASE("tables add up, whatever they are sorted by") {
    Stage stage;
    Link &a = stage.connect(1, 2), &b = stage.connect(4, 3);
    a.login(0ms, login_of("iqn.t", 1));
    for (std::uint32_t i = 1; i <= 10; ++i)
        read(a, i * 10ms, 1ms, i, i, 4096);
    for (std::uint32_t i = 1; i <= 5; ++i)
        read(b, i * 20ms, 3ms, i, i, 8192);
    const SessionFigures f = stage.end(1s);
    const TaskTables &t = f.tables;
    CHECK(t.by_initiator.at("iqn.i").count == 10);
    CHECK(t.by_initiator.at("10.0.0.4").bytes == 5 * 8192);
    CHECK(t.by_target.at("iqn.t").reads == 10);
    CHECK(t.by_size.at(size_class(8192)).response_time.quantile(0.5) == to_ns(Duration{3ms}));
    CHECK(t.by_portal.size() == 2);
    CHECK(std::abs(*t.by_initiator.at("iqn.i").iops() - 10 / 0.091) < 1e-6);
}
