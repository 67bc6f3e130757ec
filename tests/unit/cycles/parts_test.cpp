// SPDX-License-Identifier: GPL-2.0-or-later
// The containers of the room, against the standard ones.
#include "catch.h"

#include "analyzer/base/containers/fifo.h"
#include "analyzer/base/containers/flat_map.h"
#include "analyzer/cycles/early_segments.h"
#include "analyzer/cycles/gaps/gap_history.h"
#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/gaps/spacing_ring.h"
#include "analyzer/cycles/passing_bytes.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/cycles/tasks/pdu_counts.h"
#include "analyzer/cycles/tasks/task.h"

#include <algorithm>
#include <deque>
#include <rapidcheck.h>
#include <set>
#include <unordered_map>
#include <vector>

using namespace iscsiscope;

TEST_CASE("FlatMap behaves as a map") {
    REQUIRE(rc::check(
        "flat map",
        [] {
            FlatMap map;
            std::unordered_map<std::uint64_t, std::uint32_t> model;
            const auto steps =
                *rc::gen::container<std::vector<std::uint32_t>>(400, rc::gen::arbitrary<std::uint32_t>());
            for (const std::uint32_t step : steps) {
                const std::uint64_t key = std::uint64_t{step % 97} << (step % 3 == 0 ? 32 : 0);
                if (step % 5 < 3) {
                    map.set(key, step % 1000);
                    model[key] = step % 1000;
                } else {
                    map.erase(key);
                    model.erase(key);
                }
                RC_ASSERT(map.size() == model.size());
            }
            for (std::uint64_t i = 0; i < 97; ++i)
                for (const std::uint64_t key : {i, i << 32}) {
                    const auto found = model.find(key);
                    RC_ASSERT(map.find(key) == (found == model.end() ? FlatMap::none : found->second));
                }
        }));
}

TEST_CASE("SpacingRing answers as a sorted list does") {
    REQUIRE(rc::check(
        "lower quartile of the last 63",
        [] {
            const auto spacings =
                *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::arbitrary<std::uint16_t>());
            SpacingRing ring;
            std::deque<std::int64_t> model;
            for (const std::int64_t spacing : spacings) {
                if (!model.empty()) {
                    std::vector<std::int64_t> sorted(model.begin(), model.end());
                    std::sort(sorted.begin(), sorted.end());
                    const std::int64_t limit = 4 * sorted[(sorted.size() + 3) / 4 - 1];
                    for (const std::int64_t interval : {limit - 1, limit, limit + 1, spacing})
                        RC_ASSERT(ring.exceeded_by(Duration{interval}) == (interval > limit));
                }
                ring.add(Duration{spacing});
                model.push_back(spacing);
                if (model.size() > 63)
                    model.pop_front();
            }
        }));
}

TEST_CASE("PduRanges finds the PDU of a byte") {
    PduRanges ranges;
    for (std::uint64_t i = 0; i < 100; ++i)
        ranges.push(i * 100, i * 100 + 100, {static_cast<TaskIndex>(i), CycleId{i}}, PduRole::control, 0);
    for (std::uint64_t offset = 0; offset < 10000; offset += 7) {
        REQUIRE(ranges.at(offset) != nullptr);
        REQUIRE(ranges.at(offset)->cycle.number == offset / 100);
    }
    CHECK(ranges.at(10000) == nullptr);
    // Room is made by dropping what is acknowledged, not by growing.
    for (std::uint64_t i = 100; i < 1000; ++i)
        ranges.push(i * 100, i * 100 + 100, {static_cast<TaskIndex>(i), CycleId{i}}, PduRole::control,
                    i * 100);
    CHECK(ranges.at(0) == nullptr);
    CHECK(ranges.at(99950)->cycle == CycleId{999});
    // Skipped bytes belong to no PDU.
    ranges.push(100100, 100200, {1, 1}, PduRole::r2t, 0);
    CHECK(ranges.at(100050)->role == PduRole::none);
    CHECK(ranges.at(100150)->role == PduRole::r2t);
    int visited = 0;
    ranges.visit(99950, 100150, [&](const PduRange &) { ++visited; });
    CHECK(visited == 3);
}

TEST_CASE("GapHistory knows the gap time up to a moment") {
    const auto t = [](int ms) { return Time{std::chrono::milliseconds{ms}}; };
    GapHistory history;
    CHECK(history.time_before(t(5)) == Duration{});
    history.add(t(10), t(20));
    history.add(t(30), t(40));
    CHECK(history.time_before(t(10)) == Duration{});
    CHECK(history.time_before(t(15)) == std::chrono::milliseconds{5});
    CHECK(history.time_before(t(25)) == std::chrono::milliseconds{10});
    CHECK(history.time_before(t(99)) == std::chrono::milliseconds{20});
    CHECK(history.ended_by(t(20)) == 1);
    CHECK(history.ended_by(t(39)) == 1);
    CHECK(history.begun_before(t(30)) == 1);
    CHECK(history.begun_before(t(31)) == 2);
    constexpr int more = static_cast<int>(GapHistory::remembered) + 24;
    for (int i = 0; i < more; ++i)
        history.add(t(100 + i * 10), t(105 + i * 10));
    CHECK(history.time_before(t(100 + more * 10)) == std::chrono::milliseconds{20 + more * 5});
    CHECK(history.time_before(t(0)) == std::chrono::milliseconds{20 + 24 * 5}); // beyond what is remembered
}

TEST_CASE("Segments before a connection's first data are kept, with the connection as it was") {
    Connection c;
    ConnectionNotes notes;
    c.notes = &notes;
    Segment s;
    SegmentReport r;
    r.segment = &s;
    const auto next = [&](std::uint32_t payload) {
        s.frame = ++c.last_frame;
        s.payload_length = payload;
        return EarlySegments::keep(c, r);
    };
    for (int i = 0; i < 3; ++i)
        REQUIRE(next(0));
    CHECK_FALSE(next(100));
    std::vector<FrameNumber> frames, then;
    const auto release = [&] {
        EarlySegments::release(c, [&](const Connection &connection, const SegmentReport &report) {
            frames.push_back(report.segment->frame);
            then.push_back(connection.last_frame);
        });
    };
    release();
    CHECK(frames == std::vector<FrameNumber>{1, 2, 3});
    CHECK(then == frames);
    release(); // nothing is left
    CHECK(frames.size() == 3);
    for (std::size_t i = 0; i < EarlySegments::most; ++i)
        REQUIRE(next(0));
    CHECK_FALSE(next(0)); // no more than that are kept
    EarlySegments::drop(c);
    release();
    CHECK(frames.size() == 3);
}

TEST_CASE("Fifo and PduCounts") {
    Fifo<int> fifo;
    std::deque<int> model;
    for (int i = 0; i < 1000; ++i) {
        fifo.push(i);
        model.push_back(i);
        if (i % 3 != 0) {
            REQUIRE(fifo.front() == model.front());
            fifo.pop();
            model.pop_front();
        }
        REQUIRE(fifo.size() == model.size());
    }
    PduCounts counts;
    for (std::uint8_t opcode = 0; opcode < 64; ++opcode)
        for (int i = 0; i <= opcode; ++i)
            for (const PduDirection d : {PduDirection::to_target, PduDirection::to_initiator})
                counts.add(d, static_cast<Opcode>(opcode));
    const auto table = counts.table();
    for (std::uint8_t opcode = 0; opcode < 64; ++opcode) {
        REQUIRE(table[0][opcode] == opcode + 1u);
        REQUIRE(table[1][opcode] == opcode + 1u);
    }
}

TEST_CASE("an open task and its tag take 200 bytes") {
    CHECK(sizeof(Task) + 18 <= 200);
}

TEST_CASE("every name of a kind is unique") {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < gap_kind_count; ++i)
        names.insert(name(static_cast<GapKind>(i)));
    CHECK(names.size() == gap_kind_count);
    CHECK(name(GapKind::ack_held_data) == "ack_held_data");
    CHECK(name(GapKind::unclassified) == "unclassified");
    CHECK(name(TaskOutcome::no_command) == "no_command");
    CHECK(name(TaskOutcome::connection_lost) == "connection_lost");
    CHECK(name(ConnectionOutcome::open) == "open");
    CHECK(name(TaskType::control) == "control");
}

TEST_CASE("bytes that passed before a connection was known to speak iSCSI are reported with their times") {
    Connection c;
    ConnectionNotes notes;
    c.notes = &notes;
    Segment segment;
    std::uint64_t captured = 0, unseen = 0;
    std::vector<std::pair<Side, std::int64_t>> reports; // sender and time
    const auto pass = [&](Side side, std::int64_t ns, std::uint32_t bytes, bool known) {
        segment.time = time_from_ns(ns);
        SegmentReport r;
        r.segment = &segment;
        r.side = side;
        r.new_bytes = bytes;
        if (!known) {
            PassingBytes::keep(c, r);
            return;
        }
        PassingBytes::pass(c, r, [&](Side s, const StreamBytes &p) {
            captured += p.captured;
            unseen += p.unseen;
            reports.emplace_back(s, to_ns(p.time));
        });
    };
    c.ends[1].unseen_bytes = 70; // known from ACKs before its first frame, and not of its stream then
    pass(Side::opener, 1, 0, false);
    c.ends[1].unseen_bytes = 0;
    for (std::int64_t i = 0; i < 1000; ++i)
        pass(Side::opener, 10 + i, 3, false);
    pass(Side::acceptor, 2000, 0, false);
    CHECK(reports.empty());
    pass(Side::acceptor, 2001, 5, true);
    CHECK(captured == 3005);
    CHECK(unseen == 0);
    REQUIRE(reports.size() >= 2);
    REQUIRE(reports.size() <= 2 * PassingBytes::max_early);
    CHECK(reports.back() == std::pair{Side::acceptor, std::int64_t{2001}});
    reports.pop_back();
    std::erase_if(reports, [](const auto &r) { return r.first == Side::acceptor; });
    CHECK(reports.front() == std::pair{Side::opener, std::int64_t{10}});
    CHECK(std::is_sorted(reports.begin(), reports.end()));
    c.ends[0].unseen_bytes = 1200; // the frame shows that 1200 bytes of the other end passed unseen
    pass(Side::acceptor, 2002, 0, true);
    CHECK(unseen == 1200);
    c.ends[0].unseen_bytes = 1300;
    c.last_time = time_from_ns(3000);
    PassingBytes::close(c, [&](Side s, const StreamBytes &p) {
        CHECK(s == Side::opener);
        unseen += p.unseen;
    });
    CHECK(unseen == 1300);
}
