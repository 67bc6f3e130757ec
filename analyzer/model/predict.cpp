// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/model/cycle_model.h"
#include "analyzer/model/human.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

// Unsolicited bytes that the keys allow a Write (RFC 7143 sections 13.10, 13.11 and 13.14).
double allowed_unsolicited(const OperationalParameters &k, double block) {
    const double first_burst = std::min<double>(k.first_burst_length, block);
    if (!k.initial_r2t)
        return first_burst;
    return k.immediate_data ? std::min<double>(first_burst, k.max_recv_data_segment_length_target) : 0;
}

bool concerns_writes_only(Lever l) {
    return l == Lever::max_burst_length || l == Lever::first_burst_length || l == Lever::initial_r2t ||
           l == Lever::immediate_data || l == Lever::max_outstanding_r2t;
}

// Keys and settings with the changes made.
struct Changed {
    ModelSettings settings;
    OperationalParameters keys;
    bool unsolicited = false, burst = false; // follow from the keys anew
    std::vector<std::string> remarks;
};

std::uint32_t to_u32(double v) {
    return static_cast<std::uint32_t>(std::clamp(v, 0.0, 4294967295.0));
}

void apply(Changed &c, const Change &change, const ModelInput &in) {
    ModelSettings &s = c.settings;
    if (concerns_writes_only(change.lever) && in.type == TaskType::read)
        c.remarks.push_back(
            fmt::format("{} concerns Writes only: Reads stay as they are.", name(change.lever)));
    switch (change.lever) {
    case Lever::block_size:
        s.block = change.value;
        c.unsolicited = true;
        break;
    case Lever::max_burst_length:
        c.keys.max_burst_length = to_u32(change.value);
        c.burst = true;
        break;
    case Lever::first_burst_length:
        c.keys.first_burst_length = to_u32(change.value);
        c.unsolicited = true;
        break;
    case Lever::initial_r2t:
        c.keys.initial_r2t = change.value != 0;
        c.unsolicited = true;
        break;
    case Lever::immediate_data:
        c.keys.immediate_data = change.value != 0;
        c.unsolicited = true;
        break;
    case Lever::max_outstanding_r2t:
        c.keys.max_outstanding_r2t = to_u32(change.value);
        s.r2ts_outstanding = std::max(1.0, change.value);
        break;
    case Lever::depth:
        s.depth = std::max(1.0, change.value);
        if (s.depth > 1)
            s.think = 0; // others are open while one thinks
        break;
    case Lever::connections:
        s.connections = std::max(1.0, change.value);
        break;
    case Lever::window:
        s.window = change.value;
        break;
    case Lever::delay: {
        const double before = s.rtt;
        s.rtt = 2 * change.value;
        // A wait for an ACK that nobody holds back is a round trip; a held one is a timer.
        if (s.held > 0 && before > 0 && s.held < 3 * before)
            s.held *= s.rtt / before;
        break;
    }
    case Lever::loss:
        s.loss = change.value;
        break;
    case Lever::phase_collapse:
    case Lever::no_delay:
        if (change.value != 0)
            s.held = 0;
        else if (!in.held_acks)
            s.held = s.rtt;
        break;
    }
}

void settle_bursts(Changed &c, const ModelInput &in) {
    ModelSettings &s = c.settings;
    if (s.type != TaskType::write)
        return;
    if (c.unsolicited) {
        // What the initiator does not use of its keys now it would not use then either.
        const double allowed = allowed_unsolicited(in.keys, in.block);
        const double now = allowed_unsolicited(c.keys, s.block);
        const bool uses_less = in.keys_known && allowed > 0 && in.unsolicited < 0.9 * allowed;
        s.unsolicited = uses_less ? std::min(now, in.unsolicited) : now;
        if (uses_less && now > in.unsolicited)
            c.remarks.push_back(fmt::format("The initiator sends {} unasked where its keys allow {}: its own "
                                            "setting may stand in the way.",
                                            human::block(static_cast<std::uint64_t>(in.unsolicited)),
                                            human::block(static_cast<std::uint64_t>(allowed))));
    }
    if (!in.keys_known && (c.unsolicited || c.burst))
        c.remarks.emplace_back(
            "No login is in the capture: the keys that are not set are taken at their defaults.");
    if (c.burst || c.unsolicited || s.burst <= 0) {
        const double key = c.keys.max_burst_length;
        const double left = std::max(0.0, in.block - in.unsolicited);
        // R2Ts that ask for less than the key allows and less than was left: the target's own limit.
        const bool capped = in.r2ts > 0 && in.keys_known && in.burst < 0.9 * in.keys.max_burst_length &&
                            in.burst < 0.9 * left;
        s.burst = capped ? std::min(in.burst, key) : key;
        if (capped && c.burst)
            c.remarks.push_back(fmt::format("The target asks for {} at most by one R2T, less than "
                                            "MaxBurstLength allows: the key does not bind.",
                                            human::block(static_cast<std::uint64_t>(in.burst))));
    }
}

// The model's cycle made to agree with the measured one, where cycles and not the path set the rate.
double correction_of(const ModelInput &in) {
    const ModelResult r = evaluate(settings_of(in));
    const bool by_cycle = r.bottleneck == Bottleneck::latency || r.bottleneck == Bottleneck::host;
    if (!by_cycle || in.measured_throughput <= 0 || r.throughput <= 0)
        return 1;
    return std::clamp(r.throughput / in.measured_throughput, 0.5, 2.0);
}

// 5 % and 95 % quantiles of the mean of the samples' cycle times over their mean, by bootstrap with a
// generator of its own, so that the same capture always gives the same interval.
std::pair<double, double> bootstrap(const std::vector<MeasuredCycle> &samples) {
    if (samples.size() < 2)
        return {0.5, 1.5}; // nothing is known of the spread
    std::uint64_t state = 0x9e3779b97f4a7c15U;
    const auto draw = [&] { // xorshift64* (Vigna 2016)
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return (state * 0x2545f4914f6cdd1dU) >> 33;
    };
    double sum = 0;
    for (const MeasuredCycle &s : samples)
        sum += static_cast<double>(to_ns(s.cycle_time));
    const double mean = sum / static_cast<double>(samples.size());
    std::vector<double> means(200);
    for (double &m : means) {
        double resampled = 0;
        for (std::size_t i = 0; i < samples.size(); ++i)
            resampled += static_cast<double>(to_ns(samples[draw() % samples.size()].cycle_time));
        m = mean > 0 ? resampled / static_cast<double>(samples.size()) / mean : 1;
    }
    std::sort(means.begin(), means.end());
    return {means[9], means[189]};
}

} // namespace

std::string_view name(Lever l) {
    switch (l) {
    case Lever::block_size:
        return "block";
    case Lever::max_burst_length:
        return "MaxBurstLength";
    case Lever::first_burst_length:
        return "FirstBurstLength";
    case Lever::initial_r2t:
        return "InitialR2T";
    case Lever::immediate_data:
        return "ImmediateData";
    case Lever::max_outstanding_r2t:
        return "MaxOutstandingR2T";
    case Lever::depth:
        return "depth";
    case Lever::connections:
        return "connections";
    case Lever::window:
        return "window";
    case Lever::delay:
        return "delay";
    case Lever::loss:
        return "loss";
    case Lever::phase_collapse:
        return "phase-collapse";
    case Lever::no_delay:
        return "TCP_NODELAY";
    }
    return "?";
}

Prediction predict(const ModelInput &in, std::span<const Change> changes) {
    Prediction p;
    const ModelSettings settings = settings_of(in);
    const ModelResult before = evaluate(settings);
    Changed changed{settings, in.keys, false, false, {}};
    for (const Change &c : changes)
        apply(changed, c, in);
    settle_bursts(changed, in);
    // A rate that nothing ever filled is no limit of what other settings reach.
    ModelSettings unbound = changed.settings;
    if (in.rate_is_lower_bound && in.depth * in.block <= changed.settings.depth * changed.settings.block)
        unbound.path_rate = 0;
    const double correction = correction_of(in);
    const ModelResult after = evaluate(in.rate_is_lower_bound ? unbound : changed.settings, correction);

    p.measured = in.measured_throughput;
    p.modelled = before.throughput;
    p.before = before.parts;
    p.after = after.parts;
    p.bottleneck_before = before.bottleneck;
    p.bottleneck_after = after.bottleneck;
    p.predicted = after.throughput;
    // Where the same limit holds before and after, what the model misses it misses in both.
    const bool same_limit = before.bottleneck == after.bottleneck && correction == 1;
    if (same_limit && before.throughput > 0 && p.measured > 0)
        p.predicted *= std::clamp(p.measured / before.throughput, 0.5, 2.0);
    const auto [low, high] = bootstrap(in.samples);
    const double error = before.throughput > 0 && p.measured > 0
                             ? std::min(1.0, std::abs(before.throughput / p.measured - 1))
                             : 1;
    p.low = p.predicted / high * (1 - std::min(0.9, error));
    p.high = p.predicted / low * (1 + error);
    p.interval =
        fmt::format("90 % of the spread of {} measured cycles (bootstrap), widened by the model's own "
                    "error of {} on what was measured",
                    in.samples.size(), human::share(error));
    p.keys = key_verdicts(in);
    p.remarks = std::move(changed.remarks);
    if (in.rate_is_lower_bound)
        p.remarks.emplace_back(
            "Nothing in the capture filled the path: its rate is not known and sets no limit here.");
    if (changed.settings.depth > settings.depth)
        p.remarks.emplace_back("The target is taken to serve more commands at once as fast as these.");
    if (settings.loss > 0 && changed.settings.loss > settings.loss * 2)
        p.remarks.emplace_back("Loss is modelled for Reno (Mathis et al. 1997); CUBIC and BBR bear more.");
    if (changed.settings.block * changed.settings.depth > 4 * settings.block * settings.depth)
        p.remarks.emplace_back(
            "Much more data at once: windows still growing in the capture are not foreseen.");
    return p;
}

std::vector<KeyVerdict> key_verdicts(const ModelInput &in) {
    std::vector<KeyVerdict> all;
    const double correction = correction_of(in);
    ModelSettings base = settings_of(in);
    const double now = evaluate(base, correction).throughput;
    const auto yes_no = [](bool v) { return std::string(v ? "Yes" : "No"); };
    const auto size = [](double v) { return human::block(static_cast<std::uint64_t>(v)); };
    const auto judge = [&](std::string key, std::string value, std::initializer_list<Change> best,
                           std::string_view why_not) {
        Changed changed{base, in.keys, false, false, {}};
        for (const Change &c : best)
            apply(changed, c, in);
        settle_bursts(changed, in);
        const double then = evaluate(changed.settings, correction).throughput;
        KeyVerdict v{std::move(key), std::move(value), false, now > 0 ? then / now - 1 : 0, {}};
        v.binds = v.gain > 0.01;
        v.reason = v.binds ? fmt::format("its best value would give {} more", human::share(v.gain))
                           : std::string(why_not);
        all.push_back(std::move(v));
    };
    const bool writes = in.type == TaskType::write;
    if (writes) {
        const std::string r2ts = fmt::format("a Write of {} waits for {:.0f} R2Ts as it is", size(in.block),
                                             std::ceil(r2t_count(base)));
        judge("MaxBurstLength", size(in.keys.max_burst_length), {{Lever::max_burst_length, 16777215}},
              r2ts + ", and larger bursts would not save one");
        judge("FirstBurstLength", size(in.keys.first_burst_length), {{Lever::first_burst_length, in.block}},
              in.keys.initial_r2t ? "InitialR2T=Yes: it limits immediate data only, and " + r2ts : r2ts);
        judge("InitialR2T", yes_no(in.keys.initial_r2t), {{Lever::initial_r2t, 0}},
              in.keys.initial_r2t ? "data sent unasked would not save a round trip: " + r2ts
                                  : "it is at its best value");
        judge("ImmediateData", yes_no(in.keys.immediate_data), {{Lever::immediate_data, 1}},
              in.keys.immediate_data ? "it is at its best value"
                                     : "immediate data would not save a round trip: " + r2ts);
        judge("MaxOutstandingR2T", human::count(in.keys.max_outstanding_r2t),
              {{Lever::max_outstanding_r2t, 16}}, r2ts);
    } else {
        for (const char *key :
             {"MaxBurstLength", "FirstBurstLength", "InitialR2T", "ImmediateData", "MaxOutstandingR2T"})
            all.push_back({key, {}, false, 0, "the data is read: it concerns Writes only"});
    }
    const double segment =
        writes ? in.keys.max_recv_data_segment_length_target : in.keys.max_recv_data_segment_length_initiator;
    // A header of 48 bytes for each Data PDU (RFC 7143 section 11.2) is all that a larger one saves the path.
    const double headers = in.path_rate && evaluate(base).bottleneck == Bottleneck::path_rate && segment > 0
                               ? 48 / segment - 48 / std::max(segment, 262144.0)
                               : 0;
    all.push_back({"MaxRecvDataSegmentLength", size(segment), headers > 0.01, headers,
                   headers > 0.01
                       ? fmt::format("headers take {} of the path", human::share(48 / (48 + segment)))
                       : "the headers of its Data PDUs take next to nothing of the path"});
    judge("MaxConnections", human::count(in.keys.max_connections),
          {{Lever::connections, base.connections * 4}},
          "no connection's window or loss sets the rate: more of them would carry the same");
    judge("depth", fmt::format("{:.1f}", base.depth), {{Lever::depth, base.depth * 4}},
          "more commands outstanding would wait behind the same limit");
    judge("block", size(base.block), {{Lever::block_size, base.block * 4}},
          "larger blocks would wait behind the same limit");
    judge("window", base.window > 0 ? size(base.window) : "unknown", {{Lever::window, base.window * 4}},
          "the receive window leaves room");
    judge("TCP_NODELAY", in.held_acks ? "off" : "no wait seen", {{Lever::no_delay, 1}},
          "no data waited for the acknowledgment of a small segment");
    return all;
}

} // namespace iscsiscope
