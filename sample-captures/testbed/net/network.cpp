// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/network.h"

#include "sample-captures/testbed/net/packets/packet_edit.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed::shim {
namespace {

std::uint64_t route_key(Ipv4 source, Ipv4 destination) {
    return (std::uint64_t{source} << 32U) | destination;
}

std::uint32_t host_of(const NetworkConfig &config, Ipv4 address) {
    for (std::uint32_t host = 0; host < config.host_addresses.size(); ++host) {
        const auto &addresses = config.host_addresses[host];
        if (std::find(addresses.begin(), addresses.end(), address) != addresses.end())
            return host;
    }
    return 0;
}

} // namespace

Network::Network(NetworkConfig config, NetworkSink &sink) : config_(std::move(config)), sink_(sink) {
    for (std::uint32_t i = 0; i < config_.links.size(); ++i) {
        for (const LinkConfig *link : {&config_.links[i].forward, &config_.links[i].backward}) {
            const auto number = static_cast<std::uint32_t>(halves_.size());
            Half half{Link(*link, config_.seed, number), {}, {}, false, 0, {}};
            half.clocked = !link->rate.empty();
            half.access_rate =
                half.clocked ? link->access_rate.value_or(2 * RateClock(link->rate).highest_rate()) : 0;
            halves_.push_back(std::move(half));
        }
    }
    for (std::uint32_t i = 0; i < config_.taps.size(); ++i) {
        half(config_.taps[i].link, Direction::forward).taps.push_back(i);
        half(config_.taps[i].link, Direction::backward).taps.push_back(i);
    }
    for (std::uint32_t i = 0; i < config_.paths.size(); ++i) {
        for (const Ipv4 first : config_.paths[i].first) {
            for (const Ipv4 second : config_.paths[i].second) {
                routes_[route_key(first, second)] = {i, Direction::forward, host_of(config_, second)};
                routes_[route_key(second, first)] = {i, Direction::backward, host_of(config_, first)};
            }
        }
    }
}

Network::Half &Network::half(std::uint32_t link, Direction direction) {
    return halves_[std::size_t{link} * 2 + static_cast<std::size_t>(direction)];
}
const Network::Totals &Network::totals(std::uint32_t link, Direction direction) const {
    return halves_[std::size_t{link} * 2 + static_cast<std::size_t>(direction)].totals;
}
const Link &Network::link(std::uint32_t link, Direction direction) const {
    return halves_[std::size_t{link} * 2 + static_cast<std::size_t>(direction)].link;
}

std::uint32_t Network::link_at(const Route &route, std::uint32_t hop) const {
    const auto &links = config_.paths[route.path].links;
    return route.direction == Direction::forward ? links[hop] : links[links.size() - 1 - hop];
}

bool Network::first_limited(const Route &route, std::uint32_t hop) const {
    for (std::uint32_t earlier = 0; earlier < hop; ++earlier) {
        const DuplexLink &link = config_.links[link_at(route, earlier)];
        const LinkConfig &way = route.direction == Direction::forward ? link.forward : link.backward;
        if (!way.rate.empty())
            return false;
    }
    return true;
}

void Network::push(Instant at, PacketRef packet, Route route, std::uint32_t hop, Step step) {
    events_.push({at, created_++, std::move(packet), route, hop, step});
}

void Network::submit(PacketRef packet, Instant at) {
    const auto route = routes_.find(route_key(packet->info.source, packet->info.destination));
    at = std::max(at, advanced_to_);
    if (route == routes_.end()) {
        ++unroutable_;
        sink_.on_drop({std::move(packet), at, 0, Direction::forward, DropCause::unroutable, 0});
        return;
    }
    ++under_way_;
    onward(at, packet, route->second, 0);
}

// To the hop's link, or to the host when the path ends.
void Network::onward(Instant at, const PacketRef &packet, Route route, std::uint32_t hop) {
    const bool there = hop >= config_.paths[route.path].links.size();
    push(at, packet, route, hop, there ? Step::deliver : Step::reach_link);
}

void Network::reach_link(const Event &event) {
    Half &way = half(link_at(event.route, event.hop), event.route.direction);
    // A rate-limited link further up spaces the packets already: only a clock that the scenario asks
    // for stands in front of a later one, or a speed step would never see a burst.
    const bool clocked = way.access_rate > 0 &&
                         (way.link.config().access_rate.has_value() || first_limited(event.route, event.hop));
    if (!clocked) {
        enter_queue(event);
        return;
    }
    AccessClock &clock = way.access.try_emplace(event.packet->from_host, way.access_rate).first->second;
    const Instant at = clock.pass(event.at, event.packet->info.ip_bytes + way.link.config().overhead_bytes);
    push(at, event.packet, event.route, event.hop, Step::enter_queue);
}

void Network::enter_queue(const Event &event) {
    const std::uint32_t number = link_at(event.route, event.hop);
    const Direction direction = event.route.direction;
    Half &way = half(number, direction);
    PacketRef packet = event.packet;
    const PacketInfo &info = packet->info;
    const Link::Decision decision =
        way.link.admit({event.at, info.ip_bytes, info.has_payload(), info.pure_ack()});
    ++way.totals.packets_in;
    way.totals.bytes_in += info.ip_bytes;

    using Place = TapConfig::Place;
    for (const std::uint32_t tap : way.taps)
        if (config_.taps[tap].place == Place::before_queue)
            sink_.on_tap(tap, packet, decision.arrived);
    if (decision.drop != DropCause::none) {
        ++way.totals.drops[decision.drop];
        --under_way_;
        sink_.on_drop({packet, decision.departed, number, direction, decision.drop, decision.queue_packets});
        return;
    }
    if (way.link.config().strip_window_scale) {
        auto edited = std::make_shared<Packet>(*packet);
        if (strip_window_scale(edited->bytes, edited->info)) {
            packet = std::move(edited);
            sink_.on_disturbance({packet, decision.arrived, decision.deliver, number, direction,
                                  Disturbance::Kind::window_scale_stripped});
        }
    }
    const int copies = decision.duplicated ? 2 : 1;
    for (const std::uint32_t tap : way.taps) {
        const TapConfig &config = config_.taps[tap];
        if (config.place == Place::before_queue)
            continue;
        double part = direction == Direction::forward ? config.fraction : 1.0 - config.fraction;
        part = config.place == Place::behind_queue ? 0.0 : part;
        const auto flight = static_cast<double>(to_ns(decision.deliver - decision.departed));
        const Instant at = decision.departed + Duration{static_cast<std::int64_t>(part * flight)};
        for (int copy = 0; copy < copies; ++copy)
            push(at, packet, event.route, tap, Step::tap);
    }
    way.totals.packets_out += static_cast<std::uint64_t>(copies);
    way.totals.bytes_out += static_cast<std::uint64_t>(copies) * info.ip_bytes;
    onward(decision.deliver, packet, event.route, event.hop + 1);
    if (decision.duplicated) {
        ++way.totals.duplicates;
        ++under_way_;
        onward(decision.deliver, packet, event.route, event.hop + 1);
        sink_.on_disturbance(
            {packet, decision.arrived, decision.deliver, number, direction, Disturbance::Kind::duplicate});
    }
    if (decision.out_of_turn) {
        ++way.totals.out_of_turn;
        sink_.on_disturbance(
            {packet, decision.arrived, decision.deliver, number, direction, Disturbance::Kind::out_of_turn});
    }
}

void Network::advance(Instant now) {
    while (!events_.empty() && events_.top().at <= now) {
        const Event event = events_.top();
        events_.pop();
        advanced_to_ = std::max(advanced_to_, event.at);
        switch (event.step) {
        case Step::reach_link:
            reach_link(event);
            break;
        case Step::enter_queue:
            enter_queue(event);
            break;
        case Step::tap:
            sink_.on_tap(event.hop, event.packet, event.at);
            break;
        case Step::deliver:
            --under_way_;
            sink_.on_deliver(event.packet, event.route.to_host, event.at);
            break;
        }
    }
}

std::optional<Instant> Network::next_due() const {
    return events_.empty() ? std::nullopt : std::optional<Instant>(events_.top().at);
}

std::vector<PacketRef> Network::packets_under_way() const {
    std::vector<PacketRef> packets;
    auto events = events_; // only at a run's end
    while (!events.empty()) {
        if (events.top().step != Step::tap)
            packets.push_back(events.top().packet);
        events.pop();
    }
    return packets;
}

} // namespace iscsiscope::testbed::shim
