// SPDX-License-Identifier: GPL-2.0-or-later
// From which file a connection is taken, what clocks show, and acknowledgments that come before their data
// (analyzer/pipeline/merge/merged_connections.h, held_segments.h).
#include "catch.h"

#include "analyzer/pipeline/merge/merged_connections.h"

#include <string>

using namespace iscsiscope;

namespace {

// Segments of a connection between port 1000 (direction 0) and port 3260.
class Wire {
public:
    explicit Wire(std::size_t files) : connections(files) { summary.files.resize(files); }

    // bytes: of payload, first at `sequence`. id: IP identification; 0: none.
    void send(std::size_t file, int us, bool answer, std::uint32_t sequence, std::uint32_t bytes,
              std::uint32_t ack, std::uint16_t id, std::uint32_t sack_to = 0) {
        Segment s;
        s.frame = ++frame;
        s.time = time_from_ns(1'000'000'000'000 + std::int64_t{us} * 1000);
        s.source.port = answer ? 3260 : 1000;
        s.destination.port = answer ? 1000 : 3260;
        s.sequence = sequence;
        s.acknowledgment = ack;
        s.flags = tcp_ack;
        s.options.sack_count = sack_to != 0 ? 1 : 0;
        s.options.sack[0] = {sack_to - 10, sack_to};
        s.has_ip_id = id != 0;
        s.ip_id = id;
        const std::vector<std::byte> payload(bytes, static_cast<std::byte>(frame));
        s.payload_length = bytes;
        s.payload = payload;
        connections.add(s, file, out);
    }
    MergeSummary finish() {
        connections.finish(out);
        connections.sum_up(summary);
        return summary;
    }

    MergedConnections connections;
    MergeSummary summary;
    FrameNumber frame = 0;
    std::vector<FrameNumber> taken;  // frames that were given out
    std::vector<std::int64_t> times; // and their times, in ns
    bool payload_right = true;
    HeldSegments::Out out = [this](const Segment &s) {
        taken.push_back(s.frame);
        times.push_back(to_ns(s.time) - 1'000'000'000'000);
        for (const std::byte b : s.payload)
            payload_right = payload_right && b == static_cast<std::byte>(s.frame);
        payload_right = payload_right && s.payload.size() == s.payload_length;
    };
};

std::vector<FrameNumber> up_to(FrameNumber n) {
    std::vector<FrameNumber> all;
    for (FrameNumber i = 1; i <= n; ++i)
        all.push_back(i);
    return all;
}

} // namespace

TEST_CASE("directions in two files are both taken", "[merge]") {
    Wire w(2);
    for (std::uint32_t i = 0; i < 20; ++i) {
        w.send(0, static_cast<int>(i) * 100, false, i * 10, 10, i * 5, static_cast<std::uint16_t>(i + 1));
        w.send(1, static_cast<int>(i) * 100 + 50, true, i * 5, 5, i * 10 + 10,
               static_cast<std::uint16_t>(i + 1));
    }
    const MergeSummary s = w.finish();
    CHECK(w.taken == up_to(40));
    CHECK((s.clocks.empty() && s.same.empty()));
}

TEST_CASE("the queues of an adapter, in a file each, are all taken", "[merge]") {
    Wire w(2); // a direction moves from one file to the other and back, without a copy
    for (std::uint32_t i = 0; i < 20; ++i)
        w.send(i / 5 % 2, static_cast<int>(i) * 100, false, i * 10, 10, 0, static_cast<std::uint16_t>(i + 1));
    CHECK(w.finish().files[1].left_out == 0);
    CHECK(w.taken == up_to(20));
}

TEST_CASE("of two taps one is taken, also where a direction passes the other first", "[merge]") {
    // File 0 is at the initiator, file 1 2 ms away at the target; the answers pass file 1 first.
    Wire w(2);
    w.connections.has_both_directions(0);
    w.connections.has_both_directions(1);
    std::vector<FrameNumber> own;
    for (std::uint32_t i = 0; i < 20; ++i) {
        const int at = static_cast<int>(i) * 10'000;
        const auto id = static_cast<std::uint16_t>(i + 1);
        own.push_back(w.frame + 1);
        w.send(0, at, false, i * 10, 10, i * 5, id);
        w.send(1, at + 2000, false, i * 10, 10, i * 5, id);
        w.send(1, at + 3000, true, i * 5, 5, i * 10 + 10, id);
        own.push_back(w.frame + 1);
        w.send(0, at + 5000, true, i * 5, 5, i * 10 + 10, id);
    }
    const MergeSummary s = w.finish();
    CHECK(w.taken == own);
    CHECK(s.files[1].left_out == 40);
    REQUIRE(s.same.size() == 1);
    CHECK(s.same[0].apart == std::chrono::microseconds(2000));
    CHECK(s.same[0].later == Duration{});
    CHECK(s.clocks.empty());
}

TEST_CASE("a direction that the connection's own file lacks is taken from the other tap", "[merge]") {
    Wire w(2); // file 0 has both directions of other connections, but not of this one
    w.connections.has_both_directions(0);
    std::size_t answers = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
        const auto id = static_cast<std::uint16_t>(i + 1);
        w.send(0, static_cast<int>(i) * 100, false, i * 10, 10, i * 5, id);
        w.send(1, static_cast<int>(i) * 100 + 20, false, i * 10, 10, i * 5, id);
        w.send(1, static_cast<int>(i) * 100 + 50, true, i * 5, 5, i * 10 + 10, id);
    }
    w.finish();
    for (const FrameNumber f : w.taken)
        answers += f % 3 == 0 ? 1 : 0;
    CHECK(w.taken.size() - answers == 200); // no copy
    CHECK(answers == 200 - 64);             // after as many as the decision needs
}

TEST_CASE("an acknowledgment waits for its data, and with its payload", "[merge]") {
    Wire w(2);
    w.send(0, 0, false, 100, 10, 500, 1);
    w.send(1, 20, true, 500, 5, 110, 1);
    w.send(1, 100, true, 505, 5, 120, 2); // answers 110..120, which comes 40 µs later
    w.send(1, 110, true, 510, 5, 120, 3); // behind it
    w.send(0, 140, false, 110, 10, 505, 2);
    w.send(1, 5000, true, 515, 5, 130, 4); // its data never comes
    w.send(0, 6500, false, 130, 10, 520, 3);
    w.send(1, 6550, true, 520, 5, 140, 5);
    CHECK(w.finish().clocks.empty()); // differences of capture points
    CHECK(w.taken == std::vector<FrameNumber>{1, 2, 5, 3, 4, 6, 7, 8});
    // With the time of the data; frame 6, which waits in vain, keeps its own.
    CHECK(w.times ==
          std::vector<std::int64_t>{0, 20'000, 140'000, 140'001, 140'001, 5'000'000, 6'500'000, 6'550'000});
    CHECK(w.payload_right);
}

TEST_CASE("an acknowledgment waits for data that fills a hole", "[merge]") {
    Wire w(2);
    w.send(0, 0, false, 100, 10, 500, 1);
    w.send(1, 20, true, 500, 5, 110, 1);
    for (std::uint32_t i = 2; i < 30;
         i += 2) // 110..120 is lost on the way to the tap, more is sent behind it
        w.send(0, 20 + static_cast<int>(i), false, 100 + i * 10, 20, 505, static_cast<std::uint16_t>(i));
    const FrameNumber before = w.frame;
    w.send(1, 100, true, 505, 0, 400, 0);
    w.send(0, 140, false, 110, 10, 505, 99);
    w.send(1, 150, true, 505, 0, 400, 0);
    w.send(1, 200, true, 505, 0, 400, 0, 420); // reports 410..420, which comes next, behind another hole
    w.send(0, 210, false, 410, 10, 505, 100);
    w.finish();
    std::vector<FrameNumber> expected = up_to(before);
    expected.insert(expected.end(), {before + 2, before + 1, before + 3, before + 5, before + 4});
    CHECK(w.taken == expected);
}

TEST_CASE("when a file ends, one from the same place takes over, one from another does not", "[merge]") {
    for (const int way : {0, 2000}) {
        Wire w(2);
        for (std::uint32_t i = 0; i < 20; ++i) {
            const int at = static_cast<int>(i) * 10'000;
            const auto id = static_cast<std::uint16_t>(i + 1);
            if (i == 10)
                w.connections.ended(0);
            if (i < 10)
                w.send(0, at, false, i * 10, 10, i * 5, id);
            w.send(1, at + way, false, i * 10, 10, i * 5, id);
        }
        w.finish();
        CHECK(w.taken.size() == (way == 0 ? 20 : 10));
    }
}

TEST_CASE("a clock is behind by what acknowledgments come too early", "[merge]") {
    for (const std::size_t file : {std::size_t{0}, std::size_t{1}}) {
        Wire w(2); // the answers, 200 µs after their question, are stamped 300 ms too early
        const int early = 300'000;
        std::vector<std::pair<int, std::uint32_t>> order;
        for (std::uint32_t i = 0; i < 2000; ++i) {
            order.emplace_back(static_cast<int>(i) * 1000, 2 * i);
            order.emplace_back(static_cast<int>(i) * 1000 + 200 - early, 2 * i + 1);
        }
        std::sort(order.begin(), order.end());
        for (const auto &[us, n] : order) {
            const std::uint32_t i = n / 2;
            if (n % 2 == 0)
                w.send(1 - file, us, false, i * 10, 10, 7, static_cast<std::uint16_t>(i + 1));
            else
                w.send(file, us, true, 7, 0, i * 10 + 10, 0);
        }
        const MergeSummary s = w.finish();
        CHECK(w.taken.size() == 4000);
        REQUIRE(s.clocks.size() == 1);
        CHECK(s.clocks[0].file == file);
        CHECK(s.clocks[0].other == 1 - file);
        CHECK(s.clocks[0].least <= std::chrono::microseconds(early - 200));
        CHECK(s.clocks[0].least >= std::chrono::microseconds(early - 20'000));
    }
}

TEST_CASE("data that the capture lacks, or that is sent again, is no sign of a clock", "[merge]") {
    Wire w(2);
    for (std::uint32_t i = 0; i < 100; ++i) {
        const int at = static_cast<int>(i) * 10'000;
        w.send(1, at, true, 7, 0, i * 20 + 20, 0); // of both segments of 10, the first of which is missing
        w.send(0, at - 100, false, i * 20 + 20, 0, 7, 0);
        w.send(0, at + 5000, false, i * 20 + 20, 10, 7, static_cast<std::uint16_t>(i + 1));
    }
    CHECK(w.finish().clocks.empty());
}

TEST_CASE("what waits is bounded", "[merge]") {
    Wire w(2);
    w.send(0, 0, false, 100, 10, 500, 1);
    w.send(1, 1, true, 500, 5, 110, 1);
    for (std::uint32_t i = 0; i < 3 * HeldSegments::max_segments; ++i)
        w.send(1, 2, true, 505 + i, 1, 120, 0);
    CHECK(w.taken.size() > 2 * HeldSegments::max_segments);
    w.finish();
    CHECK(w.taken == up_to(2 + 3 * HeldSegments::max_segments));
}
