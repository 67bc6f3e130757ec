// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/model/what_if.h"

#include "analyzer/base/number_format.h"
#include "analyzer/model/setting_rules.h"

#include <algorithm>
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

std::uint32_t to_u32(double v) {
    return static_cast<std::uint32_t>(std::clamp(v, 0.0, 4294967295.0));
}

} // namespace

OperationalParameters keys_taken(const ModelInput &in) {
    OperationalParameters k = in.keys;
    const OperationalParameters defaults;
    const auto take = [&](Parameter p, auto &field, auto value) {
        if (!in.keys_known.has(p))
            field = value;
    };
    const auto seen = [](double bytes) { return static_cast<std::uint32_t>(std::min(bytes, 16777215.0)); };
    take(Parameter::max_burst_length, k.max_burst_length,
         in.r2ts > 0 && in.burst > 0 ? seen(in.burst) : defaults.max_burst_length);
    take(Parameter::first_burst_length, k.first_burst_length,
         std::max(defaults.first_burst_length, seen(in.unsolicited)));
    take(Parameter::initial_r2t, k.initial_r2t, defaults.initial_r2t && !in.unsolicited_pdus);
    take(Parameter::immediate_data, k.immediate_data, defaults.immediate_data);
    take(Parameter::max_recv_target, k.max_recv_data_segment_length_target,
         std::max(defaults.max_recv_data_segment_length_target, in.largest_segment));
    return k;
}

OperationalParameters best_keys(const ModelInput &in, ParameterSet asked) {
    OperationalParameters k = keys_taken(in);
    const auto take = [&](Parameter p, auto &field, auto value) {
        if (asked.has(p) && !in.keys_known.has(p))
            field = value;
    };
    take(Parameter::first_burst_length, k.first_burst_length, 16777215U);
    take(Parameter::max_recv_target, k.max_recv_data_segment_length_target, 16777215U);
    take(Parameter::initial_r2t, k.initial_r2t, false);
    take(Parameter::immediate_data, k.immediate_data, true);
    return k;
}

void apply(Changed &c, const Change &change, const ModelInput &in) {
    ModelSettings &s = c.settings;
    if (rule_of(change.setting).writes_only && in.type == TaskType::read)
        c.remarks.push_back(
            fmt::format("{} concerns Writes only: Reads stay as they are.", name(change.setting)));
    switch (change.setting) {
    case SettingName::block_size:
        s.block = change.value;
        c.block = true;
        break;
    case SettingName::max_burst_length:
        c.keys.max_burst_length = to_u32(change.value);
        c.burst = true;
        break;
    case SettingName::first_burst_length:
        c.keys.first_burst_length = to_u32(change.value);
        c.unsolicited = true;
        break;
    case SettingName::initial_r2t:
        c.keys.initial_r2t = change.value != 0;
        c.unsolicited = true;
        break;
    case SettingName::immediate_data:
        c.keys.immediate_data = change.value != 0;
        c.unsolicited = true;
        break;
    case SettingName::max_outstanding_r2t:
        c.keys.max_outstanding_r2t = to_u32(change.value);
        s.r2ts_outstanding = std::max(1.0, change.value);
        break;
    case SettingName::depth:
        s.depth = std::max(1.0, change.value); // each in a loop with the host's own pauses
        break;
    case SettingName::connections:
        s.connections = std::max(1.0, change.value);
        break;
    case SettingName::window:
        s.window = change.value > 0 ? std::optional(change.value) : std::nullopt;
        break;
    case SettingName::delay: {
        const double before = s.rtt;
        s.rtt = 2 * change.value;
        // A wait for an ACK of about a round trip scales with it; a longer one is the delayed-ACK timer.
        if (s.held > 0 && before > 0 && s.held < 3 * before)
            s.held *= s.rtt / before;
        break;
    }
    case SettingName::loss:
        s.loss = change.value;
        break;
    case SettingName::phase_collapse:
    case SettingName::no_delay:
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
    const bool keys_known = in.keys_known.has_all(unsolicited_keys);
    if (c.block && !c.unsolicited && !keys_known)
        s.unsolicited =
            in.unsolicited < in.block ? std::min(in.unsolicited, s.block) : s.block; // as measured
    if (c.unsolicited || (c.block && keys_known)) {
        // An initiator that uses less unsolicited data than its keys allow is taken to do so then too.
        const double allowed = allowed_unsolicited(in.keys, in.block);
        const double now = allowed_unsolicited(c.keys, s.block);
        const bool uses_less = keys_known && allowed > 0 && in.unsolicited < 0.9 * allowed;
        s.unsolicited = uses_less ? std::min(now, in.unsolicited) : now;
        if (uses_less && now > in.unsolicited)
            c.remarks.push_back(fmt::format("The initiator sends {} unsolicited where its keys allow {}: a "
                                            "setting of its own may limit it.",
                                            human::block(static_cast<std::uint64_t>(in.unsolicited)),
                                            human::block(static_cast<std::uint64_t>(allowed))));
    }
    if (c.burst || c.unsolicited || c.block || s.burst <= 0) {
        const double key = c.keys.max_burst_length;
        const double left = std::max(0.0, in.block - in.unsolicited);
        // R2Ts for less than the key allows and less than remains show a limit of the target itself.
        const bool capped = in.r2ts > 0 && in.keys_known.has(Parameter::max_burst_length) &&
                            in.burst < 0.9 * in.keys.max_burst_length && in.burst < 0.9 * left;
        s.burst = capped ? std::min(in.burst, key) : key;
        if (capped && c.burst)
            c.remarks.push_back(fmt::format("The target asks for {} at most by one R2T, less than "
                                            "MaxBurstLength allows: the key does not bind.",
                                            human::block(static_cast<std::uint64_t>(in.burst))));
    }
}

Forecast forecast(const ModelInput &in, const OperationalParameters &keys, std::span<const Change> changes) {
    const ModelSettings base = settings_of(in);
    Forecast f{{}, {}, {base, keys, false, false, {}}};
    for (const Change &c : changes)
        apply(f.changed, c, in);
    settle_bursts(f.changed, in);
    ModelSettings &s = f.changed.settings;
    const ModelResult before = evaluate(base);
    const Calibration calibration = calibrate(before, base, in.measured_throughput);
    // Where a queue stands, or the path is full, a larger window or another connection only adds to what
    // waits.
    const bool more_in_flight = (base.window && s.window && *s.window > *base.window) ||
                                s.connections > base.connections || (in.open_loop && s.depth > base.depth);
    if (const std::string full = full_path_words(in); more_in_flight && !full.empty()) {
        if (base.window && s.window)
            s.window = std::min(*s.window, *base.window);
        s.connections = std::min(s.connections, base.connections);
        if (in.open_loop) // the time without a task stays
            s.depth = std::min(s.depth, base.depth);
        f.changed.remarks.push_back("More in flight would carry no more: " + full + ".");
    }
    f.result = evaluate(s, calibration);
    const double seen = std::max(in.measured_throughput, in.byte_share * in.path_rate.value_or(0));
    if (f.result.throughput > 1.001 * seen)
        f.certainty = Certainty::beyond_seen;
    else if (f.result.limit == Limit::path_rate && in.rate_is_lower_bound && !in.queue)
        f.certainty = Certainty::at_least;
    return f;
}

std::string full_path_words(const ModelInput &in) {
    if (in.open_loop)
        return "the host sends its commands independently of completions";
    const auto time = [](double ns) { return human::duration(static_cast<std::int64_t>(ns)); };
    if (in.queue)
        return fmt::format("there is a standing queue: the round trip is {} under load against {} at rest",
                           time(in.queue->under_load), time(in.queue->at_rest));
    const double rate = in.byte_share * in.path_rate.value_or(0);
    if (rate > 0 && !in.rate_is_lower_bound && !path_not_seen(in) && in.measured_throughput >= 0.9 * rate)
        return fmt::format("the link is full: these tasks take {} of {}",
                           human::megabyte_rate(in.measured_throughput), human::megabyte_rate(rate));
    return {};
}

} // namespace iscsiscope
