// SPDX-License-Identifier: GPL-2.0-or-later
// Study 1 from the inside: what its parts share.
#pragma once

#include "sample-captures/testbed/papers/lab/lab.h"
#include "sample-captures/testbed/papers/lab/study.h"
#include "sample-captures/testbed/papers/page/published.h"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace iscsiscope::testbed::papers {

struct BlockSize {
    std::string name;         // as published
    std::string block, split; // options; split empty: one Read
    double read = 0;          // bytes of one Read, mean
    std::size_t reads = 1;    // a block
    unsigned colour = 0;
};
inline const std::array<BlockSize, 5> blocks{{{"default: 500 KB in four", "500KiB", "130560", 128000, 4, 0},
                                              {"125 KB", "125KiB", "", 128000, 1, 1},
                                              {"1 MB", "1MiB", "", 1 << 20, 1, 2},
                                              {"2 MB", "2MiB", "", 2 << 20, 1, 3},
                                              {"4 MB", "4MiB", "", 4 << 20, 1, 4}}};

// How the target sends: Nagle's algorithm on and the status apart; header and data of a PDU by two writes as
// well; TCP_NODELAY.
enum class Sending { nagle, legacy, no_delay };

// One delay and block size: the Reads, the baseline that gives T, the model.
struct Point {
    double delay_ms = 0;
    double d_s = 0;   // from the shim's log
    double layer = 0; // T, bytes/s, from the socket's turns
    double model_s = 0;
    CycleMeans means;
    double k_seen = 0; // idle time of a cycle over d
    double throughput = 0;
    std::map<std::string, std::pair<double, double>> gaps; // kind → count a Read, mean ms
    bool valid = false;
    double cycle_s = 0, idle_share = 0; // medians: one late wake-up bends a mean
    double error() const { return cycle_s > 0 ? model_s / cycle_s - 1 : 0; }
};

class LatencyStudy {
public:
    explicit LatencyStudy(const StudyContext &context)
        : lab_(context.lab), paper_(context.published), quick_(context.quick) {}
    StudyPage run();

private:
    std::vector<Setting> path(double delay_ms) const;
    double layer_below(double delay_ms, double bytes, double &d_s, bool &valid);
    Point measure(double delay_ms, const BlockSize &size, Sending);
    double socket(double delay_ms);
    void ladder(double delay_ms);
    double stop_and_wait() const;
    void claims();
    void figures();

    Lab &lab_;
    const Published &paper_;
    bool quick_;
    StudyPage page_;
    std::map<std::size_t, std::map<double, Point>> points_; // by block, by delay
    std::map<double, Point> two_gaps_, legacy_;
    Points sockets_;
    std::map<std::pair<double, double>, double> layers_; // by delay and bytes of a turn
};

} // namespace iscsiscope::testbed::papers
