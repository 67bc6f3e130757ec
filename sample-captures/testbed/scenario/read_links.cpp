// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/read_parts.h"

#include <algorithm>

namespace iscsiscope::testbed::scenario {
namespace {

using shim::LinkConfig;

constexpr std::uint64_t default_queue_packets = 1000;

void read_schedule(TableReader &from, LinkConfig &link) {
    if (!from.has("schedule"))
        return;
    std::vector<shim::RateStep> steps;
    for (TableReader &row : from.tables("schedule")) {
        steps.push_back({row.duration("at").value_or(Duration{0}), row.rate("rate").value_or(0)});
        if (!row.has("rate"))
            row.mistake("rate", "is missing");
        row.refuse_the_rest();
    }
    const bool ordered = std::is_sorted(steps.begin(), steps.end(),
                                        [](const auto &a, const auto &b) { return a.from < b.from; });
    if (steps.empty() || steps.front().from != Duration{0} || !ordered)
        from.mistake("schedule", "the first step must be at \"0s\" and each later than the one before");
    else if (steps.back().bits_per_second == 0)
        from.mistake("schedule", "the last step's rate must not be 0: packets would wait for ever");
    if (from.has("rate"))
        from.mistake("schedule", "rate and schedule exclude each other");
    link.rate = std::move(steps);
}

void read_rate(TableReader &from, LinkConfig &link) {
    if (const auto rate = from.rate("rate")) {
        if (*rate == 0)
            from.mistake("rate", "must not be 0");
        else
            link.rate = {{Duration{0}, *rate}};
    }
    from.node("schedule");
    read_schedule(from, link);
    if (const auto packets = from.integer("queue_packets", 1, 10'000'000))
        link.queue_packets = static_cast<std::uint64_t>(*packets);
    if (const auto bytes = from.bytes("queue_bytes"))
        link.queue_bytes = *bytes;
    if (const auto overhead = from.integer("overhead_bytes", 0, 10'000))
        link.overhead_bytes = static_cast<std::uint32_t>(*overhead);
    if (from.has("access_rate") && from.node("access_rate")->value<std::string>() == "none")
        link.access_rate = 0;
    else if (const auto access = from.rate("access_rate"))
        link.access_rate = *access;
}

void read_loss(TableReader &from, LinkConfig &link) {
    if (const auto loss = from.share("loss"))
        link.loss.random = *loss;
    if (auto burst = from.table("burst_loss")) {
        shim::GilbertElliott model;
        model.to_bad = burst->share("to_bad").value_or(model.to_bad);
        model.to_good = burst->share("to_good").value_or(model.to_good);
        model.loss_in_good = burst->share("loss_in_good").value_or(model.loss_in_good);
        model.loss_in_bad = burst->share("loss_in_bad").value_or(model.loss_in_bad);
        if (!burst->has("to_bad") || !burst->has("to_good"))
            burst->mistake("to_bad", "to_bad and to_good are both needed");
        burst->refuse_the_rest();
        link.loss.burst = model;
    }
    if (const auto every = from.integer("drop_every", 1, std::numeric_limits<std::int64_t>::max()))
        link.loss.every_nth = static_cast<std::uint64_t>(*every);
    if (from.has("drop_packets")) {
        link.loss.listed = from.counts("drop_packets");
        std::sort(link.loss.listed.begin(), link.loss.listed.end());
    }
    from.node("drop_packets");
    if (const auto counts = from.text("drop_counts")) {
        if (*counts != "all" && *counts != "data")
            from.mistake("drop_counts", "expected \"all\" (packets) or \"data\" (packets with TCP payload)");
        link.loss.count_data_only = *counts == "data";
    }
}

void read_disturbances(TableReader &from, LinkConfig &link) {
    if (auto reorder = from.table("reorder")) {
        link.reorder_probability = reorder->share("probability").value_or(0.0);
        link.reorder_delay = reorder->duration("delay").value_or(Duration{0});
        if (!reorder->has("probability") || !reorder->has("delay"))
            reorder->mistake("delay", "probability and delay are both needed");
        reorder->refuse_the_rest();
    }
    link.duplicate_probability = from.share("duplicate").value_or(link.duplicate_probability);
    if (const auto mtu = from.integer("black_hole_mtu", 68, 65535))
        link.black_hole_mtu = static_cast<std::uint32_t>(*mtu);
    if (from.has("outages"))
        link.outages.clear();
    for (TableReader &row : from.tables("outages")) {
        const auto start = row.duration("from");
        const auto end = row.duration("until");
        if (!start || !end || *end <= *start)
            row.mistake("until", "from and until are both needed, until after from");
        else
            link.outages.push_back({*start, *end});
        row.refuse_the_rest();
    }
    link.ack_hold = from.duration("ack_hold").value_or(link.ack_hold);
    link.strip_window_scale = from.flag("strip_window_scale").value_or(link.strip_window_scale);
}

// Both directions start from the link's own keys; `forward` and `backward` change theirs.
void read_direction(TableReader &from, LinkConfig &link) {
    link.delay = from.duration("delay").value_or(link.delay);
    link.jitter = from.duration("jitter").value_or(link.jitter);
    link.jitter_reorders = from.flag("jitter_reorders").value_or(link.jitter_reorders);
    read_rate(from, link);
    read_loss(from, link);
    read_disturbances(from, link);
}

// A queue always has an end.
void bound_queue(LinkConfig &link) {
    if (!link.rate.empty() && link.queue_packets == 0 && link.queue_bytes == 0)
        link.queue_packets = default_queue_packets;
}

} // namespace

std::optional<std::uint32_t> link_named(const Scenario &scenario, const std::string &name) {
    const auto &links = scenario.network.links;
    for (std::uint32_t i = 0; i < links.size(); ++i)
        if (links[i].name == name)
            return i;
    return std::nullopt;
}

void read_links(TableReader &top, Scenario &scenario) {
    for (TableReader &row : top.tables("link")) {
        shim::DuplexLink link;
        link.name = row.require_text("name");
        if (!link.name.empty() && (!is_plain_name(link.name) || link_named(scenario, link.name)))
            row.mistake("name", "must be unique, and of letters, digits, - and _ only");
        LinkConfig common;
        read_direction(row, common);
        link.forward = link.backward = common;
        if (auto forward = row.table("forward")) {
            read_direction(*forward, link.forward);
            forward->refuse_the_rest();
        }
        if (auto backward = row.table("backward")) {
            read_direction(*backward, link.backward);
            backward->refuse_the_rest();
        }
        row.refuse_the_rest();
        bound_queue(link.forward);
        bound_queue(link.backward);
        scenario.network.links.push_back(std::move(link));
    }
}

void read_taps(TableReader &top, Scenario &scenario) {
    for (TableReader &row : top.tables("tap")) {
        shim::TapConfig tap;
        tap.name = row.require_text("name");
        const auto same = [&tap](const auto &other) { return other.name == tap.name; };
        const auto &taps = scenario.network.taps;
        if (!tap.name.empty() && (!is_plain_name(tap.name) || host_named(scenario, tap.name) ||
                                  std::any_of(taps.begin(), taps.end(), same)))
            row.mistake("name", "must be unique among hosts and taps, and of letters, digits, - and _ only");
        const std::string link = row.require_text("link");
        if (const auto index = link_named(scenario, link))
            tap.link = *index;
        else if (!link.empty())
            row.mistake("link", no_such_link(scenario, link));
        const std::string place = row.text("place").value_or("on_wire");
        if (place == "before_queue")
            tap.place = shim::TapConfig::Place::before_queue;
        else if (place == "behind_queue")
            tap.place = shim::TapConfig::Place::behind_queue;
        else if (place != "on_wire")
            row.mistake("place", "expected \"before_queue\", \"behind_queue\" or \"on_wire\"");
        if (row.has("fraction") && place != "on_wire")
            row.mistake("fraction", "only a tap on_wire has a fraction");
        tap.fraction = row.fraction("fraction").value_or(0.5);
        row.refuse_the_rest();
        scenario.network.taps.push_back(std::move(tap));
    }
}

} // namespace iscsiscope::testbed::scenario
