// SPDX-License-Identifier: GPL-2.0-or-later
// The runs of study 4 and what the analyzer reports of them.
#pragma once

#include "sample-captures/testbed/papers/lab/lab.h"
#include "sample-captures/testbed/papers/lab/plot.h"

#include <map>
#include <vector>

namespace iscsiscope::testbed::papers {

constexpr unsigned most_connections = 32;
// T_m is 5 s in the paper, where a Read takes 0.39 s at the N found (47 PDUs of 1 MB at 1 Gbit/s): 13 Reads
// of each connection. Here a Read takes 65 ms there: 1 s is 15 of them. With fewer, whether a Read ends just
// within T_m or just behind it decides G.
constexpr double measuring_time_s = 1.0;
// For the search that is judged it is longer. One T_m of 1 s was off by 1.4 % on the plateau, so that a
// median of three often seems better by the margin of 2 % where it is not: of searches simulated over the
// measured curve with that noise 7 in 10 ended where they should, with 1.6 s 9 in 10, and the longest of
// them, eleven points of three, still within 60 s.
constexpr double search_time_s = 1.6;

struct RateStep {
    double at_s = 0, mbit = 0;
};

struct AptRequest {
    std::string label;
    unsigned connections = 4; // fixed N; with `tuned` the most there are
    bool tuned = false;
    double tm_s = measuring_time_s;
    unsigned samples = 3;
    double margin = 0; // the paper's rule
    bool textbook_left = false;
    double seconds = 5;
    unsigned seed = 1;
    unsigned attempts = 2; // until a run is valid
    double rtt_ms = 10;
    unsigned window_kib = 16, block_kib = 64;
    std::string service;            // "uniform:3ms..4ms"; empty: none
    std::vector<RateStep> schedule; // of the bottleneck; empty: 100 Mbit/s
};

struct AptRun {
    bool valid = false;
    Time begin{}; // first command
    std::vector<CycleRecord> reads;
    std::vector<TunerRow> tuner; // by the initiator's log
    double settled_s = -1;       // when the tuner had first settled, since begin; below 0: never
    unsigned settled_n = 0;      // its N
    unsigned last_n = 0;         // in force at the end
    Points n_over_time;          // connections that carried Reads, by T_m, from the capture
    Points rate_over_time;       // MB/s by T_m, from the capture
    Points deviation_over_time;  // of the connections' throughputs, Mbit/s
    Points chosen_over_time;     // N by the tuner's log
    Points rate_by_connection;   // Mbit/s, since the tuner settled; fixed: the last quarter
    Points cwnd_by_connection;   // median congestion window, KB, as the analyzer estimates it
    Points read_times;           // s, by the Read's end since begin
    double rate(double from_s, double until_s) const; // bytes/s of Reads that ended there
};

AptRun run_apt(Lab &, const AptRequest &);

// Throughput of a fixed N, over its runs; runs that are not valid count only where none is.
struct FixedRate {
    double by_time() const;  // bytes/s, the first second left out; median of the runs
    double by_chunk() const; // bytes/s, of a chunk of so many Reads; median of the runs
    bool valid() const;      // at least one run is
    struct One {
        double by_time = 0, by_chunk = 0;
        bool valid = false;
        std::vector<double> by_tm; // bytes/s of each T_m behind the first second
    };
    std::vector<One> runs;
};
// One more run of it. seed: another for each run.
FixedRate::One run_fixed(Lab &, unsigned connections, double seconds, std::size_t chunk, unsigned seed,
                         unsigned attempts);

} // namespace iscsiscope::testbed::papers
