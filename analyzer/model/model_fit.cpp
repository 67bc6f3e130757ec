// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/model/model_fit.h"

#include "analyzer/base/ratio.h"
#include "analyzer/base/saturating.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace iscsiscope {
void ModelFit::OpenTime::add(Time start, Time end, std::uint64_t moved) {
    const Time from = begun ? std::max(start, until) : start;
    until = begun ? std::max(until, end) : end;
    begun = true;
    busy_ns += std::max(0.0, amount(saturated_length(from, end)));
    open_ns += amount(saturated_length(start, end));
    bytes += static_cast<double>(moved);
}

void ModelFit::on_burst(const BurstRecord &b) {
    if (bursts_.cycle != b.cycle || (bursts_.solicited == 0 && bursts_.unsolicited == 0))
        bursts_ = Bursts{.cycle = b.cycle};
    if (b.burst == 0) {
        bursts_.unsolicited += b.sent_bytes;
        bursts_.unsolicited_pdus |= b.pdus > 0;
        bursts_.immediate |= b.pdus == 0 && b.sent_bytes > 0;
        return;
    }
    if (b.pdus > 0)
        bursts_.largest_segment = std::max(bursts_.largest_segment, (b.sent_bytes + b.pdus - 1) / b.pdus);
    std::uint32_t open = 1;
    for (const Time end : bursts_.ends)
        open += end > b.start ? 1 : 0;
    bursts_.ends[bursts_.solicited++ % bursts_.ends.size()] = b.end;
    bursts_.max_open = std::max(bursts_.max_open, open);
    bursts_.largest = std::max(bursts_.largest, b.desired_bytes.value_or(0));
}

void ModelFit::add_sample(SizeFit &size, const CycleRecord &r) {
    if ((size.cycles - 1) % size.stride != 0)
        return;
    if (size.samples.size() == max_samples) { // keep every second sample, and halve the rate of sampling
        for (std::size_t i = 0; 2 * i < size.samples.size(); ++i)
            size.samples[i] = size.samples[2 * i];
        size.samples.resize(size.samples.size() / 2);
        size.stride *= 2;
        if ((size.cycles - 1) % size.stride != 0)
            return;
    }
    size.samples.push_back(*r.cycle_time);
}

bool ModelFit::wants(const LedgerEntry &e) {
    return e.gap == GapKind::ack_held_data || e.gap == GapKind::ack_held_status ||
           e.gap == GapKind::delayed_ack;
}

void ModelFit::on_cycle(const CycleRecord &r, std::span<const LedgerEntry> waits) {
    const Bursts bursts = bursts_.cycle == r.cycle ? bursts_ : Bursts{};
    bursts_ = Bursts{};
    if (r.type == TaskType::control || !r.has_phases || r.bytes_moved == 0 || r.outcome != TaskOutcome::good)
        return;
    TypeFit &type = types_[static_cast<std::size_t>(r.type)];
    type.TaskCounts::add(r.bytes_moved, r.outcome);
    if (!r.complete)
        return; // bytes_moved is not its size
    // A pause far longer than the task separates two runs of the workload.
    const Duration wait = r.next_command_wait.value_or(Duration{});
    const bool pause = wait > std::max<Duration>(std::chrono::milliseconds(100),
                                                 saturated_product(saturated_length(r.start, r.end), 20));
    if (type.tasks_of_stream.size() < 4096 || type.tasks_of_stream.contains(r.stream))
        ++type.tasks_of_stream[r.stream];

    const auto wanted = static_cast<std::uint32_t>(r.bytes_moved);
    auto at = type.sizes.find(wanted);
    if (at == type.sizes.end()) {
        if (type.sizes.size() == max_sizes) {
            type.open.add(r.start, pause ? r.end : saturated_later(r.end, wait), r.bytes_moved);
            return;
        }
        at = type.sizes.try_emplace(wanted).first;
    }
    SizeFit &size = at->second;
    size.add(r);
    const bool cycle = r.cycle_time && !pause;
    if (cycle)
        ++size.cycles;
    size.think_ns += cycle ? amount(wait) : 0;
    // After the last task and at a pause the wait for the next command is not known: the mean is taken.
    const Duration mean_wait{saturated_integer(ratio(size.think_ns, size.cycles))};
    const Time end = saturated_later(r.end, cycle ? wait : mean_wait);
    size.open.add(r.start, end, r.bytes_moved);
    type.open.add(r.start, end, r.bytes_moved);
    size.data.add(r.start, r.end, r.bytes_moved);
    const std::uint32_t segment =
        r.type == TaskType::read && r.data_pdus > 0
            ? static_cast<std::uint32_t>((r.bytes_moved + r.data_pdus - 1) / r.data_pdus)
            : bursts.largest_segment;
    size.largest_segment = std::max(size.largest_segment, segment);
    size.unsolicited_pdus |= bursts.unsolicited_pdus;
    size.immediate |= bursts.immediate;
    size.collapsed += r.type == TaskType::read && !r.response ? 1 : 0;
    size.unsolicited += static_cast<double>(bursts.unsolicited);
    size.largest_burst = std::max(size.largest_burst, bursts.largest);
    size.max_r2ts_open = std::max(size.max_r2ts_open, bursts.max_open);
    size.service.add(r.target_service);
    Duration held_data{};
    FrameNumber before = 0; // of the wait whose entries come
    for (const LedgerEntry &e : waits)
        if (e.cycle == r.cycle && e.before_frame != before) {
            before = e.before_frame;
            ++size.held;
            size.held_ns += amount(e.wait);
            add_saturated(held_data, e.gap == GapKind::ack_held_status ? Duration{} : e.wait);
        }
    const Duration moving = saturated_difference(r.phases.data, held_data);
    // After their first segment the data arrives at the rate of the path.
    if (r.type == TaskType::read && moving > std::chrono::microseconds(20) &&
        size.rates.size() < max_samples && r.queue_depth == 1)
        size.rates.push_back(static_cast<float>(static_cast<double>(r.bytes_moved) / amount(moving) * 1e9));
    if (cycle)
        add_sample(size, r);
}

void ModelFit::on_tcp_direction(PduDirection direction, const TcpDirectionFigures &f) {
    TcpFit &t = tcp_[direction == PduDirection::to_target ? 0 : 1];
    const double weight = static_cast<double>(f.bytes);
    t.sums.add(f);
    t.full_segment = std::max(t.full_segment, static_cast<double>(f.full_segment.value_or(0)));
    if (weight < t.bytes)
        return; // the rest is that of the connection with most bytes
    t.bytes = weight;
    if (f.largest_window)
        t.window = static_cast<double>(*f.largest_window);
    if (f.send_plateau)
        t.plateau = static_cast<double>(*f.send_plateau);
    const bool timed = f.rtt.samples >= 16 && f.rtt.minimum && f.rtt.median;
    t.rtt_at_rest = timed ? amount(*f.rtt.minimum) : 0;
    t.rtt_under_load = timed ? amount(*f.rtt.median) : 0;
    t.flight = static_cast<double>(f.largest_flight);
    t.window_held = ratio(f.limit(SendLimit::receive_window) + f.limit(SendLimit::send_buffer), f.busy);
    // The ACKs of a burst return evenly spread over the time in which its queue drains: the last one after
    // twice the median. High quantiles would include delayed ACKs.
    if (const auto &round_trip = f.rtt_to_receiver;
        round_trip.median && round_trip.minimum && round_trip.p95) {
        t.drain = 2 * amount(*round_trip.median - *round_trip.minimum);
        // Of a long burst only the first and last segments may be timed: the median may be either.
        t.last_drain = std::max(t.drain, amount(*round_trip.p95 - *round_trip.minimum));
    }
}

void ModelFit::on_connection(const ConnectionRecord &c) {
    const auto weight = static_cast<double>(c.tasks);
    if (c.rtt_to_initiator && c.rtt_to_target && weight > 0) {
        path_.weight += weight;
        path_.rtt_ns += weight * amount(saturated_sum(*c.rtt_to_initiator, *c.rtt_to_target));
        path_.to_initiator_ns += weight * amount(*c.rtt_to_initiator);
    }
    if (c.active_start)
        path_.active_ns += amount(*c.active_end - *c.active_start);
    path_.flowing_ns += amount(c.transfer);
    for (const GapKind kind : {GapKind::window_closed, GapKind::send_buffer, GapKind::cwnd_limited})
        path_.flowing_ns += amount(c.gap_time[static_cast<std::size_t>(kind)]);
    if (c.login && c.login->accepted && weight > path_.keys_weight) {
        path_.keys_weight = weight;
        path_.keys = c.login->keys.parameters;
        path_.keys_known = c.login->keys.known;
    }
}

void ModelFit::fill_path_rate(ModelInput &in, const SizeFit &size, const TypeFit &type) const {
    double best = std::max(type.open.rate(), size.open.rate());
    in.rate_is_lower_bound = true;
    if (in.type == TaskType::read && path_.at_target()) {
        // After the tap the data queues and drains at the rate of the path; what was never in flight at once
        // never queued at once.
        const double amount = std::min(in.block, tcp_[1].flight > 0 ? tcp_[1].flight : in.block) - in.mss;
        if (amount > in.mss && tcp_[1].drain > 0.02 * in.measured_cycle) {
            best = std::max(best, amount / tcp_[1].drain * 1e9);
            in.rate_is_lower_bound = false;
        }
    } else if (in.type == TaskType::read && !size.rates.empty()) {
        // The upper decile: tasks whose data was not delayed. The data phase begins after the first segment.
        std::vector<float> rates = size.rates;
        const auto at = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) * 9 / 10);
        std::nth_element(rates.begin(), at, rates.end());
        const double behind_first = in.mss > 0 ? std::max(0.0, 1 - in.mss / in.block) : 1;
        const double rate = static_cast<double>(*at) * behind_first;
        if (behind_first >= 0.5) {
            best = std::max(best, rate);
            in.rate_is_lower_bound = false;
        }
    }
    if (in.type == TaskType::write && in.rtt_known && in.measured_cycle > 0 && in.depth < 1.5) {
        // Captured at the initiator, a burst leaves at once, and the rate of the path shows in the wait for
        // the answer: the cycle less round trips, service time and the host's time.
        const double waves = size.r2ts_per_task() / std::max(1.0, in.r2ts_outstanding);
        // The service is that of one of the waits: on a slow path the others contain the drain of the bursts.
        in.service /= 1 + waves;
        const double left = in.measured_cycle - in.think - in.service - in.rtt * (1 + waves);
        const double drain = tcp_[0].last_drain;
        const double amount =
            std::min(in.r2ts > 0 ? in.burst : in.block, in.window.value_or(in.block)) - in.mss;
        const bool near_sender = path_.to_initiator_ns < 0.25 * path_.rtt_ns;
        double rate = left > 0.02 * in.measured_cycle ? in.block / left * 1e9 : 0;
        if (near_sender && amount > 2 * in.mss && drain > 200'000)
            rate = std::max(rate, amount / drain * 1e9);
        if (rate > 0) {
            best = std::max(best, rate);
            in.rate_is_lower_bound = !in.service_known;
        }
        // The remainder is time of the target for each round of R2Ts.
        if (waves > 0 && best > 0)
            in.r2t_service = std::max(0.0, (left - in.block / best * 1e9) / waves);
    }
    if (in.type == TaskType::read && in.rate_is_lower_bound && in.rtt_known && in.depth < 1.5) {
        // One task at a time: the transfer takes at most the cycle less round trip, target and host time.
        const double left = in.measured_cycle - in.think - in.service - in.rtt - in.held_time;
        best = std::max(best, in.block / std::max(left, 0.02 * in.measured_cycle) * 1e9);
    }
    if (best > 0)
        in.path_rate = best;
}

// Computes the shares of tasks of one size in all that is outstanding and transferred while they are open.
// Sizes that alternate in time do not share; sizes open together are taken to be spread evenly over each
// other's time.
void ModelFit::fill_shares(ModelInput &in, const SizeFit &size, const TypeFit &type) {
    const OpenTime &own = size.open, &all = type.open;
    in.depth = 1;
    if (own.busy_ns <= 0)
        return;
    OpenTime others;
    for (const auto &[bytes, s] : type.sizes)
        if (&s != &size) {
            others.busy_ns += s.open.busy_ns;
            others.open_ns += s.open.open_ns;
            others.bytes += s.open.bytes;
        }
    const double together = std::max(0.0, own.busy_ns + others.busy_ns - all.busy_ns);
    const double inside = others.busy_ns > 0 ? std::min(1.0, together / others.busy_ns) : 0;
    in.byte_share = own.bytes / (own.bytes + inside * others.bytes);
    in.task_share = own.open_ns / (own.open_ns + inside * others.open_ns);
    in.depth = std::max(1.0, own.open_ns / own.busy_ns / in.task_share);
}

ModelInput ModelFit::input(TaskType kind, const TypeFit &type) const {
    ModelInput in;
    in.type = kind;
    in.tasks_of_type = type.count;
    const SizeFit *size = nullptr;
    for (const auto &[bytes, s] : type.sizes)
        if (size == nullptr || s.bytes > size->bytes)
            size = &s;
    if (size == nullptr)
        return in;
    in.tasks = size->count;
    in.block = ratio(size->bytes, size->count);
    fill_shares(in, *size, type);
    std::uint64_t most = 0;
    for (const auto &[stream, n] : type.tasks_of_stream)
        most = std::max(most, n);
    std::size_t carrying = 0;
    for (const auto &[stream, n] : type.tasks_of_stream)
        carrying += n * 20 >= most ? 1 : 0; // a connection with only a few tasks does not count
    in.connections = std::max<double>(1, static_cast<double>(carrying));
    in.rtt = ratio(path_.rtt_ns, path_.weight);
    in.rtt_known = path_.weight > 0;
    if (size->service.count() > 0) {
        // On a busy path a command waits behind the data of other tasks, which is not service time.
        const bool queued = in.depth >= 1.5 && path_.flowing_ns > 0.6 * path_.active_ns;
        in.service = queued ? static_cast<double>(*size->service.minimum()) : *size->service.mean();
        in.service_known = true;
    }
    in.measured_cycle = ratio(size->open.open_ns, size->count);
    // The wait for the next command, less the round trip from the tap to the initiator.
    double round_trip = ratio(path_.to_initiator_ns, path_.weight);
    // Captured near the target, a Read passes the tap first: the host is still receiving it.
    if (path_.at_target() && kind == TaskType::read)
        round_trip += tcp_[1].drain;
    const double next_wait = ratio(size->think_ns, size->cycles);
    const double host_wait = std::max(0.0, next_wait - round_trip);
    in.think = in.depth < 1.5 ? host_wait : 0;
    // Data time at the initiator: a task is open there until its status arrives, which is later than
    // at the tap by the way to the initiator. What remains of the waits is the host's.
    const double waited = host_wait * static_cast<double>(size->count);
    in.bytes = size->open.bytes;
    in.data_time = std::max(size->data.busy_ns, size->open.busy_ns - waited);
    in.measured_throughput = ratio(in.bytes, in.data_time) * 1e9;
    in.held_time = ratio(size->held_ns, size->count);
    in.held_acks = size->held * 4 >= size->count && size->held > 0;
    in.phase_collapse = size->collapsed * 2 > size->count;
    in.unsolicited = ratio(size->unsolicited, size->count);
    in.burst = size->largest_burst;
    in.r2ts_outstanding = std::max<double>(1, size->max_r2ts_open);
    in.r2ts = size->r2ts;
    in.keys = path_.keys;
    in.keys_known = path_.keys_known;
    in.largest_segment = size->largest_segment;
    in.unsolicited_pdus = size->unsolicited_pdus;
    in.immediate_seen = size->immediate;
    const TcpFit &tcp = tcp_[kind == TaskType::write ? 0 : 1]; // the direction that the data takes
    in.mss = tcp.full_segment;
    in.loss = quotient(tcp.sums.lost, tcp.sums.segments);
    if (tcp.window) {
        in.window_is_buffer = tcp.plateau > 0 && tcp.plateau < *tcp.window;
        in.window = in.window_is_buffer ? tcp.plateau : *tcp.window;
        in.window_held = std::min(1.0, tcp.window_held);
    }
    // A queue stands if the median segment waits in it for at least 5 ms, the target of CoDel (RFC 8289
    // section 4.2), and longer than the round trip at rest: then more than twice rate times round trip is in
    // flight. A path whose delay doubled in the capture gives exactly that, so a quarter is added.
    const double at_rest = std::max(tcp.rtt_at_rest, in.rtt);
    if (const double wait = tcp.rtt_under_load - at_rest; at_rest > 0 && wait >= 5e6 && wait > 1.25 * at_rest)
        in.queue = StandingQueue{at_rest, tcp.rtt_under_load};
    in.samples = size->samples;
    fill_path_rate(in, *size, type);
    return in;
}

std::vector<ModelInput> ModelFit::inputs() const {
    std::vector<ModelInput> all;
    for (const TaskType type : {TaskType::read, TaskType::write})
        if (const TypeFit &fit = types_[static_cast<std::size_t>(type)]; fit.count > 0)
            all.push_back(input(type, fit));
    if (all.size() == 2 && types_[0].bytes < types_[1].bytes)
        std::swap(all[0], all[1]);
    return all;
}

} // namespace iscsiscope
