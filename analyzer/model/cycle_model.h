// SPDX-License-Identifier: GPL-2.0-or-later
// definitions.md, "Models", as a function of settings: what one cycle takes and what the whole yields.
#pragma once

#include "analyzer/model/model.h"

namespace iscsiscope {

// What can be set; made from what was measured, then changed.
struct ModelSettings {
    TaskType type = TaskType::read;
    double block = 0, depth = 1, connections = 1;
    double task_share = 1, byte_share = 1; // of depth, and of what path and windows let through
    double rtt = 0, service = 0, think = 0;
    double held = 0;        // ns a cycle, of waits for held ACKs
    double base_delays = 2; // Reads: one-way delays a cycle, without held ACKs and full windows
    double path_rate = 0;   // bytes/s; 0: not known, taken as no limit
    double window = 0;      // bytes; 0: not known, taken as no limit
    double loss = 0, mss = 0;
    double unsolicited = 0, burst = 0, r2ts_outstanding = 1, r2t_service = 0;
};

struct ModelResult {
    CycleParts parts;
    double throughput = 0; // bytes/s
    Bottleneck bottleneck{};
};

// The cycle that a throughput means: ns from one command to the next of as many as are outstanding.
inline double cycle_at(double throughput, const ModelSettings &s) {
    return throughput > 0 ? s.depth * s.task_share * s.block / throughput * 1e9 : 0;
}

ModelSettings settings_of(const ModelInput &);
// `correction`: what a cycle was seen to take over what the model says, applied to its time.
ModelResult evaluate(const ModelSettings &, double correction = 1);

// R2Ts that a Write needs, and the round trips that it waits for them.
double r2t_count(const ModelSettings &);
double r2t_waves(const ModelSettings &);
// Mathis et al. 1997, equation 3 with C = 1.22: the window that random loss allows, bytes.
double loss_window(const ModelSettings &);

} // namespace iscsiscope
