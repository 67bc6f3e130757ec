// SPDX-License-Identifier: GPL-2.0-or-later
// Works of a batch in the order of their connections are a short way (docs/short-ways.md): all records, in
// the same order and with the same numbers, as those of the engine that follows each frame as it comes.
#include "catch.h"

#include "analyzer/pipeline/merge/merged_reader.h"
#include "tests/support/bundle.h"
#include "tests/support/record_lines.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace iscsiscope;

namespace {

void check_same(const std::vector<std::string> &plain, const std::vector<std::string> &others) {
    const std::string first = test::difference(plain, others);
    INFO(first);
    CHECK(first.empty());
}

} // namespace

TEST_CASE("the records of a capture are the same for any size of batches and any number of threads") {
    std::size_t captures = 0, records = 0;
    for (const auto &path : test::bundled_captures()) {
        INFO(path.string());
        const std::vector<std::string> plain = test::lines_frame_by_frame(path.string());
        REQUIRE(!plain.empty());
        records += plain.size();
        for (const std::size_t frames : {1, 7, 100, 1024})
            check_same(plain, test::lines_in_batches({path.string()}, FileUnion::joined, frames, 1));
        for (const int threads : {2, 3, 8, 16})
            check_same(plain, test::lines_in_batches({path.string()}, FileUnion::joined, 64, threads));
        ++captures;
    }
    std::printf("FIGURE: batches of 1, 7, 64, 100 and 1024 frames: %zu records of %zu captures the same\n",
                records, captures);
}

// Sessions of the same names follow and replace each other.
TEST_CASE("the records of joined captures are the same for any size of batches") {
    std::vector<std::string> paths;
    for (const auto &path : test::bundled_captures())
        if (path.string().find(".initiator.") != std::string::npos)
            paths.push_back(path.string());
    REQUIRE(paths.size() > 5);
    const std::vector<std::string> plain = test::lines_in_batches(paths, FileUnion::joined, 1, 1);
    CHECK(plain.size() > 10'000);
    for (const std::size_t frames : {5, 1000, 100'000})
        for (const int threads : {3, 8})
            check_same(plain, test::lines_in_batches(paths, FileUnion::joined, frames, threads));
}

// A merged capture holds segments back, and leaves copies out: those of both ends of the same runs, too.
TEST_CASE("the records of merged captures are the same for any size of batches") {
    std::vector<std::string> paths;
    for (const auto &path : test::bundled_captures())
        if (paths.size() < MergedReader::max_files)
            paths.push_back(path.string());
    REQUIRE(paths.size() > 10);
    const std::vector<std::string> plain = test::lines_in_batches(paths, FileUnion::merged, 1, 1);
    CHECK(plain.size() > 10'000);
    for (const std::size_t frames : {5, 1000, 100'000})
        for (const int threads : {1, 3, 8})
            check_same(plain, test::lines_in_batches(paths, FileUnion::merged, frames, threads));
}
