// SPDX-License-Identifier: GPL-2.0-or-later
// Great steps of a capture's clock (analyzer/capture/clock_steps.h).
#include "catch.h"

#include "analyzer/capture/clock_steps.h"
#include "files.h"

using namespace iscsiscope;
using namespace capture_test;

namespace {

constexpr std::uint32_t year = 365 * 86400, y2026 = 1'795'000'000;

ReadFile stamped(const std::vector<std::uint32_t> &seconds) {
    Bytes image = pcap_header();
    for (std::size_t i = 0; i < seconds.size(); ++i)
        image =
            image + pcap_record(Order::little, seconds[i], static_cast<std::uint32_t>(i) * 1000, Bytes(60));
    return read_image(image);
}

std::vector<std::int64_t> times(const ReadFile &file) {
    std::vector<std::int64_t> all;
    for (const ReadFrame &f : file.frames)
        all.push_back(f.time_ns);
    return all;
}

} // namespace

TEST_CASE("a clock that is set by decades moves no time by decades", "[clock]") {
    // A host that boots in 1970, gets the time, and one damaged stamp.
    const ReadFile file = stamped({1, 1, y2026, y2026 + 1, 4'000'000'000U, y2026 + 2, 2});
    CHECK(times(file) == std::vector<std::int64_t>{1'000'000'000, 1'000'001'000, 1'000'001'000, 2'000'002'000,
                                                   2'000'002'000, 3'000'004'000, 2'000'006'000});
    REQUIRE(file.anomalies.count(AnomalyKind::time_jumped) == 4); // there, away, back, and to 1970 again
    CHECK(file.anomalies.all[0].frame == 3);
    CHECK(file.anomalies.all[0].detail == (std::int64_t{y2026} - 1) * 1'000'000'000 + 1000);
    CHECK(to_ns(*file.info.first_time) == 1'000'000'000);
    CHECK(to_ns(*file.info.last_time) == 3'000'004'000);
}

TEST_CASE("a long file and years between its files are no step", "[clock]") {
    std::vector<std::uint32_t> monthly;
    for (std::uint32_t i = 0; i < 24; ++i)
        monthly.push_back(y2026 + i * 30 * 86400);
    const ReadFile two_years = stamped(monthly);
    CHECK(two_years.anomalies.all.empty());
    CHECK(two_years.frames.back().time_ns ==
          (std::int64_t{y2026} + 23 * 30 * 86400) * 1'000'000'000 + 23'000);
    CHECK(stamped({y2026 + 3 * year}).anomalies.all.empty()); // each file has its own clock
}

TEST_CASE("hostile stamps add up to ten years at the most", "[clock]") {
    std::vector<std::uint32_t> seconds;
    for (std::uint32_t i = 0; i < 12; ++i)
        seconds.push_back(y2026 + i * year);
    const ReadFile file = stamped(seconds);
    CHECK(file.anomalies.count(AnomalyKind::time_jumped) > 0);
    CHECK(*file.info.last_time - *file.info.first_time <= ClockSteps::longest_file);
}

TEST_CASE("a frame without a stamp has that of the frame before", "[clock]") {
    ClockSteps clock;
    Anomalies anomalies;
    const Time early = time_from_ns(1'000), late = time_from_ns(std::int64_t{y2026} * 1'000'000'000);
    CHECK(clock.time_of(early, 1, anomalies) == early);
    CHECK(clock.time_of(late, 2, anomalies) == early);
    CHECK(clock.time_of(late, 3, anomalies) == early);
    CHECK(anomalies.all.size() == 1);
}
