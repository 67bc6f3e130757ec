// SPDX-License-Identifier: GPL-2.0-or-later
// The blocks that a host wrote, in bounded memory.
#include "analyzer/sessions/faults/written_blocks.h"
#include "catch.h"

using namespace iscsiscope;

namespace {

WrittenRange write_of(std::uint64_t end, std::int64_t start, std::int64_t done, FrameNumber frame) {
    const Time from = time_from_ns(start), to = time_from_ns(done);
    return {.end = end,
            .first_start = from,
            .first_end = to,
            .last_start = from,
            .last_end = to,
            .first_frame = frame,
            .last_frame = frame};
}

} // namespace

TEST_CASE("a Write divides what it overlaps, and each part knows its first and last Write") {
    WrittenBlocks b;
    b.add(100, write_of(200, 10, 20, 1));
    b.add(150, write_of(250, 30, 40, 2));
    b.add(120, write_of(130, 50, 60, 3));
    const auto &r = b.ranges();
    REQUIRE(r.size() == 5); // 100, 120, 130, 150, 200
    CHECK(r.at(100).end == 120);
    CHECK(r.at(100).last_frame == 1);
    CHECK(r.at(120).end == 130);
    CHECK(r.at(120).first_frame == 1);
    CHECK(r.at(120).last_frame == 3);
    CHECK(r.at(130).end == 150);
    CHECK(r.at(150).end == 200);
    CHECK(r.at(150).first_frame == 1);
    CHECK(r.at(150).last_frame == 2);
    CHECK(r.at(200).end == 250);
    CHECK(r.at(200).first_frame == 2);
}

TEST_CASE("a Write over a gap fills it") {
    WrittenBlocks b;
    b.add(10, write_of(20, 1, 2, 1));
    b.add(30, write_of(40, 3, 4, 2));
    b.add(0, write_of(50, 5, 6, 3));
    std::uint64_t at = 0;
    for (const auto &[from, range] : b.ranges()) {
        CHECK(from == at);
        at = range.end;
        CHECK(range.last_frame == 3);
    }
    CHECK(at == 50);
}

TEST_CASE("Reads count for what was written before them and for Writes soon after") {
    WrittenBlocks b;
    b.read(0, 16, time_from_ns(5));
    b.add(8, write_of(16, 10, 20, 1));
    b.add(100, write_of(108, 10, 20, 2));
    b.read(96, 108, time_from_ns(30));
    CHECK(b.ranges().at(8).first_read == time_from_ns(5));
    CHECK(b.ranges().at(100).first_read == time_from_ns(30));
    CHECK(b.ranges().at(8).last_read == time_from_ns(5));
    WrittenBlocks unread;
    unread.add(8, write_of(16, 10, 20, 1));
    CHECK(unread.ranges().at(8).last_read == Time::min());
}

TEST_CASE("of many ranges the same regions are kept whoever wrote them, and memory is bounded") {
    WrittenBlocks one, other;
    for (std::uint64_t n = 0; n < 20000; ++n) {
        const std::uint64_t from = n * 5000;
        one.add(from,
                write_of(from + 8, static_cast<std::int64_t>(n), static_cast<std::int64_t>(n) + 1, n + 1));
        const std::uint64_t back = (19999 - n) * 5000;
        other.add(back,
                  write_of(back + 8, static_cast<std::int64_t>(n), static_cast<std::int64_t>(n) + 1, n + 1));
        REQUIRE(one.ranges().size() <= WrittenBlocks::max_ranges);
    }
    REQUIRE(one.ranges().size() > WrittenBlocks::max_ranges / 8);
    CHECK(one.ranges().contains(0)); // the first regions always
    std::size_t same = 0;
    for (const auto &[from, range] : one.ranges())
        same += other.ranges().contains(from) ? 1 : 0;
    CHECK(same == std::min(one.ranges().size(), other.ranges().size()));
}

TEST_CASE("Writes of no length, of any length and at the end of the address space") {
    WrittenBlocks b;
    b.add(5, write_of(5, 1, 2, 1));
    CHECK(b.ranges().empty());
    b.add(0, write_of(~std::uint64_t{0}, 1, 2, 1));
    CHECK(b.ranges().rbegin()->second.end == WrittenBlocks::max_blocks);
    b.add(~std::uint64_t{0} - 3, write_of(~std::uint64_t{0}, 1, 2, 1));
    CHECK(b.ranges().size() <= WrittenBlocks::max_ranges);
    // More ranges in the first two regions than there is room for.
    for (std::uint64_t n = 0; n < 4096; ++n)
        b.add(n, write_of(n + 1, static_cast<std::int64_t>(n) + 3, static_cast<std::int64_t>(n) + 4, n + 2));
    CHECK(b.ranges().size() <= WrittenBlocks::max_ranges + 2);
}
