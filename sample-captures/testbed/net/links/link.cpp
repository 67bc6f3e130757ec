// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/links/link.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace iscsiscope::testbed::shim {
namespace {

DropCause cause_of(LossCause cause) {
    switch (cause) {
    case LossCause::none:
        return DropCause::none;
    case LossCause::random:
        return DropCause::loss_random;
    case LossCause::burst:
        return DropCause::loss_burst;
    case LossCause::every_nth:
        return DropCause::loss_every_nth;
    case LossCause::listed:
        return DropCause::loss_listed;
    }
    return DropCause::none;
}

} // namespace

const char *to_string(DropCause cause) {
    switch (cause) {
    case DropCause::none:
        return "none";
    case DropCause::outage:
        return "outage";
    case DropCause::black_hole:
        return "black_hole";
    case DropCause::queue_full:
        return "queue_full";
    case DropCause::loss_random:
        return "loss_random";
    case DropCause::loss_burst:
        return "loss_burst";
    case DropCause::loss_every_nth:
        return "loss_every_nth";
    case DropCause::loss_listed:
        return "loss_listed";
    case DropCause::unroutable:
        return "unroutable";
    }
    return "none";
}

Link::Link(LinkConfig config, std::uint64_t seed, std::uint32_t number)
    : config_(std::move(config)), loss_(config_.loss, seed, number), jitter_(seed, number, 3),
      reorder_(seed, number, 4), duplicate_(seed, number, 5), clock_(config_.rate) {}

bool Link::in_outage(Instant at) const {
    return std::any_of(
        config_.outages.begin(), config_.outages.end(),
        [at](const Outage &outage) { return at >= Instant{outage.from} && at < Instant{outage.until}; });
}

bool Link::queue_takes(std::uint32_t bytes) const {
    if (config_.queue_packets > 0 && queue_.size() >= config_.queue_packets)
        return false;
    return config_.queue_bytes == 0 || queued_bytes_ + bytes <= config_.queue_bytes;
}

// Drawn for every arrival, also for one that an outage or the queue takes: random decisions depend on
// the order of arrival alone.
Link::Draws Link::draw(bool has_payload) {
    Draws draws;
    draws.loss = cause_of(loss_.next(has_payload));
    draws.duplicate =
        config_.duplicate_probability > 0.0 && duplicate_.happens(config_.duplicate_probability);
    draws.reorder = config_.reorder_probability > 0.0 && reorder_.happens(config_.reorder_probability);
    if (config_.jitter > Duration{0}) {
        const double part = 2.0 * jitter_.uniform() - 1.0;
        draws.jitter = Duration{std::llround(part * static_cast<double>(to_ns(config_.jitter)))};
    }
    return draws;
}

// From the bottleneck to the far end: delay, jitter, reordering, held ACKs. Without a reason to be
// overtaken a packet is never delivered before its predecessor.
Instant Link::fly(Instant departed, bool pure_ack, const Draws &draws, Decision &decision) {
    Instant deliver = departed + std::max(config_.delay + draws.jitter, Duration{0});
    if (!config_.jitter_reorders)
        deliver = std::max(deliver, last_deliver_);
    if (draws.reorder) {
        decision.out_of_turn = true;
        return deliver + config_.reorder_delay;
    }
    if (pure_ack && config_.ack_hold > Duration{0}) {
        // The first ACK opens a window; all that come until it ends leave together, in order.
        if (deliver >= hold_until_)
            hold_until_ = deliver + config_.ack_hold;
        decision.out_of_turn = true;
        return hold_until_;
    }
    last_deliver_ = std::max(last_deliver_, deliver);
    return deliver;
}

Link::Decision Link::admit(const Arrival &arrival) {
    Decision decision;
    const Instant at = std::max(arrival.at, last_arrival_);
    last_arrival_ = at;
    decision.arrived = decision.service_start = decision.departed = decision.deliver = at;
    while (!queue_.empty() && queue_.front().departs <= at) {
        queued_bytes_ -= queue_.front().bytes;
        queue_.pop_front();
    }
    decision.queue_packets = queue_.size();
    decision.queue_bytes = queued_bytes_;

    const Draws draws = draw(arrival.has_payload);

    if (in_outage(at)) {
        decision.drop = DropCause::outage;
        return decision;
    }
    if (config_.black_hole_mtu > 0 && arrival.ip_bytes > config_.black_hole_mtu) {
        decision.drop = DropCause::black_hole;
        return decision;
    }
    if (clock_.limited()) {
        if (!queue_takes(arrival.ip_bytes)) {
            decision.drop = DropCause::queue_full;
            return decision;
        }
        const RateClock::Sent sent =
            clock_.send(at, std::uint64_t{arrival.ip_bytes} + config_.overhead_bytes);
        decision.service_start = sent.start;
        decision.departed = sent.end;
        queue_.push_back({sent.end, arrival.ip_bytes});
        queued_bytes_ += arrival.ip_bytes;
        largest_packets_ = std::max<std::uint64_t>(largest_packets_, queue_.size());
        largest_bytes_ = std::max(largest_bytes_, queued_bytes_);
    }
    if (draws.loss != DropCause::none) { // on the wire, behind the queue
        decision.drop = draws.loss;
        decision.deliver = decision.departed;
        return decision;
    }
    decision.deliver = fly(decision.departed, arrival.pure_ack, draws, decision);
    decision.duplicated = draws.duplicate;
    return decision;
}

} // namespace iscsiscope::testbed::shim
