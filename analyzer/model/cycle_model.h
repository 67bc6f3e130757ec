// SPDX-License-Identifier: GPL-2.0-or-later
// The models of docs/figures.md, "Models", as pure functions of settings: the time of one cycle by part, and
// the throughput. Times are nanoseconds, sizes bytes, rates bytes per second.
#pragma once

#include "analyzer/model/model.h"

#include <array>

namespace iscsiscope {

// The arguments of the models: made from a measurement by settings_of(), then changed for a prediction.
struct ModelSettings {
    TaskType type = TaskType::read;
    double block = 0, depth = 1, connections = 1;
    double task_share = 1, byte_share = 1; // share of depth; of the throughput that path and windows allow
    double rtt = 0, service = 0, think = 0;
    double held = 0;        // ns per cycle of waits for delayed ACKs
    double base_delays = 2; // Reads: one-way delays per cycle, except for delayed ACKs and full windows
    // Above zero; what is empty is not known and limits nothing.
    std::optional<double> path_rate; // bytes/s
    std::optional<double> full_at;   // bytes/s of these tasks at which a standing queue shows the path full
    std::optional<double> window;    // bytes
    double loss = 0, mss = 0;
    double unsolicited = 0, burst = 0, r2ts_outstanding = 1, r2t_service = 0;
};

// The limits of the throughput, bytes/s; infinite where nothing limits.
enum class Limit : std::uint8_t { cycle, path_rate, window, loss };
using Limits = std::array<double, 4>;

struct ModelResult {
    CycleParts parts;
    double throughput = 0; // bytes/s over data time
    Bottleneck bottleneck{};
    Limits limits{};
    Limit limit{}; // the least one
};

// What brings the modelled throughput of the measured settings to the measured one.
struct Calibration {
    double cycle_factor = 1, cycle_rest = 0; // the time of a task is multiplied by one, the other (ns) added
    Limits scales{1, 1, 1, 1};               // by which the other limits are multiplied
};

// Returns the time in ns that a task is open at a throughput over data time in bytes/s, by Little's law.
inline double open_time_at(double throughput, const ModelSettings &s) {
    return throughput > 0 ? s.depth * s.task_share * s.block / throughput * 1e9 : 0;
}

ModelSettings settings_of(const ModelInput &);
ModelResult evaluate(const ModelSettings &, const Calibration & = {});
Calibration calibrate(const ModelResult &, const ModelSettings &, double measured_throughput);

// The number of R2Ts of a Write, and the round trips that the Write waits for them.
double r2t_count(const ModelSettings &);
double r2t_waves(const ModelSettings &);
// True if the window and not the path set the rate of the data: then the path's own rate was not seen.
bool path_not_seen(const ModelInput &);
// The window in bytes that random loss allows (Mathis et al. 1997, equation 3 with C = 1.22).
double loss_window(const ModelSettings &);

} // namespace iscsiscope
