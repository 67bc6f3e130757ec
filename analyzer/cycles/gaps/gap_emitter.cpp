// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_emitter.h"

#include "analyzer/cycles/gaps/gap_classifier.h"
#include "analyzer/cycles/gaps/held_by_tcp.h"
#include "analyzer/cycles/ledger/gap_owner.h"
#include "analyzer/cycles/tasks/task_table.h"

namespace iscsiscope {

void GapEmitter::emit(PendingGap &gap) {
    GapEvidence &e = gap.evidence;
    e.one_sided = !around_.tcp.ends[0].seen || !around_.tcp.ends[1].seen;
    GapRecord record;
    record.stream = around_.tcp.stream;
    record.cycle = gap.cycle;
    record.start = e.start;
    record.length = e.end - e.start;
    record.kind = classify(e);
    record.proof = proof_of(record.kind, e, gap.after);
    record.before_frame = gap.before;
    record.after_frame = gap.after;
    note_ack_wait(gap, record);
    if (around_.open.count > 0 && around_.life.started())
        around_.life.task_end(e.end); // the open task ends then or later
    record.active_part = around_.life.part(e.start, e.end);
    record.in_active_life = record.active_part > Duration{};
    around_.life.add_gap(record.kind, record.active_part);
    record.rtt_to_awaited = e.rtt_to_sender;
    record.rtt_to_other = e.rtt_to_receiver;
    record.start_answered = e.start_answered;
    record.unanswered = e.unanswered;
    record.window_grows = record.kind == GapKind::cwnd_limited && e.tcp.window_grows;
    gap.parts.held_by_tcp = held_by_tcp(e);
    gap.parts.repaired = e.repeats || e.fills_hole;
    around_.ledger.gap(record, gap.parts, gap.side != around_.initiator);
    around_.records.put(record);
}

void GapEmitter::note_ack_wait(const PendingGap &gap, const GapRecord &record) {
    const bool held = record.kind == GapKind::delayed_ack;
    const bool by_nagle = record.kind == GapKind::ack_held_status || record.kind == GapKind::ack_held_data ||
                          (held && gap.evidence.tail_held_by_nagle);
    const bool of_target = is_of_iscsi(record.kind) && gap.parts.by_nagle > Duration{};
    if (!held && !by_nagle && !of_target)
        return;
    auto &waits = waits_[index(of_target ? around_.target() : gap.side)];
    if (!waits)
        waits = std::make_unique<AckWaits>();
    if (held)
        waits->held_acks.add(record.length, gap.after);
    if (by_nagle || of_target)
        waits->nagle.add(of_target ? gap.parts.by_nagle : record.length, gap.after);
}

} // namespace iscsiscope
