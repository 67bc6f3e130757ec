// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/cycle_engine.h"

#include "analyzer/cycles/connection_summary.h"
#include "analyzer/cycles/management.h"
#include "analyzer/cycles/session_members.h"
#include "analyzer/cycles/task_tracker.h"
#include "analyzer/cycles/tasks/command_numbers.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace iscsiscope {
namespace {

bool belongs_to_task(Opcode opcode) {
    return opcode == Opcode::scsi_command || opcode == Opcode::data_in || opcode == Opcode::data_out ||
           opcode == Opcode::r2t || opcode == Opcode::scsi_response;
}

// Follows the round trip to the target.
void note_tap_rtts(CycleConnection &c, const Connection &tcp, const SegmentReport &report) {
    const Segment &segment = *report.segment;
    const ConnectionEnd &initiator = tcp.end(c.initiator), &target = tcp.end(other(c.initiator));
    if (report.side != c.initiator) {
        c.service.window_announced(target.receive_window, segment.time);
        if (report.ack_advanced)
            c.service.tap_rtts.acked(initiator.acked_offset, segment.time, segment.payload_length == 0,
                                     target.mss.value_or(0), target.rtt.minimum);
    } else if (report.repeats || report.out_of_order) {
        c.service.tap_rtts.disturbed();
    } else if (report.new_bytes != 0) {
        c.service.tap_rtts.sent(report.first_new_offset + report.new_bytes, segment.time);
    }
}

// True if the headers of all PDUs up to this frame's bytes have been delivered: none waits behind a hole.
bool framed(const CycleConnection &c, const SegmentEvent &event) {
    const auto of = [&](Side s) {
        const std::uint64_t passed = std::max(c.gaps.passed(s), s == event.side() ? event.end() : 0);
        return passed <= c.pdus.ranges()[index(s)].end();
    };
    return of(event.side()) && of(other(event.side()));
}

// True if the segment sends bytes again that had passed, were not acknowledged, and did not arrive.
bool repairs_behind_tap(const Connection &tcp, const SegmentEvent &event) {
    const SendCircumstances *sending = event.sending;
    return event.report.repeats && sending != nullptr && sending->recovers && sending->original_time &&
           event.end() > tcp.end(event.side()).acked_offset;
}

} // namespace

struct CycleEngine::State {
    CycleState shared;
    FollowOrder *order;
    std::recursive_mutex
        second_logins; // held while the login of a connection that has a session looks for others
    HeldTasks held{shared};
    TaskTracker tasks{shared, held};
    Management management{shared, tasks};

    void put(const CycleConnection &, const Connection &, const Pdu &);
    void ensure_session(CycleConnection &);
    void join(CycleConnection &, Session &);
    void leave(CycleConnection &);
    std::optional<LoginEffect> take_login(const CycleConnection &, const Connection &, const Login &);
    void act(CycleConnection &, const Login &, const LoginEffect &);
    void replace(Session &old, const Login &by);
    void lose(CycleConnection &, GapEnd why, Time at, FrameNumber frame);
    void follow_cmd_sn(CycleConnection &, const Pdu &);
    void follow_clock(CycleConnection &);
    void note_held_work(CycleConnection &, const Connection &);
    void look_for_gap(CycleConnection &, const Connection &, const SegmentEvent &);
    void note_service_evidence(CycleConnection &, const Connection &, const SegmentEvent &);
    void close(CycleConnection &, const Connection &, CloseReason, Time at, FrameNumber frame);
};

CycleEngine::CycleEngine(RecordTables records, CycleOptions options, TcpDiagnosis *diagnosis,
                         FollowOrder *order)
    : state_(new State{.shared = {std::move(records), options, {}, {}, {}, diagnosis},
                       .order = order,
                       .second_logins = {}}) {}

CycleEngine::~CycleEngine() = default;

void CycleEngine::State::put(const CycleConnection &c, const Connection &tcp, const Pdu &pdu) {
    shared.records.put(PduRecord{.connection = c.face,
                                 .pdu = pdu,
                                 .rtt_to_initiator = tcp.end(c.initiator).rtt.minimum,
                                 .rtt_to_target = tcp.end(other(c.initiator)).rtt.minimum});
}

void CycleEngine::State::join(CycleConnection &c, Session &session) {
    c.session = &session;
    c.ledger.joined(session.id);
    session.open_tasks += c.open.count;
    shared.sessions.add_connection(session, c);
    shared.records.put(MemberRecord{c.face, session.id});
}

void CycleEngine::State::leave(CycleConnection &c) {
    if (c.session == nullptr)
        return;
    c.session->open_tasks -= c.open.count;
    if (shared.sessions.remove_connection(*c.session, c)) {
        if (order != nullptr)
            order->session_over(*c.session);
        else
            shared.sessions.end(*c.session);
    }
    c.session = nullptr;
}

void CycleEngine::State::ensure_session(CycleConnection &c) {
    if (c.session != nullptr)
        return;
    join(c, shared.sessions.make_session());
    SessionRecord record;
    record.session = c.session->id;
    shared.records.put(record);
}

void CycleEngine::State::follow_clock(CycleConnection &c) {
    if (c.clock.number == c.tcp.clock) [[likely]]
        return;
    c.clock = {c.tcp.clock, c.tcp.last_time};
    tasks.clock_set(c);
}

void CycleEngine::State::follow_cmd_sn(CycleConnection &c, const Pdu &pdu) {
    // Where the capture lacks bytes, they may have held the commands in between.
    const bool all_seen = c.tcp.end(c.initiator).unseen_bytes == 0;
    if (const std::int64_t left_out = follow_command_numbers(*c.session, pdu, all_seen); left_out > 0)
        shared.anomaly(AnomalyKind::command_sn_gap, pdu.frame, c, left_out);
}

void CycleEngine::on_iscsi(const Connection &tcp, Side initiator) {
    CycleConnection &c = tcp.notes->make<CycleConnection>(
        NotesOf::cycles, tcp, initiator, state_->shared.records, state_->shared.options.gap_threshold);
    c.ledger.open(tcp.stream, c.no_task_intervals, state_->shared.ledger);
    c.face =
        std::make_shared<const ConnectionFace>(ConnectionFace{tcp.stream,
                                                              {tcp.ends[0].endpoint, tcp.ends[1].endpoint},
                                                              tcp.first_frame,
                                                              tcp.first_time,
                                                              tcp.starts_with_syn,
                                                              initiator});
    if (const RttTrack &rtt = tcp.end(other(initiator)).rtt; tcp.starts_with_syn && rtt.samples == 1)
        c.service.tap_rtts.handshake(rtt.latest);
}

std::optional<PduDirection> CycleEngine::direction(const Connection &tcp, Side sender) const {
    const CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return std::nullopt;
    return sender == c->initiator ? PduDirection::to_target : PduDirection::to_initiator;
}

SharedFace CycleEngine::face(const Connection &tcp) const {
    const CycleConnection *c = cycles_of(tcp);
    return c != nullptr ? c->face : nullptr;
}

void CycleEngine::show(OldestCycle &oldest) const {
    state_->shared.tasks.show(oldest);
    state_->shared.ledger.show(oldest);
}

std::uint64_t CycleEngine::tasks_begun() const {
    return state_->shared.tasks.cycles();
}

std::uint64_t CycleEngine::sessions_forgotten() const {
    return state_->shared.sessions.forgotten();
}

std::uint32_t CycleEngine::on_header(const Connection &tcp, const Pdu &pdu) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return 0;
    state_->follow_clock(*c);
    const Opcode opcode = pdu.view().opcode();
    const HeaderView v = pdu.view();
    const bool unsolicited = opcode == Opcode::nop_out ? v.initiator_task_tag() != InitiatorTaskTag::reserved
                                                       : v.initiator_task_tag() == InitiatorTaskTag::reserved;
    const bool nop = opcode == Opcode::nop_out || opcode == Opcode::nop_in;
    OpenPdu &under_way = c->pdus.begin(pdu, nop && unsolicited ? PduRole::keep_alive : PduRole::control);
    std::uint32_t wanted = 0;
    if (belongs_to_task(opcode)) {
        state_->ensure_session(*c);
        if (opcode == Opcode::scsi_command)
            state_->follow_cmd_sn(*c, pdu);
        wanted = state_->tasks.on_header(*c, pdu, under_way);
    } else if (opcode == Opcode::reject) {
        wanted = Management::reject_data_wanted;
    }
    const Side sender = c->side_of(pdu.direction);
    c->pdus.place(state_->shared.tasks, pdu, sender, tcp.end(sender).acked_offset);
    if (state_->shared.records.wanted<PduBegun>())
        state_->shared.records.put(
            PduBegun{c->face, pdu,
                     under_way.task.index == no_task ? std::nullopt : std::optional(under_way.task.cycle)});
    return wanted;
}

void CycleEngine::on_pdu(const Connection &tcp, const Pdu &pdu) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return;
    state_->follow_clock(*c);
    const Opcode opcode = pdu.view().opcode();
    const OpenPdu &under_way = c->pdus.end(pdu, c->side_of(pdu.direction));
    if (pdu.direction == PduDirection::to_initiator)
        c->service.answers.add(pdu.first_seen, pdu.delivered,
                               opcode == Opcode::data_in ? std::optional(under_way.task.cycle)
                                                         : std::nullopt);
    if (state_->shared.records.wanted<PduRecord>())
        state_->put(*c, tcp, pdu);
    const bool login = opcode == Opcode::login_request || opcode == Opcode::login_response;
    if (!login) {
        state_->ensure_session(*c);
        if (pdu.direction == PduDirection::to_initiator && pdu.knows(header_field::exp_cmd_sn) &&
            pdu.knows(header_field::max_cmd_sn))
            c->session->window.answered(pdu.view());
        if (belongs_to_task(opcode)) {
            state_->tasks.on_pdu(*c, pdu, under_way);
        } else {
            if (pdu.direction == PduDirection::to_target)
                state_->follow_cmd_sn(*c, pdu);
            state_->management.on_pdu(*c, pdu);
        }
    }
    c->missed_answers.delivered(pdu);
    if (pdu.direction == PduDirection::to_initiator && pdu.view().consumes_stat_sn())
        state_->tasks.end_missed(*c);
    c->pdus.over(pdu.direction);
}

void CycleEngine::on_pdu_named(const Connection &tcp, const Pdu &pdu) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr || c->session == nullptr)
        return;
    OpenPdu command{true, PduRole::control, pdu.offset, {}};
    state_->tasks.on_header(*c, pdu, command);
    state_->tasks.on_pdu(*c, pdu, command);
}

void CycleEngine::State::replace(Session &old, const Login &by) {
    for (CycleConnection *member : old.members)
        lose(*member, GapEnd::relogin, by.end, by.last_frame);
}

// Its tasks will not be answered any more.
void CycleEngine::State::lose(CycleConnection &c, GapEnd why, Time at, FrameNumber frame) {
    if (c.gone)
        return;
    c.gone = true;
    if (why == GapEnd::relogin)
        c.gaps.end(why, at, frame);
    if (c.session != nullptr)
        tasks.end_all(c, TaskOutcome::connection_lost, at, frame);
}

// What the login does to the sessions; the connections of the session on which it acts have been followed up
// to it. Empty: other threads follow these connections.
std::optional<LoginEffect> CycleEngine::State::take_login(const CycleConnection &c, const Connection &tcp,
                                                          const Login &login) {
    const Endpoint &initiator = tcp.end(c.initiator).endpoint, &target = tcp.end(other(c.initiator)).endpoint;
    const std::lock_guard looks(second_logins);
    const Session *acted_on = shared.sessions.live(login, initiator, target);
    if (acted_on != nullptr && order != nullptr) {
        if (acted_on != c.session && !order->alone())
            return std::nullopt;
        order->catch_up(slots_of(*acted_on));
    }
    return shared.sessions.login(login, initiator, target);
}

void CycleEngine::on_login(const Connection &tcp, const Login &login) {
    State &state = *state_;
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return;
    const auto kept = std::make_shared<Login>(login);
    c->login = kept;
    std::optional<LoginEffect> effect;
    if (login.accepted)
        effect = state.take_login(*c, tcp, login);
    if (effect && !effect->is_new) {
        // Who logged in last has inherited from all before.
        const auto &members = effect->session->members;
        const auto last = std::find_if(members.rbegin(), members.rend(), [&](const CycleConnection *member) {
            return member != c && member->login;
        });
        if (last != members.rend())
            kept->keys.inherit((*last)->login->keys);
    }
    state.shared.records.put(LoginRecord{c->face, c->login});
    if (!login.accepted)
        return;
    c->cid = login.cid;
    if (effect)
        state.act(*c, login, *effect);
    else
        state.order->login_acts(tcp.slot);
}

void CycleEngine::act(const Connection &tcp) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr || !c->login || !c->login->accepted)
        return;
    const std::shared_ptr<const Login> login = c->login;
    if (const auto effect = state_->take_login(*c, tcp, *login))
        state_->act(*c, *login, *effect);
}

void CycleEngine::end(Session &over) {
    state_->shared.sessions.end(over);
}

void CycleEngine::State::act(CycleConnection &c, const Login &login, const LoginEffect &effect) {
    if (effect.replaced != nullptr)
        replace(*effect.replaced, login);
    // Connection reinstatement (RFC 7143 section 6.3.4): this connection replaces the one with the same CID.
    for (CycleConnection *member : effect.session->members)
        if (member != &c && member->cid == c.cid)
            lose(*member, GapEnd::relogin, login.end, login.last_frame);
    if (Session *before = c.session; before != effect.session) {
        for (TaskIndex i = c.open.first; before != nullptr && i != no_task; i = shared.tasks[i].next)
            shared.tasks.move_to_session(i, before->id, effect.session->id);
        if (before != nullptr)
            effect.session->latest_start = std::max(effect.session->latest_start, before->latest_start);
        leave(c);
        join(c, *effect.session);
    }
    if (effect.is_new)
        shared.records.put(session_record(*effect.session, login, effect.reinstates));
}

void CycleEngine::on_sync_lost(const Connection &tcp, PduDirection direction, std::uint64_t) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return;
    c->pdus.over(direction);
    for (TaskIndex i = c->open.first; i != no_task; i = state_->shared.tasks[i].next)
        state_->shared.tasks[i].sync_lost = true;
    if (direction == PduDirection::to_initiator)
        c->missed_answers.lost();
    else if (c->session != nullptr)
        forget_command_numbers(*c->session);
}

void CycleEngine::on_segment(const Connection &tcp, const SegmentEvent &event) {
    CycleConnection *found = cycles_of(tcp);
    if (found == nullptr)
        return;
    CycleConnection &c = *found;
    const Time now = event.segment().time;
    note_tap_rtts(c, tcp, event.report);
    if (event.pdus || !event.report.continues_run || !c.gaps.continue_run(event))
        state_->look_for_gap(c, tcp, event);
    else if (!c.gaps.pending().empty())
        c.gaps.flush(now, false);
    if (event.pdus || event.report.ack_advanced || now >= c.held.next_release())
        state_->held.settle(c, tcp, now);
}

// Finds which end has work of the open tasks outstanding from now on.
void CycleEngine::State::note_held_work(CycleConnection &c, const Connection &tcp) {
    const Side target = other(c.initiator);
    TapRtts tap_rtts{rtt_to(tcp, target, &RttTrack::usual), rtt_to(tcp, c.initiator, &RttTrack::usual)};
    if (!near(tcp, target))
        tap_rtts.to_target = std::max(tap_rtts.to_target, c.service.tap_rtts.usual());
    c.ledger.state(
        held_work(shared.tasks, shared.bursts, c.open,
                  {tap_rtts, c.session != nullptr ? c.session->left_out : CommandHole{}, c.service.to_target,
                   c.service.to_initiator, c.pdus.under_way(PduDirection::to_target).active}),
        c.life.started() ? std::optional(c.life.start()) : std::nullopt,
        c.no_task_intervals.without_task_from(), !c.gaps.pending().empty());
}

void CycleEngine::State::look_for_gap(CycleConnection &c, const Connection &tcp, const SegmentEvent &event) {
    const Segment &segment = event.segment();
    c.ledger.framed(framed(c, event));
    if (event.report.repeats)
        c.pdus.repeated(shared.tasks, tcp, event.report);
    const bool from_target = event.side() != c.initiator;
    const bool arrives_now = repairs_behind_tap(tcp, event);
    if (arrives_now)
        (from_target ? c.service.to_initiator : c.service.to_target)
            .repeated(*event.sending->original_time, segment.time);
    if (event.report.repeats && from_target && event.end() > tcp.end(event.side()).acked_offset) {
        c.no_task_intervals.end_repeated(segment.time);
        if (const std::optional<Time> from = c.no_task_intervals.without_task_from())
            c.ledger.without_task_from(*from);
    }
    note_service_evidence(c, tcp, event);
    c.gaps.on_segment(event, from_target ? c.service.sent_by(segment.frame) : std::nullopt,
                      event.pdus && c.session != nullptr ? &c.session->window : nullptr);
    if (event.pdus || arrives_now)
        note_held_work(c, tcp);
    if ((segment.flags & tcp_rst) != 0) {
        lose(c, GapEnd::reset, segment.time, segment.frame);
        note_held_work(c, tcp);
    }
    if (!c.gaps.pending().empty())
        c.gaps.flush(segment.time, false);
}

void CycleEngine::State::note_service_evidence(CycleConnection &c, const Connection &tcp,
                                               const SegmentEvent &event) {
    const SendCircumstances *sending = event.sending;
    const bool recovers = sending != nullptr && sending->recovers;
    const bool overtaken = sending != nullptr && sending->overtaken;
    if (event.side() != c.initiator && event.has_payload() && c.gaps.last_sent(event.side()))
        c.service.answered(event.report, c.gaps.passed(event.side()), recovers, overtaken);
    else if (event.side() == c.initiator && event.report.repeats &&
             event.end() > tcp.end(event.side()).acked_offset)
        c.service.asked_again(sending != nullptr ? sending->original_frame : std::nullopt,
                              event.segment().time);
}

void CycleEngine::on_retransmission(const Connection &tcp, const TcpRetransmission &r) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return;
    c->gaps.settled(r);
    state_->shared.ledger.repeat(c->ledger.account(), r, r.sender == c->initiator);
}

void CycleEngine::on_close(const Connection &tcp, CloseReason reason, Time at, FrameNumber frame) {
    CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return;
    state_->close(*c, tcp, reason, at, frame);
}

void CycleEngine::State::close(CycleConnection &c, const Connection &tcp, CloseReason reason, Time at,
                               FrameNumber frame) {
    const bool unfinished = reason == CloseReason::capture_end || reason == CloseReason::evicted;
    const GapEnd by = unfinished                     ? GapEnd::capture_end
                      : reason == CloseReason::fin   ? GapEnd::fin
                      : reason == CloseReason::reset ? GapEnd::reset
                                                     : GapEnd::reuse;
    c.gaps.end(by, at, frame);
    ensure_session(c); // a connection of which only a login was seen
    tasks.end_all(c, unfinished ? TaskOutcome::unanswered : TaskOutcome::connection_lost, at,
                  reason == CloseReason::capture_end ? std::nullopt : OptionalFrame(frame));
    held.settle(c, tcp, at);
    std::array<std::shared_ptr<TcpDirectionFigures>, 2> figures;
    if (shared.diagnosis != nullptr) // makes the verdicts on retransmissions final, before gaps are emitted
        for (const PduDirection d : {PduDirection::to_target, PduDirection::to_initiator})
            figures[index(d)] = std::make_shared<TcpDirectionFigures>(
                shared.diagnosis->finish(tcp, c.side_of(d), tcp.last_time));
    c.gaps.flush(at, true);
    held.release_all(c);
    if (shared.diagnosis != nullptr)
        for (const PduDirection d : {PduDirection::to_target, PduDirection::to_initiator}) {
            const GapEmitter::AckWaits waits = c.gaps.ack_waits(c.side_of(d));
            figures[index(d)]->nagle = waits.nagle;
            figures[index(d)]->delayed_acks_costly = waits.held_acks;
            shared.records.put(TcpDirectionRecord{c.face, d, figures[index(d)]});
        }
    if (const auto over = c.no_task_intervals.finish(c.life.end()))
        shared.records.put(NoTaskRecord{c.tcp.stream, over->begin, over->end - over->begin});
    const bool known = c.life.started() && tcp.ends[0].seen && tcp.ends[1].seen;
    c.ledger.finish(known ? std::optional(c.life.end() - c.life.start() - c.no_task_intervals.total())
                          : std::nullopt,
                    c.life.end());
    shared.ledger.close(c.ledger.account(), c.tcp.stream, {figures[0].get(), figures[1].get()});
    shared.records.put(connection_record(c, tcp, reason, shared.options));
    leave(c);
    tcp.notes->drop(NotesOf::cycles);
}

} // namespace iscsiscope
