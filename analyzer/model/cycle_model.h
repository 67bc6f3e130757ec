// SPDX-License-Identifier: GPL-2.0-or-later
// The models of docs/figures.md, "Models", as pure functions of settings: the time of one cycle by part, and
// the throughput. Times are nanoseconds, sizes bytes, rates bytes per second.
#pragma once

#include "analyzer/model/model.h"

#include <array>

namespace iscsiscope {

// Made from a measurement by settings_of(), then changed for a prediction. Rate and window are above zero or
// empty: then they limit nothing.
struct ModelSettings : ModelArguments {
    double held = 0; // ns per cycle of waits for delayed ACKs
    // Bytes/s of these tasks at which a standing queue shows the path full; empty: not known.
    std::optional<double> full_at;
    double loss = 0;
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
