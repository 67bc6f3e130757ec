// SPDX-License-Identifier: GPL-2.0-or-later
// Runs scenarios for the studies and gives what the network's own log has of each run.
#pragma once

#include "sample-captures/testbed/papers/lab/measure.h"
#include "sample-captures/testbed/papers/lab/run_log.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::papers {

struct Setting {
    std::string key, value; // as --set takes them
};

struct RunRequest {
    std::string label;    // for the page
    std::string scenario; // "papers/latency-read"
    std::vector<Setting> settings;
    // The times count for this run: it is not taken if more than 1 packet in 100 was later than this.
    std::optional<std::chrono::nanoseconds> lateness_bound;
    unsigned attempts = 3; // until one is valid
};

struct Run {
    std::string label, scenario, settings; // as shown
    unsigned attempts = 0;
    RunLog log;
    std::string prefix; // folder and name of its files
    std::string capture(const std::string &place) const { return prefix + "." + place + ".pcapng"; }
};

class Lab {
public:
    // Captures go to folder/captures and are removed once measured unless `keep`.
    Lab(std::string folder, bool keep);

    // Never fails for the machine's sake: the log says whether the run counts. failure() gives
    // what ends a study.
    const Run &run(const RunRequest &);
    // Of the run's capture at a host or tap. Empty if it cannot be read.
    Measured measure(const Run &, const std::string &place, Duration interval = std::chrono::seconds{5});
    // The captures of the run are needed no more.
    void forget(const Run &);

    const std::vector<Run> &runs() const { return runs_; } // of the study
    void begin_study();
    // Why nothing can run here, or what is wrong with a scenario; empty: nothing.
    const std::string &failure() const { return failure_; }

private:
    std::string folder_;
    bool keep_;
    std::vector<Run> runs_;
    std::string failure_;
    std::chrono::steady_clock::time_point begin_;
};

// "d=1ms" pieces for labels: a number with as few digits as it needs.
std::string plain(double);

} // namespace iscsiscope::testbed::papers
