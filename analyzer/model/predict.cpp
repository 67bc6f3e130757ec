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

// What the keys are taken to be where a change makes the model ask for them: those that the login does not
// tell as large as they were seen, else as RFC 7143 has them. Only for what-if, and said with it.
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

// Those of them that a change asks for and that are not known.
std::string not_known_of(const ModelInput &in, bool unsolicited, bool burst, std::span<const Change> set) {
    struct Asked {
        Parameter parameter;
        Lever lever;
        bool asked;
    };
    const Asked all[] = {{Parameter::max_burst_length, Lever::max_burst_length, burst},
                         {Parameter::first_burst_length, Lever::first_burst_length, unsolicited},
                         {Parameter::initial_r2t, Lever::initial_r2t, unsolicited},
                         {Parameter::immediate_data, Lever::immediate_data, unsolicited}};
    std::string names;
    for (const Asked &a : all) {
        const bool given =
            std::any_of(set.begin(), set.end(), [&](const Change &c) { return c.lever == a.lever; });
        if (a.asked && !given && !in.keys_known.has(a.parameter))
            names += (names.empty() ? "" : ", ") + std::string(name(a.lever));
    }
    return names;
}

constexpr ParameterSet unsolicited_keys = {Parameter::first_burst_length, Parameter::initial_r2t,
                                           Parameter::immediate_data, Parameter::max_recv_target};

// The same with the best values for those of `asked` that are not known: the most that could be gained.
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
    bool block = false; // so does what is sent unasked of a block of another size, where the keys are known
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
        c.block = true;
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
    const bool told = in.keys_known.has_all(unsolicited_keys);
    if (c.block && !c.unsolicited && !told)
        s.unsolicited = in.unsolicited < in.block ? std::min(in.unsolicited, s.block) : s.block; // as seen
    if (c.unsolicited || (c.block && told)) {
        // What the initiator does not use of its keys now it would not use then either.
        const double allowed = allowed_unsolicited(in.keys, in.block);
        const double now = allowed_unsolicited(c.keys, s.block);
        const bool uses_less = told && allowed > 0 && in.unsolicited < 0.9 * allowed;
        s.unsolicited = uses_less ? std::min(now, in.unsolicited) : now;
        if (uses_less && now > in.unsolicited)
            c.remarks.push_back(fmt::format("The initiator sends {} unasked where its keys allow {}: its own "
                                            "setting may stand in the way.",
                                            human::block(static_cast<std::uint64_t>(in.unsolicited)),
                                            human::block(static_cast<std::uint64_t>(allowed))));
    }
    if (c.burst || c.unsolicited || c.block || s.burst <= 0) {
        const double key = c.keys.max_burst_length;
        const double left = std::max(0.0, in.block - in.unsolicited);
        // R2Ts that ask for less than the key allows and less than was left: the target's own limit.
        const bool capped = in.r2ts > 0 && in.keys_known.has(Parameter::max_burst_length) &&
                            in.burst < 0.9 * in.keys.max_burst_length && in.burst < 0.9 * left;
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
    Changed changed{settings, keys_taken(in), false, false, {}};
    for (const Change &c : changes)
        apply(changed, c, in);
    settle_bursts(changed, in);
    if (const std::string names = not_known_of(
            in, changed.unsolicited, changed.unsolicited || changed.burst || changed.block, changes);
        in.type == TaskType::write && !names.empty())
        changed.remarks.push_back("The login in the capture does not tell " + names +
                                  ": taken as large as seen, else at the defaults of RFC 7143.");
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
    // `rests_on`: keys whose values the verdict needs. Where the login does not tell one of them, the best
    // values are tried for it: if even so nothing is gained the key does not bind, else nobody can tell.
    const auto judge = [&](std::string key, std::string value, std::initializer_list<Change> best,
                           std::string_view why_not, ParameterSet rests_on = {}) {
        const bool known = in.keys_known.has_all(rests_on);
        Changed changed{base, known ? keys_taken(in) : best_keys(in, rests_on), false, false, {}};
        for (const Change &c : best)
            apply(changed, c, in);
        settle_bursts(changed, in);
        const double then = evaluate(changed.settings, correction).throughput;
        KeyVerdict v{std::move(key), std::move(value), false, now > 0 ? then / now - 1 : 0, {}};
        v.binds = v.gain > 0.01;
        v.reason = v.binds ? fmt::format("its best value would give {} more", human::share(v.gain))
                           : std::string(why_not);
        if (v.binds && !known) {
            v.reason = fmt::format("the login in the capture does not tell: at most {} to gain",
                                   human::share(v.gain));
            v.judged = v.binds = false;
            v.gain = 0;
        }
        all.push_back(std::move(v));
    };
    // A key's value, or what was seen of it.
    const auto told = [&](Parameter p, const std::string &value, const std::string &seen) {
        return in.keys_known.has(p) ? value : seen.empty() ? "not known" : seen + ", seen";
    };
    const auto at_least = [](bool any, const std::string &value) {
        return any ? "at least " + value : std::string();
    };
    const bool writes = in.type == TaskType::write;
    if (writes) {
        const std::string r2ts = fmt::format("a Write of {} waits for {:.0f} R2Ts as it is", size(in.block),
                                             std::ceil(r2t_count(base)));
        using enum Parameter;
        const bool unasked = in.keys_known.has(initial_r2t) && !in.keys.initial_r2t;
        const bool asked = in.keys_known.has(initial_r2t) && in.keys.initial_r2t;
        const bool immediate = in.keys_known.has(immediate_data) && in.keys.immediate_data;
        judge("MaxBurstLength",
              told(max_burst_length, size(in.keys.max_burst_length), at_least(in.r2ts > 0, size(in.burst))),
              {{Lever::max_burst_length, 16777215}}, r2ts + ", and larger bursts would not save one",
              {max_burst_length});
        judge("FirstBurstLength",
              told(first_burst_length, size(in.keys.first_burst_length),
                   at_least(in.unsolicited > 0, size(in.unsolicited))),
              {{Lever::first_burst_length, in.block}},
              asked ? "InitialR2T=Yes: it limits immediate data only, and " + r2ts : r2ts, unsolicited_keys);
        judge("InitialR2T",
              told(initial_r2t, yes_no(in.keys.initial_r2t), in.unsolicited_pdus ? "No" : std::string()),
              {{Lever::initial_r2t, 0}},
              unasked ? "it is at its best value" : "data sent unasked would not save a round trip: " + r2ts,
              unsolicited_keys);
        judge("ImmediateData",
              told(immediate_data, yes_no(in.keys.immediate_data), in.immediate_seen ? "Yes" : std::string()),
              {{Lever::immediate_data, 1}},
              immediate ? "it is at its best value" : "immediate data would not save a round trip: " + r2ts,
              unsolicited_keys);
        judge("MaxOutstandingR2T",
              told(max_outstanding_r2t, human::count(in.keys.max_outstanding_r2t),
                   at_least(in.r2ts > 0, human::count(static_cast<std::uint64_t>(in.r2ts_outstanding)))),
              {{Lever::max_outstanding_r2t, 16}}, r2ts, {max_outstanding_r2t});
    } else {
        for (const char *key :
             {"MaxBurstLength", "FirstBurstLength", "InitialR2T", "ImmediateData", "MaxOutstandingR2T"})
            all.push_back({key, {}, false, 0, "the data is read: it concerns Writes only"});
    }
    const Parameter limit = writes ? Parameter::max_recv_target : Parameter::max_recv_initiator;
    const bool limit_known = in.keys_known.has(limit);
    const double segment = !limit_known ? in.largest_segment
                           : writes     ? in.keys.max_recv_data_segment_length_target
                                        : in.keys.max_recv_data_segment_length_initiator;
    // A header of 48 bytes for each Data PDU (RFC 7143 section 11.2) is all that a larger one saves the path.
    const double headers = in.path_rate && evaluate(base).bottleneck == Bottleneck::path_rate && segment > 0
                               ? 48 / segment - 48 / std::max(segment, 262144.0)
                               : 0;
    KeyVerdict segments{"MaxRecvDataSegmentLength",
                        told(limit, size(segment), at_least(in.largest_segment > 0, size(segment))),
                        headers > 0.01 && limit_known, limit_known ? headers : 0,
                        headers > 0.01
                            ? fmt::format("headers take {} of the path", human::share(48 / (48 + segment)))
                            : "the headers of its Data PDUs take next to nothing of the path"};
    segments.judged = limit_known || headers <= 0.01;
    all.push_back(std::move(segments));
    judge("MaxConnections",
          told(Parameter::max_connections, human::count(in.keys.max_connections),
               at_least(true, human::count(static_cast<std::uint64_t>(in.connections)))),
          {{Lever::connections, base.connections * 4}},
          "no connection's window or loss sets the rate: more of them would carry the same",
          {Parameter::max_connections});
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
