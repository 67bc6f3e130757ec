// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/session_analysis.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/sessions/conformance/conformance_tracker.h"
#include "analyzer/sessions/faults/digest_tracker.h"
#include "analyzer/sessions/faults/discovery_tracker.h"
#include "analyzer/sessions/faults/shared_write_tracker.h"
#include "analyzer/sessions/grouping/grouping.h"
#include "analyzer/sessions/grouping/mirror_tracker.h"
#include "analyzer/sessions/grouping/path_groups.h"
#include "analyzer/sessions/grouping/task_tally.h"
#include "analyzer/sessions/paths/failover_tracker.h"
#include "analyzer/sessions/trackers/access_tracker.h"
#include "analyzer/sessions/trackers/depth_tracker.h"
#include "analyzer/sessions/trackers/login_timeline.h"
#include "analyzer/sessions/trackers/named_ports.h"
#include "analyzer/sessions/trackers/nop_tracker.h"
#include "analyzer/sessions/trackers/order_tracker.h"
#include "analyzer/sessions/trackers/path_history.h"
#include "analyzer/sessions/trackers/run_tracker.h"
#include "analyzer/sessions/trackers/throughput_tracker.h"
#include "analyzer/sessions/trackers/window_tracker.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace iscsiscope {

struct SessionAnalysis::State {
    static constexpr std::size_t max_luns = 4096;

    explicit State(Duration interval) : throughput(interval) {}

    MemberTable members;
    Luns luns;
    Grouping grouping{members};
    ThroughputTracker throughput;
    DepthTracker depth;
    WindowTracker window;
    OrderTracker order;
    NopTracker nops;
    TaskTally tally;
    AccessTracker access{luns};
    MirrorTracker mirrors;
    ConformanceTracker conformance;
    LoginTimeline logins;
    DiscoveryTracker discovery;
    DigestTracker digests;
    SharedWriteTracker shared_writes;
    std::set<std::uint16_t> named_ports;
    PathHistory paths{members};
    RunTracker runs{luns};
    FailoverTracker failovers{luns};

    void request(Member &, const PduRecord &);
    void answer(Member &, const PduRecord &);
    void evaluate(MemberUnit &);
};

SessionAnalysis::SessionAnalysis(SessionOptions options)
    : state_(std::make_unique<State>(options.throughput_interval)) {}

SessionAnalysis::~SessionAnalysis() = default;

void SessionAnalysis::subscribe(RecordTables &to) {
    Takes::subscribe(to);
    state_->paths.subscribe(to);
}

void SessionAnalysis::State::evaluate(MemberUnit &unit) {
    for (const auto &[into, from] : grouping.evaluate(unit)) {
        window.join(*into, *from);
        order.join(*into, *from);
        access.join(*into, *from);
    }
}

void SessionAnalysis::State::request(Member &m, const PduRecord &record) {
    const Pdu &pdu = record.pdu;
    const HeaderView v = pdu.view();
    const Opcode opcode = v.opcode();
    std::optional<bool> in_window;
    if (v.consumes_cmd_sn() && pdu.knows(header_field::cmd_sn)) {
        in_window = window.sent(m, record);
        if (m.unit->root()->group.size() > 1)
            order.sent(m, pdu);
        if (!m.unit->certain) {
            m.unit->evidence.sent(v.cmd_sn(), static_cast<std::uint32_t>(v.initiator_task_tag()),
                                  pdu.first_seen);
            if (Grouping::due(*m.unit))
                evaluate(*m.unit);
        }
    }
    conformance.request(m, pdu, in_window);
    if (opcode == Opcode::scsi_command) {
        throughput.command(m, pdu.first_seen);
        access.command(m, pdu);
        const bool several = members.units().size() > 1;
        if (several)
            runs.command(m, pdu);
        failovers.command(m, pdu, several);
        ++m.outstanding;
        m.outstanding_bytes += v.expected_data_transfer_length();
    } else if (opcode == Opcode::nop_out) {
        nops.nop(m, pdu);
    }
}

void SessionAnalysis::State::answer(Member &m, const PduRecord &record) {
    const Pdu &pdu = record.pdu;
    const HeaderView v = pdu.view();
    if (v.has_max_cmd_sn() && pdu.knows(header_field::exp_cmd_sn) && pdu.knows(header_field::max_cmd_sn)) {
        window.answered(m, record);
        if (!m.unit->certain)
            m.unit->evidence.acknowledged(v.exp_cmd_sn(), pdu.first_seen);
        if (m.unit->root()->group.size() > 1) {
            m.one_way_to_target = record.rtt_to_target.value_or(Duration{0}) / 2;
            m.rtt_to_initiator = record.rtt_to_initiator.value_or(Duration{0});
            order.answered(m, pdu);
        }
    }
    conformance.answer(m, pdu);
    if (v.opcode() == Opcode::nop_in)
        nops.nop(m, pdu);
}

void SessionAnalysis::on(const Anomaly &a) {
    Member *m = a.stream ? state_->members.of_stream(*a.stream) : nullptr;
    if (a.stream && (a.kind == AnomalyKind::sync_lost || a.kind == AnomalyKind::resync)) {
        state_->nops.sync(*a.stream, a.kind == AnomalyKind::sync_lost);
        if (m != nullptr && a.kind == AnomalyKind::sync_lost)
            state_->throughput.lost(*m);
        else if (m != nullptr)
            state_->throughput.found(*m);
    }
    state_->conformance.anomaly(a, m);
}

void SessionAnalysis::on(const PassedRecord &r) {
    if (const Member *m = state_->members.of_stream(r.stream))
        state_->throughput.passed(*m, r);
}

void SessionAnalysis::on(const MemberRecord &r) {
    state_->members.join(r);
}

void SessionAnalysis::on(const PduRecord &r) {
    const Pdu &pdu = r.pdu;
    const Opcode opcode = pdu.view().opcode();
    if (opcode == Opcode::text_response || opcode == Opcode::login_response)
        add_named_ports(pdu, state_->named_ports);
    Member *m = state_->members.of_stream(r.connection->stream);
    if (opcode == Opcode::login_request || opcode == Opcode::login_response) {
        state_->logins.step(r);
        state_->conformance.login_pdu(m, r);
        return;
    }
    state_->discovery.pdu(r);
    state_->digests.pdu(r);
    if (m == nullptr) {
        state_->conformance.before_login(r);
        return;
    }
    state_->throughput.pdu(*m, pdu.delivered);
    if (pdu.direction == PduDirection::to_target)
        state_->request(*m, r);
    else
        state_->answer(*m, r);
}

void SessionAnalysis::on(const CycleEnded &ended) {
    if (ended.amended)
        return;
    const CycleRecord &r = ended.cycle;
    Member *m = state_->members.of_stream(r.stream);
    if (m == nullptr || !r.command_frame)
        return;
    state_->failovers.ended(*m, r);
    // A cycle may end whose command was not counted: the sums do not go below 0.
    m->outstanding -= m->outstanding == 0 ? 0 : 1;
    m->outstanding_bytes -= std::min<std::uint64_t>(m->outstanding_bytes, r.bytes_expected.value_or(0));
    if (m->unit->root()->group.size() > 1)
        state_->order.ended(*m, r.end + m->rtt_to_initiator);
    if (!m->unit->certain && r.cmd_sn && !r.immediate && m->unit->evidence.holes() != 0)
        m->unit->evidence.ended(CmdSn{*r.cmd_sn}, r.end);
}

void SessionAnalysis::on(const CycleRecord &r) {
    const Member *m = state_->members.of_stream(r.stream);
    if (m == nullptr)
        return;
    state_->throughput.task(*m, r);
    state_->depth.task(*m, r);
    state_->tally.task(*m, r);
    state_->conformance.task(*m, r);
    if (state_->members.units().size() < 2)
        return;
    state_->shared_writes.task(*m, r);
    if (r.type == TaskType::write)
        state_->mirrors.write(*m, r);
}

void SessionAnalysis::on(const LunRecord &r) {
    state_->runs.lun(r);
    if (LunRecord *known = find_or_add(state_->luns, {r.session, r.lun}, State::max_luns))
        *known = r;
}

void SessionAnalysis::on(const SessionRecord &r) {
    state_->members.session(r);
}

void SessionAnalysis::on(const LoginRecord &r) {
    state_->logins.login(r);
    state_->discovery.login(r);
    state_->conformance.login(r);
    state_->members.login(r);
}

void SessionAnalysis::on(const ConnectionRecord &r) {
    state_->nops.close(r);
    const Member *m = state_->members.close(r);
    state_->conformance.close(m, r);
    if (m == nullptr)
        return;
    if (r.outcome != ConnectionOutcome::open)
        state_->evaluate(*m->unit);
    if (std::ranges::none_of(m->unit->members, [](const Member *o) { return o->open; }))
        state_->throughput.close(*m->unit);
}

SessionFigures SessionAnalysis::take() {
    State &s = *state_;
    SessionFigures f;
    f.groups = s.grouping.groups();
    f.throughput = s.throughput.take(s.members, f.groups);
    std::map<GroupId, Duration> active;
    for (const ThroughputFigures &t : f.throughput) {
        active[t.session] = t.active;
        f.limits.intervals_left_out += t.intervals_left_out;
    }
    f.dispatch = s.order.dispatch(s.members);
    f.holds = s.order.take_holds(s.members, active);
    f.path_groups = path_groups(s.members, s.tally.cells(), s.luns);
    for (PathGroup &g : f.path_groups)
        for (const PathShare &p : g.paths)
            if (const Histogram *runs = s.runs.runs(first_session(p.session), p.lun);
                runs != nullptr && runs->count() > g.runs.count())
                g.runs = *runs;
    f.mirrors = s.mirrors.take(s.members, s.tally.cells(), s.luns);
    f.connection_depth = s.depth.by_connection(s.members);
    f.session_depth = s.depth.by_session(s.members, f.groups);
    f.windows = s.window.take(s.members);
    f.nops = s.nops.take();
    f.tables = s.tally.tables(s.members);
    f.access = s.access.figures(s.members);
    f.logins = s.logins.take();
    f.discoveries = s.discovery.take();
    f.digests = s.digests.take();
    f.paths = s.paths.take(s.luns);
    f.shared_writes = s.shared_writes.take(s.members, s.luns);
    f.paths.failovers = s.failovers.take();
    f.named_ports = s.named_ports;
    f.conformance = s.conformance.take();
    f.limits.connections_left_out = s.members.left_out();
    f.limits.access_patterns_left_out = s.access.left_out();
    return f;
}

} // namespace iscsiscope
