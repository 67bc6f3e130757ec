// SPDX-License-Identifier: GPL-2.0-or-later
// tcp_grid [--strip-timestamps] [--details]: reads lines "FOLDER SENDER CONTROL DELAY LOSS BUFFERS", one for
// each run of grid.toml, and prints the table of the congestion window's errors with the totals held against
// the bars. SENDER: initiator (Writes) or target (Reads). --strip-timestamps: as if neither end used them;
// a run that did not is judged by the same bars. --details: what the samples say held the sender, by row.
#include "table.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>

namespace {

using namespace iscsiscope::test;

struct Run {
    std::string folder, sender, control, delay, loss, buffers;
};

constexpr const char *taps[] = {"sender", "before", "behind", "receiver"};
constexpr int label_width = 46;

bool verdict(const char *what, double figure, const char *sign, double bar) {
    const bool below = *sign == '<';
    const bool holds = figure != figure ? false : below ? figure <= bar : figure >= bar;
    std::printf("  %-62s %6.1f %%  (bar: %s %.0f %%)  %s\n", what, 100 * figure,
                below ? "at most" : "at least", 100 * bar, holds ? "pass" : "FAIL");
    return holds;
}

void print_states(const std::string &name, const Accuracy &a) {
    static constexpr const char *states[] = {"open", "recovery", "loss"};
    std::printf("  %-6s", name.c_str());
    for (std::size_t s = 0; s < 3; ++s) {
        if (a.rows_in[s] > 0)
            std::printf(" %s %.1f %% of %zu (below %.1f, above %.1f);", states[s],
                        100 * share(a.inside_in[s], a.rows_in[s]), a.rows_in[s],
                        100 * share(a.below_in[s], a.rows_in[s]),
                        100 * share(a.rows_in[s] - a.inside_in[s] - a.below_in[s], a.rows_in[s]));
    }
    std::printf("\n");
}

// The bars of the congestion window over pooled rows.
unsigned judge(const std::string &group, const Accuracy &a, bool timestamps, bool loss) {
    std::printf("%s: %zu rows\n", group.c_str(), a.rows());
    unsigned failed = 0;
    if (a.limited_estimated > 0) {
        failed += verdict("error where cwnd-limited, median", quantile(a.errors, 0.5), "<",
                          timestamps ? 0.02 : 0.10)
                      ? 0
                      : 1;
        if (timestamps)
            failed +=
                verdict("error where cwnd-limited, p90", quantile(a.errors, 0.9), "<", loss ? 0.15 : 0.10)
                    ? 0
                    : 1;
        failed += verdict("width of the bounds by what they may be, median", quantile(a.allowed, 0.5), "<", 1)
                      ? 0
                      : 1;
    } else {
        std::printf("  no estimate where cwnd-limited (%zu rows are)\n", a.limited);
    }
    failed += verdict("inside the bounds, all states", share(a.inside(), a.rows()), ">", 0.95) ? 0 : 1;
    return failed;
}

} // namespace

int main(int argc, char **argv) {
    bool strip = false, details = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--strip-timestamps") == 0)
            strip = true;
        else if (std::strcmp(argv[i], "--details") == 0)
            details = true;
        else {
            std::fprintf(stderr, "usage: tcp_grid [--strip-timestamps] [--details] < RUNS\n");
            return 2;
        }
    }
    std::map<std::pair<std::string, bool>, Accuracy> groups; // tap, with loss
    std::map<std::string, Accuracy> controls;
    Accuracy all;
    bool timestamps = false;
    std::size_t rows = 0, rows_outside = 0, rows_off = 0; // of the table
    print_heading(label_width);
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        Run r;
        if (!(in >> r.folder >> r.sender >> r.control >> r.delay >> r.loss >> r.buffers))
            continue;
        const bool writes = r.sender == "initiator";
        const std::string cell =
            (writes ? "write " : "read  ") + r.control + " " + r.delay + " loss " + r.loss + " " + r.buffers;
        std::vector<TcpInfoRow> truth;
        CaptureSamples at_sender;
        for (const char *tap : taps) {
            std::string file = tap;
            if (file == "sender")
                file = r.sender;
            else if (file == "receiver")
                file = writes ? "target" : "initiator";
            CaptureSamples samples = read_samples(r.folder + "/grid." + file + ".pcapng", strip);
            if (!samples.error.empty()) {
                std::printf("%-*s %s\n", label_width, (cell + " " + tap).c_str(), samples.error.c_str());
                continue;
            }
            const bool sender = std::strcmp(tap, "sender") == 0;
            if (sender) {
                at_sender = samples;
                truth = read_truth(r.folder + "/grid.truth.jsonl", r.sender, samples.sender_port);
            }
            for (const auto &s : samples.samples)
                timestamps = timestamps || s.anchor == iscsiscope::Anchor::timestamp;
            const Accuracy a = compare(samples.samples, truth, sender ? nullptr : &at_sender.samples);
            print_row(cell + " " + tap, label_width, a);
            if (details)
                std::printf("    limits: %s; where cwnd-limited: %s\n", label_shares(a.labels).c_str(),
                            label_shares(a.labels_limited).c_str());
            std::fflush(stdout);
            ++rows;
            rows_outside += share(a.inside(), a.rows()) < 0.95 ? 1 : 0;
            const double median = quantile(a.errors, 0.5);
            rows_off += median > (timestamps ? 0.02 : 0.10) ? 1 : 0;
            groups[{tap, r.loss != "0"}].add(a);
            controls[r.control].add(a);
            all.add(a);
        }
    }
    if (all.rows() == 0) {
        std::printf("no run\n");
        return 1;
    }
    std::printf("\nTotals\n");
    print_heading(label_width);
    for (const auto &[control, a] : controls)
        print_row(control + ", all taps", label_width, a);
    for (const char *tap : taps) {
        for (const bool loss : {false, true})
            if (const auto g = groups.find({tap, loss}); g != groups.end())
                print_row(std::string(tap) + (loss ? ", loss set" : ", no loss set"), label_width, g->second);
    }
    print_row("all", label_width, all);
    std::printf("inside the bounds by the kernel's state\n");
    for (const auto &[control, a] : controls)
        print_states(control, a);
    print_states("all", all);
    std::printf("rows with a number: %zu, of which where cwnd-limited %zu\n", all.numbers,
                all.limited_estimated);
    std::printf(
        "of %zu rows of the table by themselves: %zu with under 95 %% inside, %zu with a median error above "
        "the bar\n",
        rows, rows_outside, rows_off);
    std::printf("\nAgainst the bars, timestamps %s\n", timestamps ? "in use" : "not in use");
    unsigned failed = 0;
    for (const char *tap : taps) {
        for (const bool loss : {false, true}) {
            if (const auto g = groups.find({tap, loss}); g != groups.end())
                failed += judge(std::string("tap ") + tap + (loss ? ", loss set" : ", no loss set"),
                                g->second, timestamps, loss);
        }
    }
    for (const auto &[control, a] : controls) {
        std::printf("%s, all taps: %zu rows\n", control.c_str(), a.rows());
        failed += verdict("inside the bounds, all states", share(a.inside(), a.rows()), ">", 0.95) ? 0 : 1;
    }
    std::printf("%u bars missed\n", failed);
    return failed == 0 ? 0 : 1;
}
