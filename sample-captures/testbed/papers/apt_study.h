// SPDX-License-Identifier: GPL-2.0-or-later
// Study 4 from the inside: what its parts share.
#pragma once

#include "sample-captures/testbed/papers/apt_runs.h"
#include "sample-captures/testbed/papers/lab/study.h"
#include "sample-captures/testbed/papers/page/published.h"

#include <map>
#include <string>
#include <vector>

namespace iscsiscope::testbed::papers {

inline constexpr std::size_t chunk_reads = 150; // the paper's chunk is 100 to 200 PDUs
inline constexpr double capacity = 100e6 / 8 * 1448 / 1500;
// An N within this of the best is as good as the best.
inline constexpr double as_good = 0.03;

class AptStudy {
public:
    explicit AptStudy(const StudyContext &context)
        : lab_(context.lab), paper_(context.published), quick_(context.quick) {}
    StudyPage run();

private:
    AptRequest tuned(const std::string &label, double seconds) const;
    double exhaustive_at(unsigned n) const; // bytes/s, between measured N by a straight line
    bool good(const AptRun &) const;
    void fixed_round(unsigned round);
    void set_margin();
    void seeds(unsigned from, unsigned until);
    void find_best();
    void judge_search();
    void figures_of_search();
    void figures_of_seed(const AptRun &);
    void steps();
    void schedule();
    void variants();
    void spread();
    void reads_of(const AptRun &, const std::string &title);

    Lab &lab_;
    const Published &paper_;
    bool quick_;
    StudyPage page_;
    std::map<unsigned, FixedRate> exhaustive_;
    double best_ = 0;          // bytes/s
    unsigned smallest_ = 1;    // N within 3 % of it
    double noise_ = 0;         // of a T_m on the plateau, standard deviation as a share
    double margin_ = 0.02;     // the tuner's, set before its first run
    unsigned samples_ = 3;     // of a point
    std::vector<AptRun> runs_; // by seed
};

} // namespace iscsiscope::testbed::papers
