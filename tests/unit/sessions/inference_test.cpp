// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions without logins: connections of captures with their logins taken out, joined by evidence alone
// and held against what the logins say.
#include "catch.h"

#include "judging.h"
#include "stage.h"
#include "tests/support/bundle.h"

#include <iostream>
#include <random>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

// Conversations of several initiators at once, made up: what passes a tap where commands and answers of
// different connections have delays that are independent of each other.
struct Plan {
    int connections = 1;
    std::uint32_t first_number = 1, first_tag = 1;
    Duration begins{};
    int policy = 0; // 0 in turn, 1 least loaded, 2 any, 3 in long runs
    std::uint8_t initiator = 1, target = 2;
};

Score made_up(const std::vector<Plan> &plans, std::uint64_t seed, int commands, double unseen) {
    std::mt19937_64 random(seed);
    Stage stage;
    struct Event {
        std::size_t link;
        HeaderBytes header;
        PduDirection direction;
    };
    std::multimap<std::int64_t, Event> events;
    std::map<std::uint64_t, std::size_t> session_of;
    Analysed judged;
    for (std::size_t p = 0; p < plans.size(); ++p) {
        const Plan &plan = plans[p];
        std::vector<std::size_t> links;
        std::vector<std::int64_t> delay, free_at;
        for (int c = 0; c < plan.connections; ++c) {
            links.push_back(stage.links.size());
            stage.connect(plan.initiator, plan.target);
            session_of[links.back()] = p;
            delay.push_back(50'000 + static_cast<std::int64_t>(random() % 2'000'000));
            free_at.push_back(0);
        }
        std::vector<std::multiset<std::int64_t>> open(links.size());
        std::int64_t t = to_ns(plan.begins), target_knows = 0;
        for (int i = 0; i < commands * plan.connections; ++i) {
            t += 10'000 + static_cast<std::int64_t>(random() % 400'000);
            for (auto &o : open)
                o.erase(o.begin(), o.upper_bound(t));
            std::size_t c = random() % links.size();
            if (plan.policy == 0)
                c = static_cast<std::size_t>(i) % links.size();
            else if (plan.policy == 1)
                for (std::size_t k = 0; k < links.size(); ++k)
                    c = open[k].size() < open[c].size() ? k : c;
            else if (plan.policy == 3)
                c = static_cast<std::size_t>(i / 11) % links.size();
            const auto n = plan.first_number + static_cast<std::uint32_t>(i);
            const auto tag = plan.first_tag + static_cast<std::uint32_t>(i);
            // A busy connection passes it later than it was given its number.
            const std::int64_t passes =
                std::max(t + static_cast<std::int64_t>(random() % 60'000), free_at[c]);
            free_at[c] = passes + 1;
            target_knows = std::max(target_knows, passes + delay[c]); // in order only
            const std::int64_t answered =
                target_knows + delay[c] + static_cast<std::int64_t>(random() % 3'000'000);
            if (static_cast<double>(random() % 100'000) / 100'000 >= unseen)
                events.emplace(passes, Event{links[c], read_command(tag, n, 512), to_target});
            events.emplace(answered, Event{links[c], with_window(data_in(tag, 0, 512, true), n + 1, n + 128),
                                           to_initiator});
            open[c].insert(answered);
        }
    }
    for (const auto &[when, e] : events) {
        stage.links[e.link]->send(Duration{when}, e.direction, e.header);
        judged.commands[StreamId{e.link}] += e.direction == to_target ? 1 : 0;
    }
    std::map<std::uint16_t, std::size_t> by_port;
    for (std::size_t i = 0; i < stage.links.size(); ++i) {
        judged.ends[StreamId{i}] = {stage.links[i]->tcp.ends[0].endpoint,
                                    stage.links[i]->tcp.ends[1].endpoint};
        by_port[stage.links[i]->tcp.ends[0].endpoint.port] = session_of[i];
    }
    judged.figures = stage.end(Duration{events.rbegin()->first + 1'000'000});
    return judge(
        judged, [&](const Ends &a, const Ends &b) { return by_port[a.first.port] == by_port[b.first.port]; });
}

} // namespace

TEST_CASE("captures with their logins taken out") {
    Score all;
    std::vector<std::filesystem::path> paths = test::bundled_captures(), more = shared_captures();
    paths.insert(paths.end(), more.begin(), more.end());
    REQUIRE_FALSE(paths.empty());
    std::size_t captures = 0;
    for (const auto &path : paths) {
        if (std::filesystem::file_size(path) > (std::uintmax_t{3} << 20))
            continue; // one connection each: nothing to pair
        const Score s = judge_by_logins(read_frames(path));
        INFO(path.filename().string());
        CHECK(s.falsely_joined == 0);
        CHECK(s.right == s.pairs);
        all += s;
        ++captures;
    }
    std::cout << "FIGURE: pairs of connections in " << captures << " captures without logins: " << all.right
              << " of " << all.pairs << " right, " << all.together << " of one session, "
              << all.falsely_joined << " falsely joined\n";
}

TEST_CASE("two sessions in step: the capture of one, laid over itself") {
    // Equal numbers, tags and times: nothing but the time between them tells one session's connections from
    // the other's. Whatever is not certain must stay apart.
    Score all;
    for (const char *side : {"initiator", "target"}) {
        const Frames once = read_frames(test::bundled(std::string("mcs-unequal.") + side + ".pcapng.zst"));
        for (const Duration by : {Duration{0}, Duration{1us}, Duration{1ms}, Duration{10ms}, Duration{30ms},
                                  Duration{100ms}, Duration{1s}, Duration{10s}}) {
            const Frames both = merge(once, shifted(once, by, 20000));
            const Score s = judge_by_logins(both);
            INFO(side << " " << to_ns(by));
            CHECK(s.falsely_joined == 0);
            all += s;
        }
    }
    std::cout << "FIGURE: pairs of connections with a session laid over itself: " << all.falsely_joined
              << " of " << all.connection_pairs << " falsely joined\n";
}

TEST_CASE("sessions made up: many at once, with and without loss in the capture") {
    Score all, lossy;
    std::mt19937_64 random(17);
    for (std::uint64_t round = 0; round < 60; ++round) {
        std::vector<Plan> plans;
        const int count = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < count; ++i) {
            Plan p;
            p.connections = 1 + static_cast<int>(random() % 5);
            p.policy = static_cast<int>(random() % 4);
            // Counters that begin alike, or near to each other, or anywhere (over the wrap too).
            p.first_number = random() % 3 == 0   ? 1
                             : random() % 2 == 0 ? 0xffffff80u + static_cast<std::uint32_t>(random() % 200)
                                                 : static_cast<std::uint32_t>(random());
            p.first_tag = random() % 2 == 0 ? 1 : static_cast<std::uint32_t>(random() % 100'000);
            p.begins = Duration{static_cast<std::int64_t>(random() % 40'000'000)};
            p.initiator = static_cast<std::uint8_t>(1 + random() % 2);
            plans.push_back(p);
        }
        const Score s = made_up(plans, round, 60 + static_cast<int>(random() % 60), 0);
        INFO("round " << round);
        CHECK(s.falsely_joined == 0);
        all += s;
        const Score l = made_up(plans, round, 100, 0.02);
        CHECK(l.falsely_joined == 0);
        lossy += l;
    }
    std::cout << "FIGURE: pairs of made-up sessions: " << all.right << " of " << all.pairs << " right, "
              << all.together << " of one session, " << all.falsely_joined << " falsely joined\n";
    std::cout << "FIGURE: the same with 2 % of the commands not in the capture: " << lossy.right << " of "
              << lossy.pairs << " right, " << lossy.falsely_joined << " falsely joined\n";
    CHECK(all.right * 100 >= all.pairs * 99);
}

TEST_CASE("two hosts that pass for one: the same names, ISID and tags at once") {
    // Each login takes the place of the other's; their tasks' tags cross. Nothing to be right about but to
    // live.
    const Frames once = read_frames(test::bundled("mcs-unequal.initiator.pcapng.zst"));
    for (const Duration by : {Duration{0}, Duration{1ms}, Duration{30ms}}) {
        const Analysed both = analyse(merge(once, shifted(once, by, 20000, 0)), true);
        CHECK(both.ends.size() == 8);
    }
}

TEST_CASE("what is said of connections on their own") {
    Stage stage;
    Link &full = stage.connect(), &few = stage.connect(), &odd = stage.connect();
    for (std::uint32_t i = 1; i <= 60; ++i) {
        read(full, i * 10ms, 1ms, i, 500 + i);
        read(odd, i * 10ms, 1ms, i, 9000 + 2 * i);
        if (i < 5)
            read(few, i * 10ms, 1ms, i, 70 + i);
    }
    const SessionFigures f = stage.end(1s);
    REQUIRE(f.groups.size() == 3);
    CHECK(f.groups[0].by == GroupedBy::alone);
    CHECK(f.groups[0].confidence > 0.98);
    CHECK(f.group_of_stream(1)->by == GroupedBy::unassigned);
    CHECK(f.group_of_stream(1)->confidence == 0);
    CHECK(f.group_of_stream(2)->by == GroupedBy::unassigned); // holes that nobody fills
}

TEST_CASE("a session joined by its numbers has one window, one depth, one dispatch") {
    Stage stage;
    Link &a = stage.connect(), &b = stage.connect();
    for (std::uint32_t n = 1; n <= 200; ++n)
        read(n % 2 == 0 ? a : b, n * 1ms, 1500us, n, n);
    const SessionFigures f = stage.end(1s);
    REQUIRE(f.groups.size() == 1);
    CHECK(f.groups[0].by == GroupedBy::command_numbers);
    CHECK(f.groups[0].streams.size() == 2);
    CHECK(f.groups[0].confidence > 0.99);
    CHECK(f.groups[0].holes == f.groups[0].holes_filled);
    CHECK(f.windows.size() == 1);
    CHECK(f.session_depth.size() == 1);
    CHECK(f.session_depth[0].tasks == 200);
    CHECK_FALSE(f.session_depth[0].most); // the engine counted each connection apart
    CHECK(f.dispatch.at(0).policy == DispatchPolicy::round_robin);
    REQUIRE(f.throughput.at(0).totals.size() == 2);
    CHECK(f.throughput.at(0).totals[0].tasks == 100);
    CHECK(f.throughput.at(0).totals[1].tasks == 100);
}
