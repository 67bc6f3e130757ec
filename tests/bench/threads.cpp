// SPDX-License-Identifier: GPL-2.0-or-later
// What each part of a report takes with several threads, by the program's own counters of CPU time: what more
// processors would gain can be estimated on a machine that has few, or whose processors are not idle.
//
// usage: threads CAPTURE [N...]
//
// For each number of threads (1, 2, 4, 8, 16): CPU of each part in ns a frame; the longest share of each
// batch, the threads having taken none of each other's; and the least time by which the report is made if
// each thread has a processor, as a part of that with one thread: reading, following (with what comes before
// and behind it) and delivering are done side by side, and delivering and reading by one thread if there are
// two.
#include "analyzer/figures/read_report.h"
#include "analyzer/pipeline/batch/effort.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace iscsiscope;

struct Parts { // ns a frame
    double reading, beginning, following, longest, ending, delivering;
    double all() const { return reading + beginning + following + ending + delivering; }
    // With so many threads.
    double least(int threads) const {
        if (threads == 1)
            return all();
        const double worked = beginning + longest + ending;
        return threads == 2 ? std::max({worked, reading + delivering, all() / 2})
                            : std::max({worked, reading, delivering, all() / threads});
    }
};

Parts measure(const std::string &path, int threads) {
    Effort effort;
    ReportRequest request;
    request.files = {path};
    request.threads = threads;
    request.effort = &effort;
    const auto report = read_report(request);
    if (!report.ok()) {
        std::fprintf(stderr, "threads: %s\n", report.failure().message.c_str());
        std::exit(2);
    }
    const auto frames = static_cast<double>(std::max<std::uint64_t>(1, report.value().capture.info.frames));
    const auto a_frame = [frames](Duration d) { return static_cast<double>(d.count()) / frames; };
    return {a_frame(effort.reading), a_frame(effort.beginning), a_frame(effort.following),
            a_frame(effort.longest), a_frame(effort.ending),    a_frame(effort.delivering)};
}

// Each part's least of some runs: others at work only add.
Parts of_several_runs(const std::string &path, int threads) {
    constexpr int runs = 3;
    Parts least = measure(path, threads);
    for (int run = 1; run < runs; ++run) {
        const Parts p = measure(path, threads);
        for (double Parts::*part : {&Parts::reading, &Parts::beginning, &Parts::following, &Parts::longest,
                                    &Parts::ending, &Parts::delivering})
            least.*part = std::min(least.*part, p.*part);
    }
    return least;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: threads CAPTURE [N...]\n");
        return 2;
    }
    std::vector<int> counts;
    for (int i = 2; i < argc; ++i)
        counts.push_back(std::clamp(std::atoi(argv[i]), 1, max_threads));
    if (counts.empty())
        counts = {1, 2, 4, 8, 16};
    std::printf("ns a frame, CPU, the least of 3 runs each\n%7s %8s %9s %9s %8s %7s %10s %8s %13s\n",
                "threads", "reading", "beginning", "following", "longest", "ending", "delivering", "all",
                "least of one");
    const Parts one = of_several_runs(argv[1], 1);
    for (const int n : counts) {
        const Parts p = n == 1 ? one : of_several_runs(argv[1], n);
        std::printf("%7d %8.1f %9.1f %9.1f %8.1f %7.1f %10.1f %8.1f %13.2f\n", n, p.reading, p.beginning,
                    p.following, p.longest, p.ending, p.delivering, p.all(), p.least(n) / one.all());
    }
    return 0;
}
