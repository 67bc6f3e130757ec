// SPDX-License-Identifier: GPL-2.0-or-later
// Determines for each negotiated key and other setting whether it limits the throughput.
#include "analyzer/base/number_format.h"
#include "analyzer/model/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

namespace iscsiscope {
namespace {

// "45 % more", "about 4 times".
std::string more_words(double gain) {
    return gain < 1 ? fmt::format("{:.{}f} % more", gain * 100, gain < 0.0995 ? 1 : 0)
                    : fmt::format("about {:.{}f} times", 1 + gain, gain < 8.95 ? 1 : 0);
}

} // namespace

std::string KeyVerdict::best_of() const {
    if (!range || !judged)
        return "-";
    return (binds ? best_words + " of " : "none better in ") + range->words;
}

std::string KeyVerdict::gain_words() const {
    if (!binds)
        return "-";
    const char *prefix = certainty == Certainty::at_least      ? "at least "
                         : certainty == Certainty::beyond_seen ? "up to "
                                                               : "";
    return prefix + more_words(gain);
}

std::vector<KeyVerdict> key_verdicts(const ModelInput &in) {
    std::vector<KeyVerdict> all;
    const ModelSettings base = settings_of(in);
    const ModelResult now = evaluate(base);
    const std::string full = full_path_words(in);
    const auto yes_no = [](bool v) { return std::string(v ? "Yes" : "No"); };
    const auto size = [](double v) { return human::block(static_cast<std::uint64_t>(v)); };
    // rests_on: keys whose values the verdict needs. If one of them is not known, the best value is assumed
    // for it: without a gain even then the key does not bind; with a gain there is no verdict.
    const auto judge = [&](std::string key, std::string value, SettingName setting, std::string_view why_not,
                           ParameterSet rests_on = {}) {
        const bool known = in.keys_known.has_all(rests_on);
        const OperationalParameters keys = known ? keys_taken(in) : best_keys(in, rests_on);
        KeyVerdict v;
        v.key = std::move(key);
        v.value = std::move(value);
        v.range = tried_range(setting, in);
        for (const double tried : tried_values(setting, in)) {
            const Change change{setting, tried};
            const Forecast f = forecast(in, keys, std::span(&change, 1));
            const double gain = ratio(f.result.throughput - in.measured_throughput, in.measured_throughput);
            if (gain <= v.gain + 1e-9)
                continue;
            v.gain = gain;
            v.best = tried;
            v.certainty = f.certainty;
        }
        v.best_words = v.best ? value_words(setting, *v.best) : std::string();
        v.binds = v.gain > 0.01;
        v.reason = v.binds ? fmt::format("{} → {}: {}", v.value, v.best_words, more_words(v.gain))
                           : std::string(why_not);
        if (v.binds && v.certainty == Certainty::at_least)
            v.reason += " at least (nothing in the capture filled the path)";
        else if (v.binds && v.certainty == Certainty::beyond_seen)
            v.reason += ", if the path carries it (extrapolated)";
        if (v.binds && !known) {
            v.reason = fmt::format("no login in the capture states it; at most {}", more_words(v.gain));
            v.judged = v.binds = false;
            v.gain = 0;
            v.best.reset();
            v.best_words.clear();
        }
        all.push_back(std::move(v));
    };
    // Why more at once would not help: a full path, or that only the highest rate seen is known.
    const auto or_full = [&](const char *otherwise) {
        return !full.empty() ? full
               : now.limit == Limit::path_rate && in.rate_is_lower_bound
                   ? "no higher rate than this was seen: whether path and target carry more is not known"
                   : std::string(otherwise);
    };
    // The value of a key as negotiated, else as observed; empty: neither is known.
    const auto value_of = [&](Parameter p, const std::string &value, const std::string &seen) {
        return in.keys_known.has(p) ? value : seen.empty() ? seen : seen + ", seen";
    };
    const auto at_least = [](bool any, const std::string &value) {
        return any ? "at least " + value : std::string();
    };
    using enum Parameter;
    const std::string bursts =
        value_of(max_burst_length, size(in.keys.max_burst_length), at_least(in.r2ts > 0, size(in.burst)));
    const std::string first_burst = value_of(first_burst_length, size(in.keys.first_burst_length),
                                             at_least(in.unsolicited > 0, size(in.unsolicited)));
    const std::string asking =
        value_of(initial_r2t, yes_no(in.keys.initial_r2t), in.unsolicited_pdus ? "No" : std::string());
    const std::string with_command =
        value_of(immediate_data, yes_no(in.keys.immediate_data), in.immediate_seen ? "Yes" : std::string());
    const std::string outstanding =
        value_of(max_outstanding_r2t, human::count(in.keys.max_outstanding_r2t),
                 at_least(in.r2ts > 0, human::count(static_cast<std::uint64_t>(in.r2ts_outstanding))));
    const bool writes = in.type == TaskType::write;
    if (writes) {
        const std::string r2ts = fmt::format("a Write of {} waits for {:.0f} R2Ts as it is", size(in.block),
                                             std::ceil(r2t_count(base)));
        judge("MaxBurstLength", bursts, SettingName::max_burst_length,
              r2ts + ", and larger bursts would not save one", {max_burst_length});
        judge("FirstBurstLength", first_burst, SettingName::first_burst_length,
              asking == "Yes" ? "InitialR2T=Yes: it limits immediate data only, and " + r2ts : r2ts,
              unsolicited_keys);
        judge("InitialR2T", asking, SettingName::initial_r2t,
              asking == "No" ? "it is at its best value"
                             : "unsolicited data would not save a round trip: " + r2ts,
              unsolicited_keys);
        judge("ImmediateData", with_command, SettingName::immediate_data,
              with_command == "Yes" ? "it is at its best value"
                                    : "immediate data would not save a round trip: " + r2ts,
              unsolicited_keys);
        judge("MaxOutstandingR2T", outstanding, SettingName::max_outstanding_r2t, r2ts,
              {max_outstanding_r2t});
    } else {
        for (const auto &[key, value] : std::initializer_list<std::pair<const char *, const std::string &>>{
                 {"MaxBurstLength", bursts},
                 {"FirstBurstLength", first_burst},
                 {"InitialR2T", asking},
                 {"ImmediateData", with_command},
                 {"MaxOutstandingR2T", outstanding}})
            all.push_back(
                {key, value, false, 0, "the data is read: it concerns Writes only", true, {}, {}, {}});
    }
    const Parameter limit = writes ? Parameter::max_recv_target : Parameter::max_recv_initiator;
    const bool limit_known = in.keys_known.has(limit);
    const double segment = !limit_known ? in.largest_segment
                           : writes     ? in.keys.max_recv_data_segment_length_target
                                        : in.keys.max_recv_data_segment_length_initiator;
    // Larger Data PDUs save the path only their headers of 48 bytes each (RFC 7143 section 11.2).
    const double headers = in.path_rate && now.bottleneck == Bottleneck::path_rate && segment > 0
                               ? 48 / segment - 48 / std::max(segment, 262144.0)
                               : 0;
    KeyVerdict segments;
    segments.key = "MaxRecvDataSegmentLength";
    segments.value = value_of(limit, size(segment), at_least(in.largest_segment > 0, size(segment)));
    segments.binds = headers > 0.01 && limit_known;
    segments.gain = segments.binds ? headers : 0;
    segments.reason = headers > 0.01
                          ? fmt::format("headers take {} of the path", human::share(48 / (48 + segment)))
                          : "the headers of its Data PDUs take almost none of the path's rate";
    segments.range = TriedRange{512, 262144, size(512) + ".." + size(262144)};
    if (segments.binds) {
        segments.best = 262144;
        segments.best_words = size(262144);
    }
    segments.judged = limit_known || headers <= 0.01;
    all.push_back(std::move(segments));
    judge("MaxConnections",
          value_of(Parameter::max_connections, human::count(in.keys.max_connections),
                   at_least(true, human::count(static_cast<std::uint64_t>(in.connections)))),
          SettingName::connections,
          or_full("no connection's window or loss sets the rate: more of them would carry the same"),
          {Parameter::max_connections});
    judge("depth", fmt::format("{:.1f}", base.depth), SettingName::depth,
          or_full("more commands outstanding would be held by the same limit"));
    judge("block", size(base.block), SettingName::block_size,
          or_full("larger blocks would be held by the same limit"));
    judge("window", base.window ? size(*base.window) : std::string(), SettingName::window,
          !full.empty()         ? full
          : in.window_is_buffer ? "the send buffer leaves room"
                                : "the receive window leaves room");
    judge("TCP_NODELAY", in.held_acks ? "off" : "no wait seen", SettingName::no_delay,
          "no data waited for the acknowledgment of a small segment");
    return all;
}

} // namespace iscsiscope
