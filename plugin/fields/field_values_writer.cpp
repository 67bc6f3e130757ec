// SPDX-License-Identifier: GPL-2.0-or-later
// Facts → values: which items, in which order, in which words.
#include "plugin/fields/field_values.h"

#include "analyzer/base/number_format.h"
#include "analyzer/query/cell.h"
#include "analyzer/report/wording.h"

#include <string>

namespace iscsiscope::plugin {
namespace {

std::string lun_text(std::uint64_t lun) {
    Scratch scratch;
    const Value v = lun_cell(lun, scratch);
    return v.type() == ValueType::text ? std::string(v.as_text()) : std::to_string(v.as_natural());
}

// "Cycle 3: WRITE(10), data_out, status, response time 8.1 ms"
void label(FieldValues &to, const CycleOnFrame &on) {
    const CycleRecord &r = on.cycle->record;
    to.say("Cycle ");
    to.say(r.cycle);
    to.say(": ");
    to.say(r.opcode ? command_words(*r.opcode, r.service_action) : "command not in the capture");
    for (std::size_t role = 0; role < role_count; ++role)
        if ((on.roles >> role & 1U) != 0) {
            to.say(", ");
            to.say(name(static_cast<Role>(role)));
        }
    if (on.result && r.response_time) {
        to.say(", response time ");
        to.say(human::duration(*r.response_time));
    }
}

void write_result(FieldValues &to, const Cycle &cycle) {
    const CycleRecord &r = cycle.record;
    to.text(Field::cycle_outcome, name(r.outcome));
    to.big_number(Field::cycle_bytes_moved, r.bytes_moved);
    to.time(Field::cycle_response_time, r.response_time);
    if (r.has_phases) {
        const Phases &p = r.phases;
        to.time(Field::cycle_command, p.command);
        to.time(Field::cycle_first_data_wait, p.first_data_wait);
        to.time(Field::cycle_data, p.data);
        to.time(Field::cycle_unsolicited, p.unsolicited);
        to.time(Field::cycle_r2t_wait, p.r2t_wait);
        to.time(Field::cycle_burst_response, p.burst_response);
        to.time(Field::cycle_burst_data, p.burst_data);
        to.time(Field::cycle_status_wait, p.status_wait);
    }
    to.number(Field::cycle_r2t_count, r.r2t_count);
    to.text(Field::cycle_clip_filter, "iscsiscope.cycle.id == " + std::to_string(r.cycle));
    if (!cycle.final)
        return;
    to.time(Field::cycle_time, r.cycle_time);
    to.time(Field::cycle_next_command_wait, r.next_command_wait);
    to.time(Field::cycle_target_service, r.target_service);
    to.time(Field::cycle_idle, r.idle);
    if (r.idle && r.cycle_time && *r.cycle_time > Duration{})
        to.share(Field::cycle_idle_ratio,
                 static_cast<double>(to_ns(*r.idle)) / static_cast<double>(to_ns(*r.cycle_time)));
    to.number(Field::cycle_retransmitted_segments, r.retransmitted_segments);
}

void write_burst(FieldValues &to, const BurstRecord &b, bool labelled) {
    to.open(Field::burst, Subtree::burst);
    if (labelled && b.burst == 0) {
        to.say("Unsolicited data");
    } else if (labelled) {
        to.say("Burst ");
        to.say(b.burst);
        to.say(": ");
        to.say(b.desired_bytes);
        to.say(" bytes at ");
        to.say(b.offset);
    }
    to.number(Field::burst_number, b.burst);
    to.known_number(Field::burst_r2tsn, b.r2t_sn);
    to.known_number(Field::burst_ttt, b.ttt);
    to.number(Field::burst_offset, b.offset);
    to.number(Field::burst_length, b.desired_bytes);
    to.number(Field::burst_sent, b.sent_bytes);
    to.frame(Field::burst_r2t_frame, b.r2t_frame);
    to.frame(Field::burst_first_frame, b.first_frame);
    to.frame(Field::burst_last_frame, b.last_frame);
    to.time(Field::burst_wait, b.r2t_wait);
    to.time(Field::burst_response, b.burst_response);
    to.time(Field::burst_time, b.burst_data);
    to.close();
}

void write_cycle(FieldValues &to, const CycleOnFrame &on, bool labelled) {
    const CycleRecord &r = on.cycle->record;
    to.open(Field::cycle, Subtree::cycle);
    if (labelled)
        label(to, on);
    to.big_number(Field::cycle_id, r.cycle);
    if (on.cycle->ended || r.command_frame != 0) {
        to.text(Field::cycle_type, name(r.type));
        to.text(Field::cycle_lun, lun_text(r.lun));
        to.big_number(Field::session_id, r.session);
    }
    for (std::size_t role = 0; role < role_count; ++role)
        if ((on.roles >> role & 1U) != 0)
            to.text(Field::cycle_role, name(static_cast<Role>(role)));
    to.number(Field::cycle_itt, r.itt);
    to.known_number(Field::cycle_opcode, r.opcode);
    to.known_big_number(Field::cycle_lba, r.lba);
    to.known_big_number(Field::cycle_blocks, r.blocks);
    to.known_number(Field::cycle_bytes, r.bytes_expected);
    if (r.command_frame != 0)
        to.number(Field::cycle_outstanding, r.queue_depth);
    to.frame(Field::cycle_command_frame, r.command_frame);
    to.frame(Field::cycle_first_data_frame, r.first_data_frame);
    to.frame(Field::cycle_last_data_frame, r.last_data_frame);
    to.frame(Field::cycle_status_frame, r.status_frame);
    to.frame(Field::cycle_end_frame, r.end_frame);
    to.known_number(Field::session_cid, r.cid);
    to.big_number(Field::stream, r.stream);
    if (on.result) {
        write_result(to, *on.cycle);
        if (r.outcome != TaskOutcome::good)
            to.expert(expert_of_outcome(), "Command ended with " + std::string(name(r.outcome)));
    }
    for (const BurstRecord *burst : on.bursts)
        write_burst(to, *burst, labelled);
    to.close();
}

void write_gap(FieldValues &to, const GapRecord &g) {
    to.open(Field::gap, Subtree::gap);
    to.say("Idle gap: ");
    to.say(human::duration(g.length));
    to.say(", ");
    to.say(explanation(g.kind));
    to.time(Field::gap_time, g.length);
    to.text(Field::gap_kind, name(g.kind));
    to.known_big_number(Field::gap_cycle, g.cycle);
    to.big_number(Field::gap_stream, g.stream);
    to.frame(Field::gap_before_frame, g.before_frame);
    to.frame(Field::gap_after_frame, g.after_frame);
    for (const GapProofFrame &proof : g.proof)
        if (proof.frame != 0) {
            to.text(Field::gap_proof, name(proof.proof));
            to.frame(Field::gap_proof_frame, proof.frame);
        }
    // Wireshark's lists of expert infos count by these words: the length is not among them.
    if (expert_field *expert = expert_of_gap(g.kind, g.length))
        to.expert(expert, "Idle gap: " + std::string(explanation(g.kind)));
    to.close();
}

void write_sender(FieldValues &to, const SenderOnFrame &s, bool labelled) {
    const auto known = [&to](Field field, std::uint64_t bytes) {
        if (bytes != SenderOnFrame::unknown)
            to.big_number(field, bytes);
    };
    to.open(Field::tcp, Subtree::tcp);
    if (labelled) {
        to.say("Sender: ");
        if (s.flight != SenderOnFrame::unknown) {
            to.say(s.flight);
            to.say(" bytes in flight, ");
        }
        to.say(s.limit == SendLimit::unknown ? "limit " : "limited by ");
        to.say(name(s.limit));
    }
    to.text(Field::tcp_direction, s.direction == PduDirection::to_target ? "to_target" : "to_initiator");
    known(Field::tcp_flight, s.flight);
    known(Field::tcp_flight_low, s.flight_low);
    known(Field::tcp_flight_high, s.flight_high);
    known(Field::tcp_cwnd_estimate, s.cwnd);
    known(Field::tcp_cwnd_low, s.cwnd_low);
    known(Field::tcp_cwnd_high, s.cwnd_high);
    known(Field::tcp_receive_window, s.receive_window);
    if (s.rtt_ns >= 0)
        to.time(Field::tcp_rtt, Duration(s.rtt_ns));
    to.text(Field::tcp_state, name(s.state));
    to.text(Field::tcp_limit, name(s.limit));
    to.close();
}

void write_finding(FieldValues &to, const FindingOnFrame &on) {
    const Finding &f = *on.finding;
    to.open(Field::finding, Subtree::finding);
    to.say("Finding: ");
    to.say(f.title);
    to.text(Field::finding_kind, name(f.kind));
    to.text(Field::finding_evidence, on.evidence->word);
    if (f.lost_time > Duration{}) {
        to.time(Field::finding_lost_time, f.lost_time);
        to.share(Field::finding_share, f.share);
    }
    to.text(Field::finding_sentence, f.sentence);
    to.text(Field::finding_remedy, f.remedy);
    to.expert(expert_of_finding(f), "Finding: " + std::string(title(f.kind)));
    to.close();
}

// "cycle 3, WRITE(10), idle gap 11.8 ms"
void title(FieldValues &to, const FrameFacts &facts) {
    if (facts.cycles.size() == 1) {
        const CycleRecord &r = facts.cycles.front().cycle->record;
        to.say("cycle ");
        to.say(r.cycle);
        if (r.opcode) {
            to.say(", ");
            to.say(command_words(*r.opcode, r.service_action));
        }
    } else if (!facts.cycles.empty()) {
        to.say(facts.cycles.size());
        to.say(" cycles");
    }
    for (const GapRecord *gap : facts.gaps) {
        if (!facts.cycles.empty() || gap != facts.gaps.front())
            to.say(", ");
        to.say("idle gap ");
        to.say(human::duration(gap->length));
    }
}

// Neither routine nor harmless.
bool is_noteworthy(Opcode opcode) {
    return opcode != Opcode::nop_in && opcode != Opcode::nop_out && opcode != Opcode::logout_request &&
           opcode != Opcode::logout_response;
}

} // namespace

void write(const FrameFacts &facts, Labels labels, FieldValues &to) {
    to.clear();
    if (labels.title)
        title(to, facts);
    for (const CycleOnFrame &on : facts.cycles)
        write_cycle(to, on, labels.subtrees);
    for (const GapRecord *gap : facts.gaps)
        write_gap(to, *gap);
    if (facts.sender != nullptr)
        write_sender(to, *facts.sender, labels.subtrees);
    for (const FindingOnFrame &f : facts.findings)
        write_finding(to, f);
    for (const EventRecord *e : facts.events) {
        const std::string words = event_words(e->opcode, e->code);
        to.text(Field::event, words);
        if (is_noteworthy(e->opcode))
            to.expert(expert_of_event(), words);
    }
    for (const Anomaly *a : facts.anomalies) {
        to.text(Field::anomaly, name(a->kind));
        if (a->kind == AnomalyKind::digest_mismatch)
            to.expert(expert_of_digest(), explanation(a->kind));
    }
}

} // namespace iscsiscope::plugin
