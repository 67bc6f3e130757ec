// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/attribution.h"

#include "analyzer/findings/claims.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace iscsiscope {
namespace {

using Kind = FindingKind;

std::uint64_t lost_towards(const ConnectionFacts &c, PduDirection d) {
    const TcpDirectionFigures *f = c.direction(d);
    return f != nullptr ? f->lost() : 0;
}

// Returns an upper estimate of the usual queueing delay of data of this direction, behind data of its
// own and of other connections. Zero unless data keeps flowing on this connection or on all: between small
// responses a delayed ACK looks the same.
Duration usual_queueing(const Facts &facts, const ConnectionFacts &c, PduDirection d) {
    Duration transfer{}, longest{};
    for (const ConnectionFacts &k : facts.connections) {
        transfer += k.record.transfer;
        longest = std::max(longest, k.active());
    }
    const TcpDirectionFigures *f = c.direction(d);
    const bool busy = transfer * 2 >= longest;
    return busy && f != nullptr && f->queue_delay.median ? *f->queue_delay.median * 2 : Duration{};
}

// Returns how long a response waits behind the data of other connections when they fill the path together:
// the time that all data requested takes at the rate of the path (limited to the windows, where these were
// seen to limit). Zero if the path is not full.
Duration queueing_behind_others(const Facts &facts, PduDirection d) {
    constexpr double filled = 0.7; // of the path's rate
    const TaskType type = d == PduDirection::to_target ? TaskType::write : TaskType::read;
    for (const ModelInput &m : facts.models) {
        if (m.type != type || !m.path_rate || m.rate_is_lower_bound || m.connections < 1.5 ||
            m.measured_throughput < filled * m.byte_share * *m.path_rate)
            continue;
        std::vector<std::uint64_t> flights;
        for (const ConnectionFacts &c : facts.connections)
            if (const TcpDirectionFigures *f = c.direction(d))
                flights.push_back(f->largest_flight);
        std::sort(flights.begin(), flights.end(), std::greater<>());
        flights.resize(std::min(flights.size(), static_cast<std::size_t>(std::lround(m.connections))));
        const auto under_way =
            static_cast<double>(std::accumulate(flights.begin(), flights.end(), std::uint64_t{0}));
        const TypeFacts &t = facts.of(type);
        const double depth = t.count > 0 ? t.mean_queue_depth().value_or(0) : 1;
        const double asked = m.connections * depth * m.block;
        return Duration{static_cast<std::int64_t>(std::max(under_way, asked) / *m.path_rate * 1e9)};
    }
    return Duration{};
}

// Returns the time that this cause took on the connection.
Duration time_of(const ConnectionFacts &c, Cause cause) {
    Duration time{};
    for (const auto &[key, waits] : c.waits)
        time += key.cause == cause ? waits.time : Duration{};
    return time;
}

// True if these pauses are as long as those that delayed ACKs caused in the same direction: if most ACKs are
// delayed, the delay is taken for the receiver's usual reaction time.
bool like_delayed_acks(const Waits &waits, const TcpDirectionFigures *f) {
    if (f == nullptr || f->delayed_acks_costly.count < 3)
        return false;
    const Duration held =
        f->delayed_acks_costly.total / static_cast<std::int64_t>(f->delayed_acks_costly.count);
    const Duration own = waits.own_median();
    // With few delayed ACKs the lengths must agree closely.
    return f->delayed_acks_costly.count < 5 ? own > held * 4 / 5 && own < held * 5 / 4
                                            : own > held / 2 && own < 2 * held;
}

// True if Nagle's algorithm held a small segment in these waits for held ACKs, and the receiver seldom holds
// one: not its habit is the cause, but the sender, whose every small segment waits for an ACK.
bool mostly_nagle(const Waits &held, const ConnectionFacts &c) {
    const auto seldom = [&](const FinalDirectionFigures &f) {
        return f && f->nagle.count >= held.count && f->delayed_acks.count * 4 < f->pure_acks;
    };
    return seldom(c.to_target) || seldom(c.to_initiator);
}

// True if the sender of this direction had filled its receiver's window, except for less than a burst, for as
// long as these waits and those that a window update ended. Linux holds back a remainder of the window (TSO
// deferral), and probes with it or with its last segment when no ACK comes (RFC 8985 section 7).
bool limited_by_window(const Waits &waits, const ConnectionFacts &c, PduDirection d) {
    const TcpDirectionFigures *f = c.direction(d);
    const Duration closed = time_of(c, Cause::window_closed);
    return f != nullptr && closed > Duration{} && window_limited(c) == f &&
           f->limit(SendLimit::receive_window) >= waits.time + closed;
}

// True if repeats explain that less was under way than the congestion window seemed to allow: each lets it
// grow again by one segment a round trip (RFC 5681 section 3.1), some twenty times.
bool behind_repeats(const Waits &waits, const ConnectionFacts &c) {
    return waits.count <= 20 * (segments_lost(c) + reordered_segments(c) + spurious_repeats(c));
}

// Returns twice the transmission time of a full segment on the path of the Reads.
Duration one_segment(const Facts &facts) {
    for (const ModelInput &m : facts.models)
        if (m.type == TaskType::read && m.path_rate && !m.rate_is_lower_bound)
            return Duration{static_cast<std::int64_t>(2 * m.mss / *m.path_rate * 1e9)};
    return Duration{};
}

// True if the command window is not larger than the queue depth: a deeper queue would not be granted. A
// window of one is as small as any queue.
bool window_binds(const FindingsInput &in, const ConnectionFacts &c) {
    if (in.sessions == nullptr)
        return false;
    const SessionGroup *group = in.sessions->group_of_stream(c.record.stream);
    if (group == nullptr)
        return false;
    return std::any_of(in.sessions->windows.begin(), in.sessions->windows.end(), [&](const WindowFigures &w) {
        return w.session == group->session && w.granted_max > 1 && w.closings_waiting >= 10 &&
               w.closed_waiting_share >= 0.1;
    });
}

bool broken(const ConnectionFacts &c) {
    return c.record.outcome == ConnectionOutcome::reset || c.record.outcome == ConnectionOutcome::reused;
}

Kind window_finding(const ConnectionFacts &c) {
    const TcpDirectionFigures *limited = window_limited(c);
    if (limited == nullptr)
        return Kind::small_receive_window;
    const Duration closed = time_of(c, Cause::window_closed);
    const Duration waited = closed > Duration{} ? closed : limited->window_full.total;
    if (limited->zero_window.total * 2 >= waited && limited->zero_window.count > 0)
        return Kind::zero_window;
    const TcpDirectionFigures *receiver = receiver_of(c, limited);
    // RFC 7323 section 2.2: both must have offered it.
    const bool scaled = limited->window_scale_offered && receiver && receiver->window_scale_offered;
    const bool known = limited->syn_seen && receiver && receiver->syn_seen;
    return known && !scaled ? Kind::no_window_scaling : Kind::small_receive_window;
}

} // namespace

Duration queueing_to_receiver(const ConnectionFacts &c, PduDirection d) {
    const TcpDirectionFigures *f = c.direction(d);
    if (f == nullptr || !f->rtt_to_receiver.p99 || !f->rtt_to_receiver.minimum || !c.record.capture_position)
        return Duration{};
    const bool to_target = d == PduDirection::to_target;
    const double from_sender =
        to_target ? c.record.capture_position->value : 1 - c.record.capture_position->value;
    const bool has_the_data = (c.record.bytes_to_target > c.record.bytes_to_initiator) == to_target;
    if (from_sender > 0.5 || !has_the_data)
        return Duration{};
    return (*f->rtt_to_receiver.p99 - *f->rtt_to_receiver.minimum) * 5 / 4;
}

bool many_small_data_pdus(const TypeFacts &t) {
    constexpr std::uint64_t header = 48;
    return t.data_pdus >= 8 * t.count && t.data_pdus * header * 99 >= t.bytes && t.count > 0;
}

bool swallows_large(const TcpDirectionFigures &f) {
    return f.smallest_black_holed.value_or(0) > 536;
}

bool black_hole(const ConnectionFacts &c) {
    return (c.to_target && swallows_large(*c.to_target)) ||
           (c.to_initiator && swallows_large(*c.to_initiator));
}

bool ping_unanswered(const FindingsInput &in, StreamId stream) {
    if (in.sessions == nullptr)
        return false;
    return std::any_of(in.sessions->nops.begin(), in.sessions->nops.end(),
                       [&](const NopFigures &n) { return n.stream == stream && n.unanswered > 0; });
}

const TcpDirectionFigures *window_limited(const ConnectionFacts &c) {
    const TcpDirectionFigures *most = nullptr;
    const auto waited = [](const TcpDirectionFigures &f) {
        return std::max({f.window_full.total, f.zero_window.total, f.limit(SendLimit::receive_window)});
    };
    for (const auto *f : {&c.to_target, &c.to_initiator})
        if (*f && waited(**f) > Duration{} && (most == nullptr || waited(**f) > waited(*most)))
            most = &**f;
    return most;
}

const TcpDirectionFigures *receiver_of(const ConnectionFacts &c, const TcpDirectionFigures *f) {
    if (f == nullptr)
        return nullptr;
    const auto &other = c.to_target && f == &*c.to_target ? c.to_initiator : c.to_target;
    return other ? &*other : nullptr;
}

std::optional<StreamId> Lost::worst_stream() const {
    const auto at = std::max_element(by_stream.begin(), by_stream.end(),
                                     [](const auto &a, const auto &b) { return a.second < b.second; });
    if (at == by_stream.end())
        return std::nullopt;
    return at->first;
}

Attribution::Attribution(const FindingsInput &in)
    : consequences_(in), stories_(in, consequences_), synchrony_(loss_synchrony(*in.facts)),
      active_(in.facts->active()), busy_(in.facts->busy()) {
    for (const ConnectionFacts &c : in.facts->connections)
        busy_of_[c.record.stream] = c.busy();
    for (const ConnectionFacts &c : in.facts->connections)
        count_waits(c, in);
    count_transfer(in);
}

// The entries of one wait have owners of their own: it counts once.
void Attribution::count_waits(const ConnectionFacts &c, const FindingsInput &in) {
    std::map<std::pair<FindingKind, Cause>, std::array<std::uint64_t, owner_count>> counts;
    for (const auto &[key, waits] : c.waits) {
        const std::optional<FindingKind> kind = finding_of(key, waits, c, in);
        if (!kind || !may_claim(*kind, key.cause, key.owner))
            continue;
        Lost &lost = lost_[static_cast<std::size_t>(*kind)];
        Waits claimed = waits;
        claimed.count = 0;
        claimed.by_lun = {}; // of one connection
        if (key.owner == Owner::network)
            claimed.own = {}; // of the awaited end, this is no time
        lost.waits.merge(claimed);
        lost.owners += waits.owners;
        lost.by_stream[c.record.stream] += waits.time;
        for (const LunTypeSum &g : waits.by_lun.sums())
            lost.by_lun.push_back({c.record.stream, g});
        lost.by_cause[key.cause] += waits.time;
        counts[{*kind, key.cause}][static_cast<std::size_t>(key.owner)] += waits.count;
    }
    for (const auto &[key, by_owner] : counts)
        lost_[static_cast<std::size_t>(key.first)].waits.count += *std::ranges::max_element(by_owner);
}

Duration Attribution::busy_of(FindingKind kind) const {
    Duration sum{};
    for (const auto &[stream, time] : to(kind).by_stream)
        if (const auto at = busy_of_.find(stream); at != busy_of_.end())
            sum += at->second;
    return sum;
}

// A sender limited by a window, a buffer, or the congestion window after losses may send slowly with segments
// too close for idle gaps. The limit is in the figures of its direction; the time that the bytes need comes
// from the model, if one connection alone showed the rate of the path.
void Attribution::count_transfer(const FindingsInput &in) {
    for (const ConnectionFacts &c : in.facts->connections) {
        const ConnectionRecord &r = c.record;
        const bool reads = r.bytes_to_initiator >= r.bytes_to_target;
        const TcpDirectionFigures *f =
            c.direction(reads ? PduDirection::to_initiator : PduDirection::to_target);
        const auto model = std::find_if(in.facts->models.begin(), in.facts->models.end(), [&](const auto &m) {
            return m.type == (reads ? TaskType::read : TaskType::write);
        });
        if (f == nullptr || model == in.facts->models.end() || !model->path_rate ||
            model->rate_is_lower_bound || model->connections >= 1.5)
            continue;
        const auto bytes = static_cast<double>(reads ? r.bytes_to_initiator : r.bytes_to_target);
        Duration slow = r.transfer - Duration{static_cast<std::int64_t>(bytes / *model->path_rate * 1e9)};
        OwnerTimes left = c.runs; // of what nothing has claimed
        const auto give = [&](SendLimit limit, Kind kind) {
            Lost &lost = lost_[static_cast<std::size_t>(kind)];
            Duration &of_stream = lost.by_stream[r.stream];
            Duration part = std::clamp(f->limit(limit) - of_stream, Duration{}, std::max(slow, Duration{}));
            part = std::min(part, left[Owner::network] + left[Owner::transfer]);
            const Duration of_network = std::min(part, left[Owner::network]);
            lost.owners[Owner::network] += of_network;
            lost.owners[Owner::transfer] += part - of_network;
            left[Owner::network] -= of_network;
            left[Owner::transfer] -= part - of_network;
            lost.transfer += part;
            of_stream += part;
            slow -= part;
        };
        if (lost_[static_cast<std::size_t>(window_finding(c))].by_stream.contains(r.stream))
            give(SendLimit::receive_window, window_finding(c));
        if (lost_[static_cast<std::size_t>(Kind::small_send_buffer)].by_stream.contains(r.stream))
            give(SendLimit::send_buffer, Kind::small_send_buffer);
        const Kind loss = synchrony_.streams.contains(r.stream) ? Kind::incast : Kind::packet_loss;
        if (segments_lost(c) > 0 && lost_[static_cast<std::size_t>(loss)].by_stream.contains(r.stream))
            give(SendLimit::cwnd, loss);
    }
}

Kind Attribution::loss_finding(const ConnectionFacts &c) const {
    return synchrony_.streams.contains(c.record.stream) ? Kind::incast : Kind::packet_loss;
}

// The finding that the entries of a repair, a window or an ACK count for.
std::optional<FindingKind> Attribution::of_tcp(const WaitKey &key, const Waits &waits,
                                               const ConnectionFacts &c, const FindingsInput &in) const {
    const bool synchronous = synchrony_.streams.contains(c.record.stream);
    switch (key.cause) {
    case Cause::outage:
        if (const auto story = stories_.lost_time(c); story && may_claim(*story, key.cause, key.owner))
            return story;
        return black_hole(c)                          ? Kind::mtu_black_hole
               : ping_unanswered(in, c.record.stream) ? Kind::nop_timeout
                                                      : Kind::outage;
    case Cause::path_down:
        // If all connections wait for their retransmission timers at once, the path is silent as well.
        if (synchronous && !broken(c))
            return Kind::incast;
        if (const auto story = stories_.lost_time(c); story && may_claim(*story, key.cause, key.owner))
            return story;
        if (ping_unanswered(in, c.record.stream))
            return Kind::nop_timeout;
        if (broken(c) || in.facts->of(TaskOutcome::connection_lost).count > 0)
            return Kind::connection_reset;
        [[fallthrough]]; // the connection survived: its timers ran until a segment was acknowledged
    case Cause::retransmission_timeout:
        return black_hole(c) ? Kind::mtu_black_hole
               : synchronous ? Kind::incast
                             : Kind::retransmission_timeout;
    case Cause::fast_retransmit: {
        const bool overtaken = reordered_segments(c) > segments_lost(c) ||
                               (reordered_segments(c) > 0 && spurious_repeats(c) > segments_lost(c));
        if (segments_lost(c) == 0 && (limited_by_window(waits, c, PduDirection::to_initiator) ||
                                      limited_by_window(waits, c, PduDirection::to_target)))
            return window_finding(c);
        return overtaken ? Kind::reordering : loss_finding(c);
    }
    case Cause::window_closed:
        return window_finding(c);
    case Cause::delayed_ack:
        return mostly_nagle(waits, c) ? Kind::nagle : Kind::delayed_ack;
    case Cause::ack_held_status:
    case Cause::ack_held_data:
        return Kind::nagle;
    case Cause::cwnd_limited:
        // Without loss the congestion window is still growing: no fault.
        return segments_lost(c) == 0 ? std::nullopt : std::optional(loss_finding(c));
    case Cause::slow_start:
        return Kind::slow_start;
    case Cause::send_buffer:
        if (behind_repeats(waits, c))
            return reordered_segments(c) > segments_lost(c) ? Kind::reordering : loss_finding(c);
        // Data that is written PDU by PDU leaves as if a small buffer held it.
        return many_small_data_pdus(in.facts->more_bytes()) ? Kind::small_data_segments
                                                            : Kind::small_send_buffer;
    default:
        return std::nullopt;
    }
}

// The finding that the target's own time counts for, where it takes long.
std::optional<FindingKind> Attribution::of_target(const WaitKey &key, const Waits &waits,
                                                  const ConnectionFacts &c, const FindingsInput &in) const {
    const Duration own = waits.own_median();
    if (c.to_initiator && swallows_large(*c.to_initiator)) // what it sent may not have come through
        return std::nullopt;
    if (key.cause == Cause::target_data) {
        if (own <= queueing_behind_others(*in.facts, PduDirection::to_initiator))
            return std::nullopt;
        return many_small_data_pdus(in.facts->of(TaskType::read)) ? Kind::small_data_segments
                                                                  : Kind::slow_target;
    }
    // A response that waits in a queue behind data is not late because of the target, and neither is one to
    // data that waited in a full queue.
    const bool behind_data = key.cause == Cause::target_r2t || key.cause == Cause::target_status;
    const Duration queue =
        std::max({usual_queueing(*in.facts, c, PduDirection::to_initiator),
                  queueing_behind_others(*in.facts, PduDirection::to_initiator), one_segment(*in.facts),
                  behind_data ? queueing_to_receiver(c, PduDirection::to_target) : Duration{}});
    return own <= queue ? std::nullopt : std::optional(Kind::slow_target);
}

// The finding that a pause within data counts for, in which TCP held what the sender had.
std::optional<FindingKind> Attribution::of_pause(const WaitKey &key, const Waits &waits,
                                                 const ConnectionFacts &c) const {
    const PduDirection d =
        key.gap == GapKind::target_data ? PduDirection::to_initiator : PduDirection::to_target;
    if (like_delayed_acks(waits, c.direction(d)))
        return Kind::delayed_ack;
    if (lost_towards(c, d) > 0)
        return loss_finding(c);
    if (limited_by_window(waits, c, d))
        return window_finding(c);
    return std::nullopt;
}

std::optional<FindingKind> Attribution::finding_of(const WaitKey &key, const Waits &waits,
                                                   const ConnectionFacts &c, const FindingsInput &in) const {
    switch (key.cause) {
    case Cause::capture_loss:
        return Kind::capture_quality;
    case Cause::command_window:
        return Kind::command_window;
    case Cause::round_trip:
        return window_binds(in, c) ? Kind::command_window : Kind::queue_depth;
    case Cause::r2t_chain:
        return Kind::r2t_ping_pong;
    case Cause::r2t_single:
        return Kind::no_unsolicited_data;
    case Cause::queueing:
        if (key.gap == GapKind::target_data || key.gap == GapKind::initiator_data)
            return of_pause(key, waits, c);
        return std::nullopt;
    case Cause::blocked:
        return key.is_long ? std::optional(Kind::blocking_command) : std::nullopt;
    case Cause::task_ended:
        return consequences_.stalled(c.record.stream) ? Kind::protocol_violation : Kind::abort_storm;
    case Cause::target_first_data:
    case Cause::target_r2t:
    case Cause::target_status:
    case Cause::target_data:
        return key.is_long ? of_target(key, waits, c, in) : std::nullopt;
    case Cause::initiator_data:
        if (!key.is_long)
            return std::nullopt;
        return many_small_data_pdus(in.facts->of(TaskType::write)) ? Kind::small_data_segments
                                                                   : Kind::slow_r2t_answer;
    case Cause::initiator_burst:
    case Cause::initiator_pause:
    case Cause::control:
        if (!key.is_long)
            return std::nullopt;
        if (key.owner != Owner::target)
            return Kind::slow_r2t_answer;
        return c.to_initiator && swallows_large(*c.to_initiator) ? std::nullopt
                                                                 : std::optional(Kind::slow_target);
    default:
        return of_tcp(key, waits, c, in);
    }
}

} // namespace iscsiscope
