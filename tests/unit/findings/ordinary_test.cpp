// SPDX-License-Identifier: GPL-2.0-or-later
// Rules over the figures of sessions, traits, remedies and what is ordinary, on facts made up for them.
#include "catch.h"

#include "analyzer/findings/rules/rule.h"
#include "analyzer/sessions/figures/session_figures.h"
#include "made_facts.h"

using namespace iscsiscope;
using namespace iscsiscope::made;

TEST_CASE("what sessions tell: paths, mirrors, alignment, splits") {
    SessionFigures s;
    PathGroup g;
    g.paths.resize(2);
    g.paths[0].tasks = 95, g.paths[0].bytes = 9500, g.paths[0].byte_share = 0.95;
    g.paths[1].tasks = 5, g.paths[1].bytes = 500, g.paths[1].byte_share = 0.05;
    g.by_bytes.jain = 0.55;
    s.path_groups.push_back(std::move(g));
    AccessFigures a;
    a.commands = 100;
    a.blocks = 12800;
    a.block_length = 512;
    a.misaligned = 90;
    a.misaligned_frames = {5, 6, 7};
    a.split = AccessFigures::Split{130560, 512000, 120320, 4, 20, 22, 9};
    s.access.push_back(std::move(a));
    const Facts f = one_connection();
    const FindingsResult r = found(f, &s);
    CHECK(r.find(FindingKind::path_imbalance) != nullptr);
    CHECK(r.find(FindingKind::misaligned_io) != nullptr);
    CHECK(r.find(FindingKind::io_split) != nullptr);
    s.path_groups[0].by_bytes.jain = 0.999;
    s.access[0].misaligned = 3;
    s.access[0].split.reset();
    CHECK(found(f, &s).findings.empty());
}

TEST_CASE("paths that share the work and differ in time") {
    SessionFigures s;
    PathGroup g;
    g.paths.resize(2);
    g.by_bytes.jain = 1;
    const auto path = [&](std::size_t i, Duration response, std::uint64_t tasks) {
        PathShare &p = g.paths[i];
        p.session = GroupId{i + 1};
        p.tasks = tasks;
        p.task_share = p.byte_share = 0.5;
        p.response_time = {};
        for (std::uint64_t k = 0; k < tasks; ++k)
            p.response_time.add(to_ns(response));
        s.path_groups = {g};
    };
    Facts f = one_connection();
    f.connections.push_back(f.connections[0]);
    for (std::size_t i = 0; i < 2; ++i) {
        f.connections[i].record.session = SessionId{i + 1};
        f.connections[i].record.rtt_to_target = i == 0 ? 1ms : 9ms;
        f.connections[i].record.rtt_to_initiator = 0ms;
    }
    path(0, 2ms, 50);
    path(1, 10ms, 50);
    const FindingsResult r = found(f, &s);
    REQUIRE(r.find(FindingKind::path_imbalance) != nullptr);
    CHECK(r.find(FindingKind::path_imbalance)->severity == Severity::problem);
    CHECK(r.find(FindingKind::path_imbalance)->session == SessionId{2});
    CHECK(r.find(FindingKind::path_imbalance)->task_time == 400ms);
    CHECK(r.find(FindingKind::path_imbalance)->sentence.find("the paths differ") != std::string::npos);
    // Equal round trips: the target or its port differs.
    f.connections[1].record.rtt_to_target = 1ms;
    CHECK(found(f, &s).find(FindingKind::path_imbalance)->sentence.find("does not explain") !=
          std::string::npos);
    // Losses on the slower path alone explain it, and stand before it.
    Facts lossy = f;
    lossy.connections[0].record.stream = StreamId{0};
    lossy.connections[1].record.stream = StreamId{1};
    own(lossy.connections[1].to_initiator).lost_behind_tap = 4;
    wait(lossy.connections[1], waits::timeout, 200ms, 4);
    const FindingsResult losses = found(lossy, &s);
    CHECK(losses.findings[0].kind == FindingKind::retransmission_timeout);
    REQUIRE(losses.find(FindingKind::path_imbalance) != nullptr);
    CHECK(losses.find(FindingKind::path_imbalance)->severity == Severity::notice);
    CHECK(losses.find(FindingKind::path_imbalance)->sentence.find("which explains it") != std::string::npos);
    // Near the target the way to the initiator is missing from the response times.
    path(1, 2ms, 50);
    CHECK(found(f, &s).find(FindingKind::path_imbalance) == nullptr);
    f.connections[1].record.rtt_to_initiator = 8ms;
    CHECK(found(f, &s).find(FindingKind::path_imbalance) != nullptr);
    path(1, 2ms, 9); // too few
    CHECK(found(f, &s).find(FindingKind::path_imbalance) == nullptr);
}

TEST_CASE("a trait never stands before a fault, and is at most a notice") {
    Facts f = one_connection();
    wait(f, waits::round_trip, 10ms, 80);
    wait(f, waits::nagle, 1ms, 30);
    const FindingsResult r = found(f);
    REQUIRE(r.findings.size() == 2);
    CHECK(r.findings[0].kind == FindingKind::nagle);
    CHECK(r.findings[1].kind == FindingKind::queue_depth);
    CHECK(r.findings[1].severity == Severity::notice);
}

TEST_CASE("no remedy asks for more commands than a session allows") {
    Facts f = one_connection();
    wait(f, waits::round_trip, 10ms, 80);
    ModelInput m;
    m.depth = 5;
    m.block = 8192;
    m.path_rate = 306e6;
    m.rtt = 26e6;
    m.rtt_known = true;
    f.connections[0].record.rtt_to_initiator = 0ms;
    f.connections[0].record.rtt_to_target = 26ms;
    m.measured_throughput = 1e6;
    f.models.push_back(m);
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::queue_depth) != nullptr);
    CHECK(r.find(FindingKind::queue_depth)->remedy.find("128 of 64 KiB would do") != std::string::npos);
}

TEST_CASE("what fills the path is the rate times the round trip that is stated") {
    Facts f = one_connection();
    wait(f, waits::round_trip, 10ms, 80);
    ModelInput m; // the mean of two paths, of which the busiest connection has the shorter one
    m.depth = 2;
    m.block = 65536;
    m.path_rate = 306e6;
    m.rtt = 26e6;
    m.rtt_known = true;
    m.measured_throughput = 1e6;
    f.connections[0].record.rtt_to_initiator = 0ms;
    f.connections[0].record.rtt_to_target = 2ms;
    f.models.push_back(m);
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::queue_depth) != nullptr);
    const std::string &sentence = r.find(FindingKind::queue_depth)->sentence;
    INFO(sentence);
    CHECK(sentence.find("(round trip 26.0 ms on average)") != std::string::npos);
    CHECK(sentence.find("Filling the path (306 MB/s) takes 7.96 MB in flight") != std::string::npos);
}

TEST_CASE("depth is missed only in a closed loop") {
    Facts f = one_connection();
    wait(f, waits::round_trip, 10ms, 80);
    TypeFacts &reads = f.types[static_cast<std::size_t>(TaskType::read)];
    reads.followed = 100;
    reads.followed_at_once = 49;
    CHECK(found(f).find(FindingKind::queue_depth) == nullptr);
    reads.followed_at_once = 50;
    CHECK(found(f).find(FindingKind::queue_depth) != nullptr);
}

TEST_CASE("a pause that is long against the others separates bursts of I/O") {
    Facts f = one_connection();
    pause(f, 2ms, 40);
    pause(f, 700ms, 1);
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::application_idle) != nullptr);
    CHECK(r.find(FindingKind::application_idle)->share == Approx(0.08 / 0.3));
}

TEST_CASE("damaged frames stand before the loss that they cause") {
    Facts f = one_connection();
    wait(f, waits::recovery, 10ms, 60);
    own(f.connections[0].to_initiator).lost_before_tap = 20;
    CHECK(found(f).find(FindingKind::data_corruption) == nullptr);
    f.anomalies[static_cast<std::size_t>(AnomalyKind::damaged_frame)] = 1;
    const FindingsResult r = found(f);
    CHECK(r.findings[0].kind == FindingKind::data_corruption);
    CHECK(r.findings[0].severity == Severity::problem);
    CHECK(r.find(FindingKind::packet_loss) != nullptr);
}

TEST_CASE("a target is slow beyond what is ordinary for its LUN") {
    const auto first = [](Duration usual, Duration late, int late_in_a_hundred) {
        Facts f = one_connection();
        wait(f, waits::target_time, late, 20);
        LunFacts &l = f.luns.emplace_back();
        for (int i = 0; i < 100; ++i) {
            const Duration service = i < late_in_a_hundred ? late : usual;
            l.service.add(to_ns(service));
            l.service_by_size[0].add(to_ns(service));
        }
        l.answered = 100;
        const FindingsResult r = found(f);
        const Finding *slow = r.find(FindingKind::slow_target);
        return slow != nullptr ? std::optional(slow->severity) : std::nullopt;
    };
    CHECK(first(12ms, 12ms, 0) == Severity::problem); // as a disk does
    CHECK(first(4ms, 15ms, 10) == Severity::notice);  // up to four times the usual time
    CHECK(first(1ms, 30ms, 10) == Severity::problem); // late answers
    CHECK_FALSE(first(1ms, 4ms, 50));                 // below 5 ms, nobody is late
    CHECK(first(1ms, 30ms, 3) == Severity::notice);   // one in twenty or fewer
    CHECK(first(1ms, 15ms, 10) == Severity::notice);  // a scheduler's tick
}

TEST_CASE("a few late answers of a quick target are those of a cold start") {
    const auto slow = [](int late) {
        Facts f = one_connection();
        wait(f, waits::target_time, 9ms, late);
        LunFacts &l = f.luns.emplace_back();
        for (int i = 0; i < 50; ++i) {
            l.service.add(to_ns(i < late ? Duration{30ms} : Duration{1ms}));
            l.service_by_size[0].add(to_ns(i < late ? Duration{30ms} : Duration{1ms}));
        }
        return found(f).find(FindingKind::slow_target) != nullptr;
    };
    CHECK_FALSE(slow(9));
    CHECK(slow(20));
}

TEST_CASE("pieces of one request that are sent at once wait for each other") {
    Facts f = one_connection();
    wait(f, waits::target_time, 30ms, 10);
    LunFacts &l = f.luns.emplace_back();
    for (int i = 0; i < 100; ++i)
        l.service.add(to_ns(Duration{32ms}));
    SessionFigures s;
    AccessFigures &a = s.access.emplace_back();
    a.commands = 100;
    a.split = AccessFigures::Split{32768, 1048576, 32768, 32, 3, 3, 9, true};
    CHECK(found(f, &s).find(FindingKind::slow_target) == nullptr);
    a.split->at_once = false;
    CHECK(found(f, &s).find(FindingKind::slow_target) != nullptr);
}

TEST_CASE("immediate data is missed where no data goes unsolicited") {
    Facts f = one_connection();
    TypeFacts &writes = f.types[static_cast<std::size_t>(TaskType::write)];
    writes.r2ts = 100;
    writes.response = 1s; // of 100: the round trip is 40 % of each
    ModelInput m;
    m.type = TaskType::write;
    m.block = 16384;
    m.unsolicited = 0;
    f.models.push_back(m);
    const Severity problem = Severity::problem;
    const auto severity = [&]() -> std::optional<Severity> {
        const FindingsResult r = found(f);
        const Finding *missed = r.find(FindingKind::no_unsolicited_data);
        return missed != nullptr ? std::optional(missed->severity) : std::nullopt;
    };
    CHECK(severity() == problem); // also where commands open at once hide each other's waits
    writes.response = 10s;
    CHECK_FALSE(severity());
    wait(f, waits::r2t_single, 4ms, 100);
    CHECK(severity() == problem);
    f.models[0].unsolicited = 8192; // the first burst does go unsolicited
    CHECK(severity() == Severity::notice);
}

TEST_CASE("a loop is closed if the host takes the same time after each task") {
    const auto closed = [](Duration shortest, Duration usual) {
        Facts f = one_connection();
        wait(f, waits::round_trip, 10ms, 80);
        TypeFacts &reads = f.types[static_cast<std::size_t>(TaskType::read)];
        reads.followed = 100;
        for (int i = 0; i < 100; ++i)
            reads.turnaround.add(to_ns(i < 20 ? shortest : usual));
        reads.followed_time = 100 * 5ms;
        return found(f).find(FindingKind::queue_depth) != nullptr;
    };
    CHECK(closed(700us, 800us));
    CHECK_FALSE(closed(100us, 800us)); // commands are issued independently of completions
    CHECK_FALSE(closed(2ms, 2ms));     // the host works for much of the cycle
}

TEST_CASE("a command window of one does not show whether commands waited") {
    Facts f = one_connection();
    wait(f, waits::command_window, 5ms, 60);
    wait(f, waits::nagle, 1ms, 30);
    SessionFigures s;
    WindowFigures &w = s.windows.emplace_back();
    w.closings_waiting = 60;
    w.closed_waiting = 600ms;
    w.closed_waiting_share = 0.6;
    w.granted_max = 2;
    CHECK(found(f, &s).findings[0].kind == FindingKind::command_window);
    CHECK(found(f, &s).findings[0].severity == Severity::problem);
    w.granted_max = 1;
    const FindingsResult r = found(f, &s);
    CHECK(r.findings[0].kind == FindingKind::nagle);
    CHECK(r.find(FindingKind::command_window)->severity == Severity::notice);
}

TEST_CASE("less is under way behind a loss, whatever the send buffer holds") {
    Facts f = one_connection();
    wait(f, waits::send_buffer, 5ms, 40);
    CHECK(found(f).findings[0].kind == FindingKind::small_send_buffer);
    own(f.connections[0].to_initiator).lost_behind_tap = 2;
    const FindingsResult r = found(f);
    CHECK(r.findings[0].kind == FindingKind::packet_loss);
    for (const RuledOut &out : r.ruled_out)
        if (out.kind == FindingKind::small_send_buffer)
            CHECK(out.why_not == "40 waits (200 ms) mid-PDU while both windows had room are counted for "
                                 "another finding: packet_loss");
}

TEST_CASE("small commands behind large ones are compared as the host has them") {
    const auto blamed = [](Duration to_initiator) {
        Facts f = one_connection();
        f.connections[0].record.rtt_to_initiator = to_initiator;
        f.head_of_line.behind = f.head_of_line.alone = 20;
        f.head_of_line.behind_time = 20 * 600us;
        f.head_of_line.alone_time = 20 * 100us;
        return found(f).find(FindingKind::head_of_line) != nullptr;
    };
    CHECK(blamed(10us));
    CHECK_FALSE(blamed(6ms)); // 6.6 and 6.1 ms
}

TEST_CASE("a window that grows with the connection is not small") {
    Facts f = one_connection();
    wait(f, waits::window_closed, 5ms, 40);
    TcpDirectionFigures &d = own(f.connections[0].to_initiator);
    d.limit_time[static_cast<std::size_t>(SendLimit::receive_window)] = 200ms;
    d.largest_window = 200000;
    d.smallest_window = 64000;
    d.first_full_window = 64000;
    d.full_windows.add(64000);
    d.full_windows.add(128000);
    CHECK(found(f).find(FindingKind::small_receive_window) == nullptr);
    for (int i = 0; i < 10; ++i)
        d.full_windows.add(200000);
    CHECK(found(f).find(FindingKind::small_receive_window) != nullptr);
}

TEST_CASE("a LUN four times as slow as another one of its session is named") {
    Facts f = one_connection();
    wait(f, waits::target_time, 8ms, 30);
    for (const std::uint64_t lun : {std::uint64_t{0}, std::uint64_t{1} << 48}) {
        LunFacts &l = f.luns.emplace_back();
        l.lun = lun;
        for (int i = 0; i < 50; ++i) {
            l.service.add(to_ns(lun == 0 ? Duration{1ms} : Duration{8ms}));
            l.service_by_size[0].add(to_ns(lun == 0 ? Duration{1ms} : Duration{8ms}));
        }
        l.answered = 50;
    }
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::slow_target) != nullptr);
    CHECK(r.find(FindingKind::slow_target)->severity == Severity::problem);
    CHECK(r.find(FindingKind::slow_target)->lun == std::uint64_t{1} << 48);
    CHECK(r.find(FindingKind::slow_target)->sentence.find("LUN 1 took 8.00 ms") != std::string::npos);
    CHECK(r.find(FindingKind::slow_target)->sentence.find("LUN 0 took 1.00 ms") != std::string::npos);
}

TEST_CASE("a slow half of a LUN's commands is named, however fast the other half is") {
    Facts f = one_connection();
    wait(f, waits::target_time, 14ms, 50);
    LunFacts &l = f.luns.emplace_back();
    for (int i = 0; i < 100; ++i) {
        const std::int64_t service = to_ns(i % 2 == 0 ? Duration{14ms} : Duration{300us});
        l.service.add(service);
        l.service_by_size[i % 2 == 0 ? 1 : LunFacts::size_classes + 1].add(service); // Reads and Writes
    }
    l.answered = 100;
    const FindingsResult r = found(f);
    const Finding *slow = r.find(FindingKind::slow_target);
    REQUIRE(slow != nullptr);
    CHECK(slow->severity == Severity::problem);
    CHECK(slow->sentence.find("LUN 0 took 14.0 ms per Read") != std::string::npos);
    CHECK(slow->sentence.find("median of 50 Reads") != std::string::npos);
}

TEST_CASE("one direction is not slow for what the target takes") {
    const auto found_with = [](Duration of_network) {
        Facts f = one_connection();
        for (const TaskType type : {TaskType::read, TaskType::write}) {
            ModelInput m;
            m.type = type;
            m.tasks = 100;
            m.block = 65536;
            m.measured_throughput = type == TaskType::read ? 1e6 : 1e8;
            m.measured_cycle = type == TaskType::read ? 65e6 : 0.65e6;
            f.models.push_back(m);
        }
        f.owners[0][Owner::target] = 700ms; // 7 ms a Read
        f.owners[0][Owner::network] = of_network;
        f.owners[1][Owner::network] = 20ms; // 0.2 ms a Write
        return found(f).find(FindingKind::one_direction_slow) != nullptr;
    };
    CHECK(found_with(80ms));
    CHECK_FALSE(found_with(50ms));
}
