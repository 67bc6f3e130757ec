// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the facts of a frame as field values: which items, in which order, with which labels.
#include "plugin/fields/field_values.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/cycle_figures.h"
#include "analyzer/query/cell.h"
#include "analyzer/words/kind_words.h"
#include "analyzer/words/protocol_words.h"
#include "plugin/fields/pieces.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace iscsiscope::plugin {
namespace {

std::string command_of(const CycleRecord &r) {
    if (r.opcode)
        return command_words(*r.opcode, r.service_action);
    return r.command_frame ? std::string(name(r.type)) + ", CDB not in the file"
                           : "command not in the capture";
}

// ", data_out, status"
void append_roles(FieldValues &to, unsigned roles) {
    for (std::size_t role = 0; role < role_count; ++role)
        if ((roles >> role & 1U) != 0) {
            to.append(", ");
            to.append(name(static_cast<Role>(role)));
        }
}

// "Cycle 3: WRITE(10), data_out, status, response time 8.1 ms"
void label(FieldValues &to, const CycleOnFrame &on) {
    const CycleRecord &r = on.cycle->record;
    to.append("Cycle ");
    to.append(r.cycle.number);
    to.append(": ");
    to.append(command_of(r));
    append_roles(to, on.roles);
    if (on.result && r.response_time) {
        to.append(", response time ");
        to.append(human::duration(*r.response_time));
    }
    if (on.result && r.inferred)
        to.append(", inferred");
}

void write_burst(FieldValues &to, const BurstOnFrame &on, bool labelled) {
    const BurstRecord &b = *on.record;
    to.open(Field::burst, Subtree::burst);
    if (labelled && b.burst == 0) {
        to.append("Unsolicited data");
    } else if (labelled) {
        to.append("Burst ");
        to.append(b.burst);
        to.append(": ");
        to.append(b.desired_bytes.value_or(0));
        to.append(" bytes at ");
        to.append(b.offset);
    }
    to.columns(Subtree::burst, Part::facts, &b);
    if (on.result)
        to.columns(Subtree::burst, Part::result, &b);
    to.close();
}

void write_cycle(FieldValues &to, const CycleOnFrame &on, bool labelled) {
    const CycleRecord &r = on.cycle->record;
    to.open(Field::cycle, Subtree::cycle);
    if (labelled)
        label(to, on);
    to.columns(Subtree::cycle, Part::number, &r);
    if (on.cycle->ended || r.command_frame)
        to.columns(Subtree::cycle, Part::command, &r);
    for (std::size_t role = 0; role < role_count; ++role)
        if ((on.roles >> role & 1U) != 0)
            to.number(Field::cycle_role, static_cast<std::uint32_t>(role));
    to.columns(Subtree::cycle, Part::facts, &r);
    if (on.result) {
        to.columns(Subtree::cycle, Part::result, &r);
        to.open(Field::cycle_phases, Subtree::phases);
        to.append("Phases of the response time");
        to.columns(Subtree::cycle, Part::phase, &r);
        to.close();
        if (on.cycle->final)
            to.columns(Subtree::cycle, Part::late, &r);
        if (r.inferred)
            to.flag(Field::cycle_inferred);
        if (r.outcome != TaskOutcome::good)
            to.expert(expert_of_outcome(), "Command ended with " + std::string(name(r.outcome)));
    }
    for (const BurstOnFrame &burst : on.bursts)
        write_burst(to, burst, labelled);
    to.close();
}

// "3 PDUs inferred: 2 Data-In, 1 SCSI Response"
void label(FieldValues &to, const std::vector<const InferredPdu *> &pdus) {
    std::map<Opcode, std::uint64_t> counts;
    for (const InferredPdu *pdu : pdus)
        ++counts[pdu->opcode];
    to.append(human::plural(pdus.size(), "PDU", "PDUs"));
    to.append(" inferred");
    const char *separator = ": ";
    for (const auto &[opcode, count] : counts) {
        to.append(std::exchange(separator, ", "));
        to.append(count);
        to.append(" ");
        to.append(name(opcode));
    }
}

void write_inferred(FieldValues &to, const std::vector<const InferredPdu *> &pdus, bool labelled) {
    constexpr std::size_t most = 8; // that are listed; the number says how many there are
    to.open(Field::inferred, Subtree::inferred);
    if (labelled)
        label(to, pdus);
    to.number(Field::inferred_pdus, static_cast<std::uint32_t>(pdus.size()));
    for (std::size_t i = 0; i < std::min(most, pdus.size()); ++i) {
        to.number(Field::inferred_opcode, static_cast<std::uint32_t>(pdus[i]->opcode));
        to.frame(Field::inferred_frame, pdus[i]->last_frame);
    }
    // Wireshark groups and counts expert infos by this text, so the number is not part of it.
    to.expert(expert_of_inferred(),
              "The header or task tag of a PDU is not in the file: it is inferred from the PDUs around it");
    to.close();
}

// "network, round_trip: 16.1 ms"
void write_entry(FieldValues &to, const LedgerEntry &e) {
    to.open(Field::ledger, Subtree::ledger);
    to.append(name(e.owner));
    to.append(", ");
    to.append(name(e.cause));
    to.append(": ");
    to.append(human::duration(e.length));
    to.columns(Subtree::ledger, Part::late, &e);
    if (e.trouble)
        to.flag(Field::ledger_trouble);
    to.close();
}

void write_gap(FieldValues &to, const GapOnFrame &on) {
    const GapRecord &g = *on.record;
    to.open(Field::gap, Subtree::gap);
    to.append("Idle gap: ");
    to.append(human::duration(g.length));
    to.append(", ");
    to.append(explanation(g.kind));
    to.columns(Subtree::gap, Part::facts, &g);
    for (const GapProofFrame &proof : g.proof)
        if (proof.frame) {
            to.number(Field::gap_proof, static_cast<std::uint32_t>(proof.proof));
            to.frame(Field::gap_proof_frame, *proof.frame);
        }
    for (const LedgerEntry *entry : on.entries)
        write_entry(to, *entry);
    // Wireshark groups and counts expert infos by this text, so the gap's length is not part of it.
    if (expert_field *expert = expert_of_gap(g, on.finding))
        to.expert(expert, "Idle gap: " + std::string(explanation(g.kind)));
    to.close();
}

void write_sender(FieldValues &to, const SenderOnFrame &s, bool labelled) {
    const TcpSampleRecord sample = s.sample();
    to.open(Field::tcp, Subtree::tcp);
    if (labelled) {
        to.append("Sender: ");
        if (sample.flight) {
            to.append(*sample.flight);
            to.append(" bytes in flight, ");
        }
        to.append(s.limit == SendLimit::unknown ? "limit " : "limited by ");
        to.append(name(s.limit));
    }
    to.columns(Subtree::tcp, Part::facts, &sample);
    to.close();
}

void write_finding(FieldValues &to, const FindingOnFrame &on) {
    const Finding &f = *on.finding;
    to.open(Field::finding, Subtree::finding);
    to.append("Finding: ");
    to.append(f.title);
    std::string_view before = ". ";
    for (const std::string_view more : {std::string_view(f.where), std::string_view(f.when)})
        if (!more.empty()) {
            to.append(std::exchange(before, " "));
            to.append(more);
        }
    to.text(Field::finding_title, f.title);
    to.columns(Subtree::finding, Part::late, &on);
    for (const std::string_view piece : pieces(f.sentence))
        to.text(Field::finding_sentence, piece);
    for (const std::string_view piece : pieces(f.remedy))
        to.text(Field::finding_remedy, piece);
    for (const EvidenceFrame &other : f.evidence)
        if (&other != on.evidence)
            to.frame(Field::finding_frame, other.frame, other.word);
    if (on.first)
        to.expert(expert_of_finding(f), "Finding: " + std::string(title(f.kind)));
    to.close();
}

// "cycle 3, WRITE(10), data_out, idle gap 11.8 ms"
void title(FieldValues &to, const FrameFacts &facts) {
    if (facts.cycles.size() == 1) {
        const CycleRecord &r = facts.cycles.front().cycle->record;
        to.append("cycle ");
        to.append(r.cycle.number);
        if (r.opcode) {
            to.append(", ");
            to.append(command_words(*r.opcode, r.service_action));
        }
        append_roles(to, facts.cycles.front().roles);
    } else if (!facts.cycles.empty()) {
        to.append(facts.cycles.size());
        to.append(" cycles");
    }
    constexpr std::size_t most = 3; // Wireshark cuts a longer line off
    for (std::size_t i = 0; i < std::min(most, facts.gaps.size()); ++i) {
        if (!facts.cycles.empty() || i > 0)
            to.append(", ");
        to.append("idle gap ");
        to.append(human::duration(facts.gaps[i].record->length));
    }
    if (facts.gaps.size() > most) {
        to.append(", ");
        to.append(facts.gaps.size() - most);
        to.append(" more");
    }
}

// Returns whether the event deserves an expert info: it is neither routine nor harmless.
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
    if (!facts.inferred.empty())
        write_inferred(to, facts.inferred, labels.subtrees);
    for (const GapOnFrame &gap : facts.gaps)
        write_gap(to, gap);
    if (facts.sender != nullptr)
        write_sender(to, *facts.sender, labels.subtrees);
    for (const FindingOnFrame &f : facts.findings)
        write_finding(to, f);
    if (facts.unread != nullptr)
        to.expert(expert_of_unread(), facts.unread);
    for (const EventRecord *e : facts.events) {
        const std::string words = event_words(e->opcode, e->code);
        to.text(Field::event, words);
        if (is_noteworthy(e->opcode))
            to.expert(expert_of_event(), words);
    }
    for (const Anomaly *a : facts.anomalies) {
        to.number(Field::anomaly, static_cast<std::uint32_t>(a->kind));
        if (a->kind == AnomalyKind::digest_mismatch)
            to.expert(expert_of_digest(), explanation(a->kind));
    }
}

} // namespace iscsiscope::plugin
