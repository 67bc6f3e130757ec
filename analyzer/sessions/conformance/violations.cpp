// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/violations.h"

#include "analyzer/iscsi/scsi/sense.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {
namespace {

// True if the PDU ends a task or answers a request of the initiator. A refused login is answered, with a
// status that says why (login_trouble).
bool is_answer(HeaderView v) {
    switch (v.opcode()) {
    case Opcode::scsi_response:
    case Opcode::task_management_response:
    case Opcode::text_response:
    case Opcode::logout_response:
    case Opcode::login_response:
        return true;
    case Opcode::data_in:
        return v.status_bit();
    case Opcode::nop_in:
        return v.initiator_task_tag() != InitiatorTaskTag::reserved;
    default:
        return false;
    }
}

// True if the Reject is of the PDU that broke the rule, or of its task.
bool rejects(const Violation &v, const RejectFigures &r) {
    return v.itt ? *v.itt == r.itt : r.opcode == v.opcode;
}

// Breaches for which a target rightly ignores or fails a command, or waits for what does not come.
bool may_stall(Rule rule) {
    switch (rule) {
    case Rule::command_window:
    case Rule::cmd_sn_order:
    case Rule::tag_in_use:
    case Rule::tag_reserved:
    case Rule::command_flags:
    case Rule::data_sn_order:
    case Rule::data_out_offset:
    case Rule::data_out_tag:
    case Rule::data_out_after_final:
    case Rule::r2t_answered_short:
    case Rule::beyond_r2t:
    case Rule::first_burst_length:
    case Rule::unsolicited_not_allowed:
    case Rule::immediate_not_allowed:
    case Rule::data_out_beyond_command:
        return true;
    default:
        return false;
    }
}

// Sense data by which a target says what an initiator sent wrongly: unexpected or missing unsolicited data
// and wrong amounts of data (0B/0C, RFC 7143 section 11.4.7.2), and tags or command numbers used twice
// (0B/4E, SAM-5 section 5.10).
bool of_protocol(std::uint32_t sense) {
    const std::uint32_t code = sense >> 8 & 0xff;
    return sense_key_of(sense) == 0x0b && (sense & sense_code_cut) == 0 && (code == 0x0c || code == 0x4e);
}

// How the SCSI Response says that the protocol was broken; empty: it does not.
std::optional<std::uint32_t> failure(const Pdu &pdu) {
    const HeaderView v = pdu.view();
    if (v.opcode() != Opcode::scsi_response)
        return std::nullopt;
    if (v.response() == 1) // "target failure"
        return 0;
    const auto sense = parse_response_sense(pdu.data, pdu.data_length);
    return sense && of_protocol(packed(*sense)) ? std::optional(packed(*sense)) : std::nullopt;
}

} // namespace

std::optional<std::uint32_t> request_tag(const Pdu &pdu) {
    const HeaderView v = pdu.view();
    const Opcode op = v.opcode();
    const bool request = op == Opcode::scsi_command || op == Opcode::nop_out || op == Opcode::text_request ||
                         op == Opcode::task_management_request;
    if (!request || v.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    return static_cast<std::uint32_t>(v.initiator_task_tag());
}

void Violations::add(const Violation &v, std::optional<std::uint32_t> next_request) {
    auto at = open_.find(v.stream);
    if (at == open_.end()) {
        if (open_.size() >= max_connections)
            return;
        at = open_.try_emplace(v.stream).first;
    }
    std::vector<Open> &all = at->second;
    const auto same = std::ranges::find_if(all, [&](const Open &o) { return o.violation.rule == v.rule; });
    if (same != all.end()) {
        ++same->violation.again;
        same->latest = v;
        return; // the first one counts, unless a Reject names the latest
    }
    if (all.size() >= max_of_connection)
        return;
    Open o;
    o.violation = o.latest = v;
    o.answer = v.itt ? v.itt : next_request;
    all.push_back(o);
}

void Violations::more(Rule rule, StreamId stream, std::uint32_t itt, std::uint64_t done) {
    const auto at = open_.find(stream);
    if (at == open_.end())
        return;
    for (Open &o : at->second)
        for (Violation *v : {&o.violation, &o.latest})
            if (v->rule == rule && v->itt == itt)
                v->figures.done = std::max(v->figures.done, done);
}

// The first request after the breach, if that has no tag of its own.
void Violations::watch(Open &o, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    if (o.violation.by == PduDirection::to_initiator) {
        if (pdu.direction == PduDirection::to_initiator && !o.stat_sn && v.has_stat_sn())
            o.stat_sn = v.stat_sn();
        return;
    }
    if (!o.answer && pdu.first_seen > o.violation.time)
        o.answer = request_tag(pdu);
}

bool Violations::goes_on(const Open &o, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    if (pdu.direction == o.violation.by)
        return false;
    if (o.violation.by == PduDirection::to_target)
        return o.answer && is_answer(v) && static_cast<std::uint32_t>(v.initiator_task_tag()) == *o.answer;
    if (!o.violation.opcode) // of a login that has ended
        return v.opcode() != Opcode::login_request && v.opcode() != Opcode::logout_request;
    return o.stat_sn && v.has_exp_stat_sn() && *o.stat_sn < v.exp_stat_sn() &&
           v.opcode() != Opcode::logout_request;
}

void Violations::pdu(StreamId stream, const Pdu &pdu) {
    if (open_.empty())
        return;
    const auto at = open_.find(stream);
    if (at == open_.end())
        return;
    for (Open &o : at->second)
        if (!o.borne) {
            o.borne = goes_on(o, pdu);
            if (o.borne && o.violation.itt && may_stall(o.violation.rule))
                o.violation.failed = failure(pdu);
            if (o.violation.failed)
                o.violation.failed_frame = pdu.frame;
            watch(o, pdu);
        }
}

void Violations::reject(StreamId stream, const Pdu &pdu) {
    RejectFigures r;
    r.stream = stream;
    r.frame = pdu.frame;
    r.time = pdu.delivered;
    r.reason = pdu.view().response();
    if (pdu.data.size() >= basic_header_size) {
        const HeaderView rejected(pdu.data.first<basic_header_size>());
        r.opcode = rejected.opcode();
        r.itt = static_cast<std::uint32_t>(rejected.initiator_task_tag());
    }
    if (const auto at = open_.find(stream); at != open_.end()) {
        for (Open &o : at->second) {
            if (o.violation.by != PduDirection::to_target || !r.opcode)
                continue;
            const bool of_first = rejects(o.violation, r);
            if (!of_first && !rejects(o.latest, r))
                continue;
            r.of_violation = true;
            if (o.violation.reject)
                continue;
            if (!of_first) {
                o.latest.again = o.violation.again;
                o.violation = o.latest;
            }
            o.violation.reject = r;
        }
    }
    if (rejects_.size() < max_rejects)
        rejects_.push_back(r);
}

void Violations::given_up(StreamId stream, std::uint32_t itt, Time end) {
    const auto mark = [&](Violation &v) {
        if (v.itt == itt && v.stream == stream && v.by == PduDirection::to_target && may_stall(v.rule) &&
            !v.given_up)
            v.given_up = std::max(Duration{}, end - v.time);
    };
    if (const auto at = open_.find(stream); at != open_.end())
        for (Open &o : at->second)
            if (!o.borne)
                mark(o.violation);
    // The end of a task may be known only after that of its connection.
    for (Violation &v : ended_)
        mark(v);
}

void Violations::close(StreamId stream) {
    const auto at = open_.find(stream);
    if (at == open_.end())
        return;
    for (Open &o : at->second)
        if ((!o.borne || o.violation.reject || o.violation.given_up || o.violation.failed) &&
            ended_.size() < max_connections * max_of_connection)
            ended_.push_back(o.violation);
    open_.erase(at);
}

std::vector<Violation> Violations::take() {
    while (!open_.empty())
        close(open_.begin()->first);
    std::ranges::sort(ended_, {}, &Violation::frame);
    return std::exchange(ended_, {});
}

std::vector<RejectFigures> Violations::take_rejects() {
    return std::exchange(rejects_, {});
}

} // namespace iscsiscope
