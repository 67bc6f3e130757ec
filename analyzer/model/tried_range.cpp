// SPDX-License-Identifier: GPL-2.0-or-later
// The range of values that key_verdicts() tries of each setting.
#include "analyzer/base/number_format.h"
#include "analyzer/model/setting_rules.h"
#include "analyzer/model/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

double value_in_force(SettingName s, const ModelInput &in) {
    switch (s) {
    case SettingName::block_size:
        return in.block;
    case SettingName::depth:
        return in.depth;
    case SettingName::connections:
        return in.connections;
    case SettingName::window:
        return in.window.value_or(0);
    default:
        return 0;
    }
}

// Adds the sizes at which a Read or Write of this block size just fits into its windows or R2Ts. One byte
// more costs a further round trip, so that the throughput is highest at some of them.
void add_full_transfers(std::vector<double> &values, const ModelInput &in, double most) {
    const ModelSettings s = settings_of(in);
    constexpr std::int64_t each = 32; // of the first and of the last ones
    const auto add = [&](double first, double step) {
        if (!(step >= 1) || !std::isfinite(step) || most < first)
            return;
        const auto last = static_cast<std::int64_t>((most - first) / step);
        for (std::int64_t k = 0; k <= last; k = k == each && last > 2 * each ? last - each : k + 1)
            values.push_back(std::floor((first + static_cast<double>(k) * step) / 512) * 512); // whole blocks
    };
    add(0, std::min(s.window.value_or(loss_window(s)), loss_window(s)));
    if (in.type == TaskType::write)
        for (const double first : {0.0, s.unsolicited, double(in.keys.first_burst_length)})
            add(first, s.burst * s.r2ts_outstanding);
}

} // namespace

std::string value_words(SettingName s, double value) {
    switch (rule_of(s).kind) {
    case SettingKind::yes_no:
        return value != 0 ? "Yes" : "No";
    case SettingKind::size:
        return human::block(static_cast<std::uint64_t>(value));
    case SettingKind::count:
        return human::count(static_cast<std::uint64_t>(value));
    case SettingKind::share:
        return human::share(value);
    case SettingKind::time:
        break;
    }
    return human::duration(static_cast<std::int64_t>(value));
}

TriedRange tried_range(SettingName s, const ModelInput &in) {
    const SettingRule &rule = rule_of(s);
    if (rule.max_tried <= 0)
        return {};
    if (rule.kind == SettingKind::yes_no)
        return {rule.min_tried, rule.max_tried, "Yes, No"};
    const double now = value_in_force(s, in);
    TriedRange r{rule.min_tried, std::max(rule.max_tried, std::ceil(now)), {}};
    if (now > 0)
        r.least = std::min(r.least, std::floor(now));
    r.words = value_words(s, r.least) + ".." + value_words(s, r.most);
    return r;
}

std::vector<double> tried_values(SettingName s, const ModelInput &in) {
    const TriedRange r = tried_range(s, in);
    std::vector<double> all{r.least, r.most};
    if (rule_of(s).kind == SettingKind::count)
        for (int v = static_cast<int>(r.least); v <= std::min(r.most, 1024.0); ++v)
            all.push_back(v);
    else if (rule_of(s).kind == SettingKind::size)
        for (std::int64_t v = 512; static_cast<double>(v) < r.most; v *= 2)
            all.push_back(static_cast<double>(v));
    if (s == SettingName::block_size)
        add_full_transfers(all, in, r.most);
    // With FirstBurstLength or MaxBurstLength as large as the block nothing is left to gain.
    if (s == SettingName::first_burst_length || s == SettingName::max_burst_length)
        all.push_back(std::ceil(in.block));
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase_if(all, [&](double v) { return v < r.least || v > r.most; });
    return all;
}

} // namespace iscsiscope
