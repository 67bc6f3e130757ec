// SPDX-License-Identifier: GPL-2.0-or-later
// The parts behind `papers` that need no network: plots, figures from records, published data, the margin of
// the tuner.
#include "catch.h"

#include "sample-captures/testbed/initiator/workload/parallelism_tuner.h"
#include "sample-captures/testbed/papers/lab/measure.h"
#include "sample-captures/testbed/papers/lab/plot.h"
#include "sample-captures/testbed/papers/lab/study.h"
#include "sample-captures/testbed/papers/page/page.h"
#include "sample-captures/testbed/papers/page/published.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace iscsiscope::testbed::papers;
using iscsiscope::CycleRecord;
using iscsiscope::Duration;
using iscsiscope::time_from_ns;
using iscsiscope::testbed::initiator::ParallelismTuner;

namespace {

std::size_t count(const std::string &text, const std::string &what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++n;
    return n;
}

CycleRecord cycle(std::int64_t start, std::int64_t end, std::uint64_t bytes, std::int64_t idle) {
    CycleRecord record;
    record.start = time_from_ns(start);
    record.end = time_from_ns(end);
    record.response_time = record.cycle_time = Duration{end - start};
    record.idle = Duration{idle};
    record.idle_gaps = 2;
    record.bytes_moved = bytes;
    return record;
}

} // namespace

TEST_CASE("ticks are round, evenly spaced, and none lies outside") {
    CHECK(axis_ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(axis_ticks(0, 1, 4) == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
    CHECK(axis_ticks(3, 3, 4) == std::vector<double>{3});
    for (const double high : {0.013, 0.7, 3.0, 47.0, 96.9, 12345.0}) {
        const auto ticks = axis_ticks(0, high, 6);
        CHECK(ticks.size() >= 4);
        CHECK(ticks.size() <= 9);
        CHECK(ticks.back() <= high * (1 + 1e-9));
        for (std::size_t i = 1; i < ticks.size(); ++i)
            CHECK(ticks[i] - ticks[i - 1] == Approx(ticks[1] - ticks[0]));
    }
    CHECK(tick_text(12345, 5) == "12,345");
    CHECK(tick_text(7.5, 2.5) == "7.5");
    CHECK(tick_text(0.25, 0.25) == "0.25");
    CHECK(tick_text(0.5, 0.5) == "0.5");
    CHECK(tick_text(2, 2) == "2");
}

TEST_CASE("a plot has its curves, labels and escaped text") {
    Plot plot{"a < b & c", "delay, ms", "rate, MB/s", {}, false, false, {}, {}, {}};
    plot.curves.push_back({"one", Source::published, {{0, 0}, {10, 100}}, 0, false, false, false});
    plot.curves.push_back({"two", Source::measured, {{0, 50}, {10, 100}}, 1, false, false, false});
    plot.curves.push_back({"three", Source::model, {{0, 0}, {10, 100}}, 2, false, false, false});
    const std::string text = svg(plot);
    CHECK(text.find("a &lt; b &amp; c") != std::string::npos);
    CHECK(text.find("a < b") == std::string::npos);
    CHECK(text.find(">delay, ms<") != std::string::npos);
    CHECK(text.find(">rate, MB/s<") != std::string::npos);
    CHECK(text.find("two (measured)") != std::string::npos);
    // Two points and the legend's sample each; a model has no marks.
    CHECK(count(text, "<circle") == 3);
    CHECK(count(text, "class=\"mark published") == 3);
    CHECK(count(text, "class=\"line") == 6);
    // The greatest x lies at the right edge of the axes, the least at their left.
    CHECK(text.find("cx=\"66.0\"") != std::string::npos);
    CHECK(text.find("cx=\"702.0\"") != std::string::npos);
    plot.curves.clear();
    CHECK(svg(plot).find("nothing was measured") != std::string::npos);
}

TEST_CASE("an axis begins at zero, and a logarithmic one has its decades") {
    Plot plot{"t", "x", "y", {}, false, false, {}, 100.0, {}};
    plot.curves.push_back({"", Source::measured, {{1, 50}}, 0, true, false, false});
    // 50 of 100 lies halfway between the axes' bottom (334) and top (34).
    CHECK(svg(plot).find("cy=\"184.0\"") != std::string::npos);
    plot.log_x = true;
    plot.curves[0].points = {{1, 1}, {10, 1}, {100, 1}};
    const std::string text = svg(plot);
    CHECK(text.find("cx=\"384.0\"") != std::string::npos); // 10, in the middle
}

TEST_CASE("means, medians and rates of cycles") {
    const std::vector<CycleRecord> cycles = {cycle(0, 100, 1000, 90), cycle(1000, 1300, 1000, 150),
                                             cycle(2000, 2200, 4000, 100)};
    const CycleMeans means = means_of(cycles);
    CHECK(means.count == 3);
    CHECK(means.cycle_s == Approx(200e-9));
    CHECK(means.idle_share() == Approx(340.0 / 600));
    CHECK(means.bytes == Approx(2000));
    CHECK(median_seconds(cycles, &CycleRecord::cycle_time) == Approx(200e-9));
    CHECK(rate_between(cycles, time_from_ns(0), time_from_ns(1300)) ==
          Approx(1000 / 1300e-9)); // the end is outside
    CHECK(rate_of(cycles) == Approx(6000 / 2201e-9));
    CHECK(without_first(cycles, 2).size() == 1);
    CHECK(without_first(cycles, 9).empty());
    CHECK(rate_of({}) == 0);
    CHECK(means_of({}).idle_share() == 0);
}

TEST_CASE("every study's published figures can be read") {
    for (const Study &study : all_studies()) {
        const std::string path = std::string(ISCSISCOPE_SOURCE_DIR) +
                                 "/sample-captures/scenarios/papers/published/" + std::string(study.name) +
                                 ".json";
        CAPTURE(path);
        const auto loaded = Published::load(path);
        REQUIRE(loaded.ok());
        CHECK(!loaded.value().source().empty());
    }
    const auto loaded = Published::load(std::string(ISCSISCOPE_SOURCE_DIR) +
                                        "/sample-captures/scenarios/papers/published/apt.json");
    const Published &paper = loaded.value();
    CHECK(paper.value("n_converged") == 47);
    CHECK(paper.missing().empty());
    CHECK(paper.value("no such figure") == 0);
    CHECK(paper.missing() == std::vector<std::string>{"no such figure"});
    CHECK_FALSE(Published::load("/nowhere").ok());
}

TEST_CASE("a page says its verdicts, runs and circumstances") {
    StudyOutcome outcome;
    outcome.study = &all_studies().front();
    outcome.page.scale = "one to one";
    outcome.page.claims.push_back({"c", "It is <fast>.", "1", "2", "3", Verdict::in_shape, "because"});
    Run run;
    run.label = "the run";
    run.log.reasons = {"the shim stalled"};
    outcome.runs.push_back(run);
    const Circumstances where{"1.0", "Linux 9", "2 processors", "today", true};
    const std::string page = html_page(outcome, where);
    CHECK(page.find("It is &lt;fast&gt;.") != std::string::npos);
    CHECK(page.find("reproduced in shape") != std::string::npos);
    CHECK(page.find("no: the shim stalled") != std::string::npos);
    CHECK(page.find("1 runs, 0 valid") != std::string::npos);
    CHECK(page.find("Linux 9") != std::string::npos);
    const std::string json = json_of(outcome, where);
    CHECK(json.find("\"verdict\": \"reproduced in shape\"") != std::string::npos);
    CHECK(json.find("\"valid\": false") != std::string::npos);
}

TEST_CASE("with a margin the tuner ends at the near end of a plateau, noise or not") {
    // Linear to a knee, then flat but for noise of 1 %: the paper's comparison goes by chance there.
    for (const unsigned knee : {5U, 9U, 16U}) {
        unsigned good_with = 0;
        unsigned good_without = 0;
        for (unsigned seed = 0; seed < 100; ++seed) {
            for (const double margin : {0.0, 0.02}) {
                std::mt19937 random(seed);
                std::normal_distribution<double> noise(1.0, 0.005);
                ParallelismTuner tuner({4, 32, 2, 2, 2, 3, ParallelismTuner::LeftPoint::paper, margin});
                for (int i = 0; i < 500 && tuner.stage() != ParallelismTuner::Stage::settled; ++i)
                    tuner.measured(std::min(tuner.current(), knee) * 10.0 * noise(random));
                REQUIRE(tuner.stage() == ParallelismTuner::Stage::settled);
                const unsigned n = tuner.current();
                const bool good = std::min(n, knee) >= 0.97 * knee && n <= 1.5 * knee;
                (margin > 0 ? good_with : good_without) += good ? 1 : 0;
            }
        }
        CAPTURE(knee, good_with, good_without);
        CHECK(good_with >= 90);
        CHECK(good_with > good_without);
    }
}

TEST_CASE("small steps down do not add up: a margin is of the best point") {
    // G falls by 1 % for each connection taken away: with a margin of 2 % only two may go.
    ParallelismTuner tuner({16, 32, 2, 2, 1, 1, ParallelismTuner::LeftPoint::paper, 0.02});
    tuner.restart(ParallelismTuner::Step::lower);
    for (int i = 0; i < 100 && tuner.stage() != ParallelismTuner::Stage::settled; ++i)
        tuner.measured(100.0 - (16.0 - std::min(tuner.current(), 16U)));
    CHECK(tuner.current() >= 14);
    CHECK(tuner.current() <= 16);
}
