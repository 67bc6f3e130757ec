// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/fact_collector.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/base/saturating.h"
#include "analyzer/findings/facts/head_of_line.h"
#include "analyzer/model/model_fit.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace iscsiscope {
namespace {

constexpr std::size_t max_kinds = 256; // of sense codes and of events
constexpr std::size_t max_losses = 16384;
constexpr std::size_t max_portals = 256; // of known ports, and as many of others
constexpr std::size_t max_held = 4096;   // of one task
constexpr std::size_t max_outages = 64;  // of one connection

// Counts the command after this task. It was triggered by the task's end if it came within the host's
// reaction time, the one-way delay to the initiator subtracted (docs/findings.md, queue_depth).
void count_next(const CycleRecord &r, TypeFacts &t) {
    const Duration way = r.rtt_to_initiator.value_or(Duration{});
    const Duration cycle = *r.response_time + way;
    const Duration turnaround = std::max(Duration{}, *r.next_command_wait - way);
    ++t.followed;
    t.followed_at_once +=
        turnaround <= std::max<Duration>(std::chrono::microseconds(200), cycle / 10) ? 1 : 0;
    t.turnaround.add(to_ns(turnaround));
    add_saturated(t.followed_time, saturated_sum(cycle, turnaround));
}

std::size_t service_class(const CycleRecord &r) {
    // Two classes of size_class() each, from that of up to 4 KiB on.
    static const std::size_t least = size_class(4096) - 1;
    const std::size_t c = (std::max(size_class(r.bytes_moved), least) - least) / 2;
    return (r.type == TaskType::write ? LunFacts::size_classes : 0) + std::min(c, LunFacts::size_classes - 1);
}

} // namespace

bool TypeFacts::closed_loop() const {
    constexpr std::uint64_t least = 20;
    if (followed_at_once * 2 >= followed)
        return true;
    const Duration median{turnaround.quantile(0.5).value_or(0)};
    const Duration cycle = followed_time / static_cast<std::int64_t>(std::max<std::uint64_t>(followed, 1));
    return turnaround.count() >= least && Duration{turnaround.quantile(0.1).value_or(0)} * 2 >= median &&
           median * 4 <= cycle;
}

void PortalFacts::add(const AttemptRecord &r) {
    known_port = r.known_port;
    host_seen = host_seen || r.portal_seen;
    ++(r.outcome == AttemptOutcome::accepted     ? accepted
       : r.outcome == AttemptOutcome::refused    ? refused
       : r.outcome == AttemptOutcome::unanswered ? unanswered
                                                 : not_known);
    if (r.outcome == AttemptOutcome::accepted && accepted_at.size() < max_times)
        accepted_at.push_back(r.end);
    if (r.outcome == AttemptOutcome::not_known && unclear.size() < max_times)
        unclear.push_back(r);
    if (r.outcome != AttemptOutcome::refused && r.outcome != AttemptOutcome::unanswered)
        return;
    unanswered_syns += r.outcome == AttemptOutcome::unanswered ? r.syns : 0;
    keep_earlier(first_syn, r.first_frame);
    first_refusal = first_refusal ? first_refusal : r.answer_frame;
    last_syn = std::max(last_syn, r.last_syn_frame);
    if (failed.size() < max_times)
        failed.push_back(
            {r.start, r.end, r.outcome == AttemptOutcome::refused, r.answer_frame, r.initiator, r.syns});
}

void PortalFacts::not_reached(const Endpoint &initiator) {
    const auto from = std::stable_partition(unclear.begin(), unclear.end(),
                                            [&](const AttemptRecord &r) { return r.initiator != initiator; });
    const std::vector<AttemptRecord> failed_too(from, unclear.end());
    unclear.erase(from, unclear.end());
    for (AttemptRecord r : failed_too) {
        r.outcome = AttemptOutcome::unanswered;
        --not_known;
        add(r);
    }
}

void PortalFacts::traced(const Endpoint &initiator) {
    const auto of_trace = [&](const FailedAttempt &a) {
        return !a.refused && a.syns == 1 && a.initiator == initiator;
    };
    const auto n = static_cast<std::uint64_t>(std::erase_if(failed, of_trace));
    unanswered -= n;
    unanswered_syns -= n;
    not_known += n;
}

SegmentSums ConnectionFacts::segments() const {
    SegmentSums sums;
    for (const auto *f : {&to_target, &to_initiator})
        if (*f)
            sums.add(**f);
    return sums;
}

SegmentSums segments_of(const Facts &facts, PduDirection direction) {
    SegmentSums sums;
    for (const ConnectionFacts &c : facts.connections)
        if (const TcpDirectionFigures *f = c.direction(direction))
            sums.add(*f);
    return sums;
}

SegmentSums segments_of(const Facts &facts) {
    SegmentSums sums = segments_of(facts, PduDirection::to_target);
    sums.merge(segments_of(facts, PduDirection::to_initiator));
    return sums;
}

const ModelInput *model_of(const Facts &facts, TaskType type) {
    const auto at = std::ranges::find(facts.models, type, &ModelInput::type);
    return at != facts.models.end() ? &*at : nullptr;
}

const ConnectionFacts *connection_of(const Facts &facts, std::optional<StreamId> stream) {
    for (const ConnectionFacts &c : facts.connections)
        if (stream && c.record.stream == *stream)
            return &c;
    return nullptr;
}

Duration Facts::active() const {
    Duration sum{};
    for (const ConnectionFacts &c : connections)
        sum += c.active();
    return sum;
}

Duration Facts::busy() const {
    Duration sum{};
    for (const ConnectionFacts &c : connections)
        sum += c.busy();
    return sum;
}

Duration Facts::response() const {
    Duration sum{};
    for (const TypeFacts &t : types)
        add_saturated(sum, t.response);
    return sum;
}

struct FactCollector::State {
    Facts facts;
    ModelFit model;
    HeadOfLine head_of_line;
    ShortData short_data;
    std::unordered_map<StreamId, std::size_t> place; // stream → index in facts.connections
    Latest<decltype(place)> last_stream;
    std::map<std::pair<SessionId, std::uint64_t>, std::size_t> lun_place; // (session, LUN) → index
    Latest<decltype(lun_place)> last_lun;
    std::map<Endpoint, std::size_t> portal_place; // → index in facts.portals
    std::array<std::size_t, 2> portals_kept{};    // of other ports, of known ones
    std::vector<LedgerEntry> held;                // waits for ACKs, of the task whose record follows

    // Returns null beyond max_connections.
    ConnectionFacts *connection(StreamId stream) {
        std::size_t *at = last_stream.find_or_add(place, stream, max_connections);
        if (at != nullptr && facts.connections.size() < place.size()) {
            *at = facts.connections.size();
            facts.connections.emplace_back().record.stream = stream;
        }
        return at == nullptr ? nullptr : &facts.connections[*at];
    }

    LunFacts *lun(const CycleRecord &r) {
        std::size_t *at = last_lun.find_or_add(lun_place, {r.session, r.lun}, max_luns);
        if (at != nullptr && facts.luns.size() < lun_place.size()) {
            *at = facts.luns.size();
            LunFacts &fresh = facts.luns.emplace_back();
            fresh.session = r.session;
            fresh.lun = r.lun;
        }
        return at == nullptr ? nullptr : &facts.luns[*at];
    }

    void count_service(const CycleRecord &r);
    void count_outcome(const CycleRecord &r, bool transfer);
    void count_lost(const CycleRecord &r);
    void count_blocked(const CycleRecord &r);
    void note_end(const CycleRecord &r);
};

FactCollector::FactCollector() : state_(std::make_unique<State>()) {}
FactCollector::~FactCollector() = default;

void FactCollector::on(const Anomaly &a) {
    const auto i = static_cast<std::size_t>(a.kind);
    ++state_->facts.anomalies[i];
    if (auto &first = state_->facts.first_anomalies[i]; first.size() < 3)
        first.push_back(a);
}

void FactCollector::on(const BurstRecord &b) {
    state_->model.on_burst(b);
}

void FactCollector::on(const GapRecord &gap) {
    if (!gap.in_active_life)
        return;
    if (ConnectionFacts *c = state_->connection(gap.stream))
        c->idle.add(gap);
}

void FactCollector::on(const LedgerEntry &e) {
    state_->facts.owners[static_cast<std::size_t>(e.type)] += e.owners();
    ConnectionFacts *c = state_->connection(e.stream);
    if (c == nullptr)
        return;
    state_->facts.course.time.add(e.start, e.length);
    c->course.add(e.start, e.length);
    c->by_lun.add({e.lun, e.type}, 0, e.length);
    if (!e.gap)
        c->runs += e.owners();
    else
        c->waits[WaitKey(e)].add(e);
    if (ModelFit::wants(e) && state_->held.size() < max_held)
        state_->held.push_back(e);
}

void FactCollector::on(const OutageRecord &r) {
    if (ConnectionFacts *c = state_->connection(r.stream); c != nullptr && c->outages.size() < max_outages)
        c->outages.push_back(r.outage);
}

void FactCollector::State::count_service(const CycleRecord &r) {
    if (!r.has_phases || r.type == TaskType::control)
        return;
    LunFacts *l = lun(r);
    if (l == nullptr)
        return;
    ++l->answered;
    if (!r.target_service)
        return;
    const Duration service = *r.target_service;
    l->service_by_size[service_class(r)].add(to_ns(service));
    l->service_course[r.type == TaskType::write ? 1 : 0].add_value(r.start, service,
                                                                   r.command_frame.value_or(0));
    const OptionalFrame answer = r.first_data_frame ? r.first_data_frame : r.status_frame;
    LunFacts::Slowest entry{service, r.command_frame, answer};
    for (LunFacts::Slowest &s : l->slowest)
        if (entry.service > s.service)
            std::swap(entry, s);
}

void FactCollector::State::count_outcome(const CycleRecord &r, bool transfer) {
    OutcomeFacts &o = facts.outcomes[static_cast<std::size_t>(r.outcome)];
    if (o.count++ == 0) {
        o.first_command = r.command_frame;
        o.first_end = r.end_frame;
    }
    o.of_transfers += transfer ? 1 : 0;
    o.longest = std::max(o.longest, r.end - r.start);
    o.course.add(r.start, std::max(r.end - r.start, Duration{1}), r.command_frame.value_or(0));
    if (r.sense) {
        if (SenseSums *s = find_or_add(facts.senses, *r.sense, max_kinds))
            s->add(r);
    } else if (r.outcome == TaskOutcome::check_condition && transfer && r.opcode) {
        facts.transfers_without_sense.add(r);
    } else if (r.outcome == TaskOutcome::check_condition) {
        ++facts.others_without_sense;
    }
}

void FactCollector::State::count_lost(const CycleRecord &r) {
    ConnectionFacts *c = connection(r.stream);
    if (c == nullptr)
        return;
    LostTasks &l = c->lost_tasks;
    ++l.count;
    l.reads += r.type == TaskType::read ? 1 : 0;
    l.writes += r.type == TaskType::write ? 1 : 0;
    l.oldest = std::max(l.oldest, r.end - r.start);
    keep_earlier(l.first_command, r.command_frame);
}

// Long commands without data transfer, and the Reads and Writes that ran beside one or not.
void FactCollector::State::count_blocked(const CycleRecord &r) {
    BlockingFacts &b = facts.blocking;
    if (!r.response_time)
        return;
    if (r.type != TaskType::control) {
        ++(r.beside_long_command ? b.blocked : b.free);
        add_saturated(r.beside_long_command ? b.blocked_time : b.free_time, *r.response_time);
    } else if (r.beside_long_command) {
        ++b.commands;
        if (*r.response_time > b.longest) {
            b.longest = *r.response_time;
            b.opcode = *r.opcode;
            b.command_frame = r.command_frame;
            b.end_frame = r.end_frame;
        }
    }
}

// The last task of a connection that ended, the last one that was answered, and the first that met a reset.
void FactCollector::State::note_end(const CycleRecord &r) {
    constexpr std::uint32_t reset = 0x0629; // UNIT ATTENTION, ASC 29h; any qualifier
    ConnectionFacts *c = connection(r.stream);
    if (c == nullptr)
        return;
    if (r.end >= c->last_end) {
        c->last_end = r.end;
        c->last_outcome = r.outcome;
        c->last_status = r.status_frame;
    }
    if (r.status_frame && (!c->last_answered || r.end >= *c->last_answered)) {
        c->last_answered = r.end;
        c->last_answer = r.status_frame;
    }
    if (r.sense && *r.sense >> 8 == reset && !c->reset_attention)
        c->reset_attention = ResetAttention{*r.sense, r.status_frame, r.end};
}

void FactCollector::on(const CycleRecord &r) {
    State &s = *state_;
    const bool transfer = r.type != TaskType::control;
    TypeFacts &t = s.facts.types[static_cast<std::size_t>(r.type)];
    t.add(r);
    if (r.response_time)
        t.response_course.add_value(r.start, *r.response_time, r.command_frame.value_or(0));
    if (r.next_command_wait && r.response_time)
        count_next(r, t);
    s.count_service(r);
    if (r.outcome != TaskOutcome::good)
        s.count_outcome(r, transfer);
    s.facts.refusals.add(r);
    if (r.outcome == TaskOutcome::connection_lost)
        s.count_lost(r);
    s.count_blocked(r);
    s.note_end(r);
    if (ConnectionFacts *c = s.connection(r.stream))
        c->by_lun.add({r.lun, r.type}, 1, {});
    if (transfer)
        s.facts.course.transfers.add(r.start, Duration{1});
    s.head_of_line.on_cycle(r, s.facts.head_of_line);
    s.short_data.on_cycle(r);
    s.model.on_cycle(r, s.held);
    s.held.clear();
}

void FactCollector::on(const EventRecord &e) {
    if (e.opcode == Opcode::logout_request)
        if (ConnectionFacts *c = state_->connection(e.stream); c != nullptr && !c->logout_request)
            c->logout_request = e;
    // Asynchronous events 1 to 3 (RFC 7143 section 11.9.1).
    if (e.opcode == Opcode::async_message && e.code >= 1 && e.code <= 3)
        if (ConnectionFacts *c = state_->connection(e.stream); c != nullptr && !c->sent_away)
            c->sent_away = e;
    if (EventFacts *f = find_or_add(state_->facts.events, {e.opcode, e.code}, max_kinds)) {
        ++f->count;
        if (f->first.size() < 4)
            f->first.push_back(e);
    }
}

void FactCollector::on(const PresenceRecord &r) {
    state_->facts.refusals.add(r);
}

void FactCollector::on(const RetransmissionRecord &r) {
    if (r.place == LossPlace::none)
        return;
    // If the original did not pass the tap, the time of the first segment after the hole is taken.
    const Time at = r.original_time.value_or(r.time - r.delay.value_or(Duration{}));
    if (state_->facts.losses.size() < max_losses)
        state_->facts.losses.push_back({at, r.stream});
    ConnectionFacts *c = state_->connection(r.stream);
    if (c == nullptr || at <= c->repaired)
        return;
    c->repaired = r.time;
    state_->facts.course.losses.add_value(r.original_time.value_or(r.time), Duration{1},
                                          r.original_frame.value_or(r.frame));
}

void FactCollector::on(const TcpDirectionRecord &r) {
    state_->model.on_tcp_direction(r.direction, *r.figures);
    if (ConnectionFacts *c = state_->connection(r.figures->stream))
        (r.direction == PduDirection::to_target ? c->to_target : c->to_initiator) = r.figures;
}

void FactCollector::on(const ConnectionRecord &r) {
    state_->model.on_connection(r);
    if (ConnectionFacts *c = state_->connection(r.stream))
        c->record = r;
    else
        ++state_->facts.connections_left_out;
}

void FactCollector::on(const LunRecord &r) {
    state_->short_data.on_lun(r);
}

void FactCollector::on(const AttemptRecord &r) {
    State &s = *state_;
    auto at = s.portal_place.find(r.portal);
    if (at == s.portal_place.end()) {
        std::size_t &kept = s.portals_kept[r.known_port ? 1 : 0];
        if (kept == max_portals)
            return;
        ++kept;
        at = s.portal_place.emplace(r.portal, s.facts.portals.size()).first;
        s.facts.portals.emplace_back().portal = r.portal;
    }
    s.facts.portals[at->second].add(r);
}

Facts FactCollector::take() {
    State &s = *state_;
    for (LunFacts &l : s.facts.luns)
        for (const Histogram &h : l.service_by_size)
            l.service.merge(h);
    s.facts.short_tasks = s.short_data.missing();
    s.facts.models = s.model.inputs();
    for (ModelInput &m : s.facts.models)
        m.open_loop = !s.facts.of(m.type).closed_loop();
    std::ranges::sort(s.facts.connections,
                      [](const auto &a, const auto &b) { return a.record.stream < b.record.stream; });
    Facts facts = std::move(s.facts);
    state_ = std::make_unique<State>();
    return facts;
}

} // namespace iscsiscope
