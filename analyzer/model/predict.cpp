// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "analyzer/model/setting_rules.h"
#include "analyzer/model/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

// Returns the names of the keys whose values the changes need and that are neither set nor known.
std::string not_known_of(const ModelInput &in, bool unsolicited, bool burst, std::span<const Change> set) {
    struct Asked {
        Parameter parameter;
        SettingName setting;
        bool asked;
    };
    const Asked all[] = {{Parameter::max_burst_length, SettingName::max_burst_length, burst},
                         {Parameter::first_burst_length, SettingName::first_burst_length, unsolicited},
                         {Parameter::initial_r2t, SettingName::initial_r2t, unsolicited},
                         {Parameter::immediate_data, SettingName::immediate_data, unsolicited}};
    std::string names;
    for (const Asked &a : all) {
        const bool given = std::ranges::any_of(set, [&](const Change &c) { return c.setting == a.setting; });
        if (a.asked && !given && !in.keys_known.has(a.parameter))
            names += (names.empty() ? "" : ", ") + std::string(name(a.setting));
    }
    return names;
}

// Returns the 5 % and 95 % quantiles of the resampled mean cycle time over the mean, by bootstrap with a
// fixed seed: the same capture always gives the same interval.
std::pair<double, double> bootstrap(const std::vector<Duration> &samples) {
    if (samples.size() < 2)
        return {0.5, 1.5}; // the spread is not known
    std::uint64_t state = 0x9e3779b97f4a7c15U;
    const auto draw = [&] { // xorshift64* (Vigna 2016)
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return (state * 0x2545f4914f6cdd1dU) >> 33;
    };
    double sum = 0;
    for (const Duration s : samples)
        sum += static_cast<double>(to_ns(s));
    const double mean = sum / static_cast<double>(samples.size());
    std::vector<double> means(200);
    for (double &m : means) {
        double resampled = 0;
        for (std::size_t i = 0; i < samples.size(); ++i)
            resampled += static_cast<double>(to_ns(samples[draw() % samples.size()]));
        m = mean > 0 ? resampled / static_cast<double>(samples.size()) / mean : 1;
    }
    std::ranges::sort(means);
    return {means[9], means[189]};
}

} // namespace

std::string_view name(SettingName s) {
    return rule_of(s).name;
}

Prediction predict(const ModelInput &in, std::span<const Change> changes) {
    Prediction p;
    const ModelSettings settings = settings_of(in);
    const ModelResult before = evaluate(settings);
    Forecast after = forecast(in, keys_taken(in), changes);
    Changed &changed = after.changed;
    if (const std::string names = not_known_of(
            in, changed.unsolicited, changed.unsolicited || changed.burst || changed.block, changes);
        in.type == TaskType::write && !names.empty())
        changed.remarks.push_back("Not stated by a login in the capture: " + names +
                                  ", taken as large as seen, else at the defaults of RFC 7143.");
    p.measured = in.measured_throughput;
    p.modelled = before.throughput;
    p.before = before.parts;
    p.after = after.result.parts;
    p.bottleneck_before = before.bottleneck;
    p.bottleneck_after = after.result.bottleneck;
    p.predicted = after.result.throughput;
    p.certainty = after.certainty;
    const auto [low, high] = bootstrap(in.samples);
    const double error = before.throughput > 0 && p.measured > 0
                             ? std::min(1.0, std::abs(before.throughput / p.measured - 1))
                             : 1;
    p.low = p.predicted / high * (1 - std::min(0.9, error));
    p.high = p.predicted / low * (1 + error);
    // The path carries no more than its rate, where that was seen.
    if (in.path_rate && !in.rate_is_lower_bound && !path_not_seen(in))
        p.high = std::min(p.high, std::max(p.predicted, in.byte_share * *in.path_rate));
    p.interval =
        fmt::format("90 % of the spread of {} measured cycles (bootstrap), widened by the model's own "
                    "error of {} on what was measured",
                    in.samples.size(), human::share(error));
    p.keys = key_verdicts(in);
    p.remarks = std::move(changed.remarks);
    for (const Change &c : changes)
        if (const TriedRange range = tried_range(c.setting, in);
            !range.words.empty() && (c.value < range.least || c.value > range.most))
            p.remarks.push_back(fmt::format("{}={} is beyond the range tried for the table ({}).",
                                            name(c.setting), value_words(c.setting, c.value), range.words));
    const std::string seen =
        human::megabyte_rate(std::max(p.measured, in.byte_share * in.path_rate.value_or(0)));
    if (p.certainty == Certainty::beyond_seen)
        p.remarks.push_back("The prediction is an extrapolation: the path was seen to carry " + seen +
                            " of these tasks, and what it carries beyond is not known.");
    else if (p.certainty == Certainty::at_least)
        p.remarks.push_back(
            "The prediction is the highest rate that the path was seen to carry, " + seen +
            ": nothing in the capture filled the path, and what it carries beyond is not known.");
    if (!model_cycle(in).describes_measured())
        p.remarks.emplace_back(
            "The model does not describe these cycles: what it says about settings is not reliable.");
    if (before.throughput > 2 * p.measured && p.measured > 0)
        p.remarks.push_back(
            fmt::format("The model explains {} of the time that a task is open; the rest is taken "
                        "to stay as it is.",
                        human::share(p.measured / before.throughput)));
    if (changed.settings.depth > settings.depth)
        p.remarks.emplace_back(
            "The target is assumed to serve more commands at once with the same service time.");
    if (settings.loss > 0 && changed.settings.loss > settings.loss * 2)
        p.remarks.emplace_back(
            "Loss is modelled for Reno (Mathis et al. 1997); CUBIC and BBR tolerate more.");
    if (changed.settings.block * changed.settings.depth > 4 * settings.block * settings.depth)
        p.remarks.emplace_back("Much more data at once: the prediction does not include windows that were "
                               "still growing in the capture.");
    return p;
}

} // namespace iscsiscope
