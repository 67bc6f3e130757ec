// SPDX-License-Identifier: GPL-2.0-or-later
// The models of docs/figures.md, "Models", as pure functions of settings: the time of one cycle by part, and
// the throughput. Times are nanoseconds, sizes bytes, rates bytes per second.
#pragma once

#include "analyzer/model/model.h"

namespace iscsiscope {

// The arguments of the models: made from a measurement by settings_of(), then changed for a prediction.
struct ModelSettings {
    TaskType type = TaskType::read;
    double block = 0, depth = 1, connections = 1;
    double task_share = 1, byte_share = 1; // share of depth; of the throughput that path and windows allow
    double rtt = 0, service = 0, think = 0;
    double held = 0;        // ns per cycle of waits for delayed ACKs
    double base_delays = 2; // Reads: one-way delays per cycle, except for delayed ACKs and full windows
    double path_rate = 0;   // bytes/s; 0: not known, no limit
    double window = 0;      // bytes; 0: not known, no limit
    double loss = 0, mss = 0;
    double unsolicited = 0, burst = 0, r2ts_outstanding = 1, r2t_service = 0;
};

struct ModelResult {
    CycleParts parts;
    double throughput = 0; // bytes/s
    Bottleneck bottleneck{};
};

// Returns the cycle time in ns at a throughput in bytes/s, by Little's law over the outstanding tasks.
inline double cycle_at(double throughput, const ModelSettings &s) {
    return throughput > 0 ? s.depth * s.task_share * s.block / throughput * 1e9 : 0;
}

ModelSettings settings_of(const ModelInput &);
// correction: measured over modelled cycle time, by which the modelled time is multiplied.
ModelResult evaluate(const ModelSettings &, double correction = 1);

// The number of R2Ts of a Write, and the round trips that the Write waits for them.
double r2t_count(const ModelSettings &);
double r2t_waves(const ModelSettings &);
// The window in bytes that random loss allows (Mathis et al. 1997, equation 3 with C = 1.22).
double loss_window(const ModelSettings &);

} // namespace iscsiscope
