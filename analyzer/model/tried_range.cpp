// SPDX-License-Identifier: GPL-2.0-or-later
// The range of values that key_verdicts() tries of each setting.
#include "analyzer/base/number_format.h"
#include "analyzer/model/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr double kib = 1024, mib = 1024 * kib;

enum class Kind : std::uint8_t { none, yes_no, count, size };

struct Bounds {
    Kind kind = Kind::none;
    double least = 0, most = 0;
};

// Keys: all values that RFC 7143 allows (sections 13.10, 13.11, 13.13, 13.14 and 13.17). Others: what
// initiators can be set to. The settings of the path (delay, loss) are not those of an end: no value of them
// is tried.
Bounds bounds_of(SettingName s) {
    switch (s) {
    case SettingName::block_size:
        return {Kind::size, 4 * kib, 4 * mib};
    case SettingName::max_burst_length:
    case SettingName::first_burst_length:
        return {Kind::size, 512, 16777215};
    case SettingName::initial_r2t:
    case SettingName::immediate_data:
    case SettingName::phase_collapse:
    case SettingName::no_delay:
        return {Kind::yes_no, 0, 1};
    case SettingName::max_outstanding_r2t:
        return {Kind::count, 1, 65535};
    case SettingName::depth:
        return {Kind::count, 1, 128}; // the default of node.session.cmds_max in open-iscsi
    case SettingName::connections:
        return {Kind::count, 1, 8};
    case SettingName::window:
        return {Kind::size, 64 * kib, 16 * mib};
    case SettingName::delay:
    case SettingName::loss:
        break;
    }
    return {};
}

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
    switch (bounds_of(s).kind) {
    case Kind::yes_no:
        return value != 0 ? "Yes" : "No";
    case Kind::size:
        return human::block(static_cast<std::uint64_t>(value));
    case Kind::count:
        return human::count(static_cast<std::uint64_t>(value));
    case Kind::none:
        break;
    }
    return s == SettingName::loss ? human::share(value) : human::duration(static_cast<std::int64_t>(value));
}

TriedRange tried_range(SettingName s, const ModelInput &in) {
    const Bounds b = bounds_of(s);
    if (b.kind == Kind::none)
        return {};
    if (b.kind == Kind::yes_no)
        return {b.least, b.most, "Yes, No"};
    const double now = value_in_force(s, in);
    TriedRange r{b.least, std::max(b.most, std::ceil(now)), {}};
    if (now > 0)
        r.least = std::min(r.least, std::floor(now));
    r.words = value_words(s, r.least) + ".." + value_words(s, r.most);
    return r;
}

std::vector<double> tried_values(SettingName s, const ModelInput &in) {
    const TriedRange r = tried_range(s, in);
    std::vector<double> all{r.least, r.most};
    if (bounds_of(s).kind == Kind::count)
        for (int v = static_cast<int>(r.least); v <= std::min(r.most, 1024.0); ++v)
            all.push_back(v);
    else if (bounds_of(s).kind == Kind::size)
        for (std::int64_t v = 512; static_cast<double>(v) < r.most; v *= 2)
            all.push_back(static_cast<double>(v));
    if (s == SettingName::block_size)
        add_full_transfers(all, in, r.most);
    // With FirstBurstLength or MaxBurstLength as large as the block nothing is left to gain.
    if (s == SettingName::first_burst_length || s == SettingName::max_burst_length)
        all.push_back(std::ceil(in.block));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase_if(all, [&](double v) { return v < r.least || v > r.most; });
    return all;
}

} // namespace iscsiscope
