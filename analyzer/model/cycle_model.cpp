// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/model/cycle_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace iscsiscope {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

double effective_window(const ModelSettings &s) {
    return std::min(s.window.value_or(no_limit), loss_window(s));
}

std::optional<double> positive(std::optional<double> v) {
    return v && *v > 0 ? v : std::nullopt;
}

// A transfer longer than the window waits for ACKs: after each full window for what remains of the round trip
// (as the 4 MB Reads over a 1 MB window of Yamaguchi et al. 2003).
double stalls(const ModelSettings &s) {
    const double window = effective_window(s);
    if (!(window < s.block) || s.rtt <= 0)
        return 0;
    const double sending = s.path_rate ? window / *s.path_rate * 1e9 : 0;
    return (std::ceil(s.block / window) - 1) * std::max(0.0, s.rtt - sending);
}

} // namespace

double loss_window(const ModelSettings &s) {
    return s.loss > 0 && s.mss > 0 ? 1.22 * s.mss / std::sqrt(s.loss) : no_limit;
}

double r2t_count(const ModelSettings &s) {
    const double left = std::max(0.0, s.block - s.unsolicited);
    return s.burst > 0 ? std::ceil(left / s.burst) : left > 0 ? 1 : 0;
}

double r2t_waves(const ModelSettings &s) {
    const double n = r2t_count(s);
    // If sending the data of the outstanding R2Ts takes a round trip, the next R2Ts arrive meanwhile.
    const double covered = s.path_rate ? s.r2ts_outstanding * s.burst / *s.path_rate * 1e9 : 0;
    return covered < s.rtt ? std::ceil(n / s.r2ts_outstanding) : std::min(n, 1.0);
}

ModelSettings settings_of(const ModelInput &in) {
    ModelSettings s{
        static_cast<const ModelArguments &>(in), in.held_acks ? in.held_time : 0, {}, in.loss.value_or(0)};
    s.path_rate = positive(in.path_rate);
    s.window = positive(in.window);
    const double all = in.measured_throughput / in.byte_share;
    // If random loss at this rate would allow less than measured, the flow's own queue caused it.
    if (s.rtt > 0 && all > 0 && s.connections * loss_window(s) / s.rtt * 1e9 < all / 1.2)
        s.loss = 0;
    if (path_not_seen(in))
        s.path_rate.reset();
    // A queue stands only while data comes at least as fast as the slowest link sends it (Kleinrock 1979:
    // more in flight than rate times round trip adds delay and no throughput). With several tasks open that
    // link does not rest, and the measured throughput is its rate.
    if (in.queue && in.depth >= 1.5)
        s.full_at = positive(in.measured_throughput);
    return s;
}

bool path_not_seen(const ModelInput &in) {
    const double all = in.measured_throughput / in.byte_share;
    if (in.queue || !in.window || in.rtt <= 0 || all <= 0 || in.path_rate.value_or(0) >= 1.3 * all)
        return false;
    // At most a window is in flight in each round trip (RFC 9293 section 3.8.6), so that the data waits with
    // the path empty if window / round trip is the measured rate, or if the sender was held by it.
    const double by_window = in.connections * *in.window / in.rtt * 1e9 / all;
    return (by_window > 0.75 && by_window < 1.3) || in.window_held > 0.3;
}

Calibration calibrate(const ModelResult &r, const ModelSettings &s, double measured) {
    Calibration c;
    if (measured <= 0 || r.throughput <= 0)
        return c;
    for (std::size_t i = 0; i < r.limits.size(); ++i) {
        if (!(r.limits[i] < no_limit))
            continue;
        // The least limit is the measurement. One that the measurement exceeds was taken too low.
        const double scale = measured / r.limits[i];
        if (i == static_cast<std::size_t>(r.limit) || scale > 1)
            c.scales[i] = scale;
    }
    // An error of up to a factor of two is taken to be one of all parts of the cycle. Time beyond that is not
    // in the model at all (repairs, pauses) and stays as it is, whatever setting changes.
    const double ratio = 1 / c.scales[0];
    c.cycle_factor = std::min(2.0, ratio);
    c.cycle_rest = (ratio - c.cycle_factor) * open_time_at(r.limits[0], s);
    c.scales[0] = 1;
    return c;
}

ModelResult evaluate(const ModelSettings &s, const Calibration &c) {
    ModelResult r;
    const double full_windows = stalls(s);
    r.parts.round_trips = (s.type == TaskType::write ? s.rtt * (1 + r2t_waves(s)) : s.rtt) + full_windows;
    r.parts.service = s.service + (s.type == TaskType::write ? s.r2t_service * r2t_waves(s) : 0);
    r.parts.transfer = s.path_rate ? s.block / *s.path_rate * 1e9 : 0;
    r.parts.held = s.held;
    r.parts.think = s.think;
    // The wait of the host for its next command is in the cycle, but no task is open meanwhile: it is not in
    // the data time, over which throughput is computed.
    const double cycle = r.parts.total() * c.cycle_factor;
    const double open = (r.parts.total() - s.think) * c.cycle_factor + c.cycle_rest;
    const double by_cycle = open > 0 ? s.depth * s.task_share * s.block / open * 1e9 : no_limit;
    const double full = s.full_at.value_or(no_limit);
    const double by_rate = s.path_rate ? s.byte_share * *s.path_rate * c.scales[1] : no_limit;
    const double all_windows = s.rtt > 0 ? s.byte_share * s.connections / s.rtt * 1e9 : no_limit;
    const double by_window = s.window && s.rtt > 0 ? all_windows * *s.window * c.scales[2] : no_limit;
    const double by_loss = s.rtt > 0 ? all_windows * loss_window(s) * c.scales[3] : no_limit;
    r.limits = {by_cycle, std::min(by_rate, full), by_window, by_loss};
    const auto least = std::ranges::min_element(r.limits);
    r.limit = static_cast<Limit>(least - r.limits.begin());
    r.throughput = *least;
    switch (r.limit) {
    case Limit::cycle:
        r.bottleneck = s.think * c.cycle_factor > cycle / 2 ? Bottleneck::host
                       : r.parts.transfer > cycle / 2       ? Bottleneck::path_rate
                                                            : Bottleneck::latency;
        break;
    case Limit::path_rate:
        r.bottleneck = Bottleneck::path_rate;
        break;
    case Limit::window:
        r.bottleneck = Bottleneck::window;
        break;
    case Limit::loss:
        r.bottleneck = Bottleneck::loss;
        break;
    }
    // With more tasks outstanding than path, window or loss allow, each waits for the others for the rest of
    // its cycle.
    if (r.throughput < by_cycle)
        r.parts.queued = std::max(0.0, open_time_at(r.throughput, s) + s.think - r.parts.total());
    return r;
}

ModelledCycle model_cycle(const ModelInput &in) {
    ModelledCycle m;
    const ModelResult r = evaluate(settings_of(in));
    m.parts = r.parts;
    m.throughput = r.throughput;
    m.bottleneck = r.bottleneck;
    const double cycle = r.parts.total();
    m.cycle_error = ratio(cycle - in.measured_cycle, in.measured_cycle);
    m.throughput_error = ratio(r.throughput - in.measured_throughput, in.measured_throughput);
    std::vector<double> residuals;
    for (const Duration sample : in.samples)
        if (cycle > 0)
            residuals.push_back(static_cast<double>(to_ns(sample)) / cycle - 1);
    std::ranges::sort(residuals);
    if (!residuals.empty()) {
        const auto at = [&](double q) {
            const double rank = std::ceil(q * static_cast<double>(residuals.size()));
            return residuals[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
        };
        m.residual_low = at(0.05);
        m.residual_median = at(0.5);
        m.residual_high = at(0.95);
    }
    if (!in.rtt_known)
        m.left_out.emplace_back("The round trip could not be measured: no time is modelled for it.");
    if (!in.service_known)
        m.left_out.emplace_back(
            "The target's own time could not be distinguished from the network's: it is assumed to be 0.");
    if (!in.path_rate)
        m.left_out.emplace_back(
            "The path's rate could not be measured: no time is modelled for the transfer.");
    else if (path_not_seen(in))
        m.left_out.emplace_back(
            "The window was full before the path was: the path's rate was not seen, and no time is modelled "
            "for the transfer.");
    else if (in.rate_is_lower_bound)
        m.left_out.emplace_back("The path was never saturated in the capture: its real rate may be higher.");
    return m;
}

std::optional<double> bandwidth_delay_product(const ModelInput &in) {
    if (!in.path_rate || !in.rtt_known)
        return std::nullopt;
    return *in.path_rate * in.rtt / 1e9;
}

double mirrored_cycle(const ModelInput &near, const ModelInput &far) {
    const auto fixed = [](const ModelInput &in) {
        const CycleParts p = evaluate(settings_of(in)).parts;
        return p.total() - p.transfer - p.queued;
    };
    const double rate = std::max(near.path_rate.value_or(0), far.path_rate.value_or(0));
    return std::max(fixed(near), fixed(far)) + (rate > 0 ? 2 * near.block / rate * 1e9 : 0);
}

} // namespace iscsiscope
