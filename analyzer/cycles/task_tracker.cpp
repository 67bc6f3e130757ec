// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/task_tracker.h"

#include "analyzer/cycles/tasks/access_reports.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/status.h"

#include <algorithm>
#include <limits>

namespace iscsiscope {
namespace {

constexpr std::uint32_t sense_wanted = 2 + 252; // SenseLength and the longest sense data (SPC-4)

TaskOutcome outcome_of(std::uint8_t status) {
    switch (static_cast<ScsiStatus>(status)) {
    case ScsiStatus::good:
        return TaskOutcome::good;
    case ScsiStatus::check_condition:
        return TaskOutcome::check_condition;
    case ScsiStatus::busy:
        return TaskOutcome::busy;
    case ScsiStatus::task_set_full:
        return TaskOutcome::task_set_full;
    case ScsiStatus::reservation_conflict:
        return TaskOutcome::reservation_conflict;
    case ScsiStatus::task_aborted: // by the task management of another initiator (SAM-5 section 5.3.1)
        return TaskOutcome::aborted;
    default:
        return TaskOutcome::other_status;
    }
}

void add(std::uint32_t &sum, std::uint32_t bytes) {
    sum = bytes > std::numeric_limits<std::uint32_t>::max() - sum ? std::numeric_limits<std::uint32_t>::max()
                                                                  : sum + bytes;
}

std::int64_t residual_of(HeaderView v) {
    const auto count = static_cast<std::int64_t>(v.residual_count());
    return v.overflow_bit() ? -count : v.underflow_bit() ? count : 0;
}

} // namespace

std::uint32_t TaskTracker::on_header(CycleConnection &c, const Pdu &pdu, OpenPdu &under_way) {
    const HeaderView v = pdu.view();
    const Opcode opcode = v.opcode();
    if (!pdu.knows(header_field::initiator_task_tag))
        return 0; // whose it is, the file does not show
    if (v.initiator_task_tag() == InitiatorTaskTag::reserved)
        return 0; // RFC 7143 section 11.2.1.8: no task has it
    TaskIndex i = no_task;
    if (opcode == Opcode::scsi_command) {
        i = task_of_command(c, pdu);
    } else {
        i = shared_.tasks.find(c.session->id, static_cast<std::uint32_t>(v.initiator_task_tag()));
        // An answer that passed before the command is that of the task that had the tag before: it waited for
        // a hole. When an answer that the file does not hold passed is not known.
        if (i != no_task && pdu.direction == PduDirection::to_initiator && !pdu.begins_unseen &&
            shared_.tasks[i].has_command && !shared_.tasks[i].ended &&
            pdu.first_seen < shared_.tasks[i].start)
            return 0;
        // Data-Out that follows the end of its task belongs to that task; an answer does not.
        if (i == no_task || (shared_.tasks[i].ended && opcode != Opcode::data_out && !c.gone)) {
            if (c.gone)
                return 0; // the PDU was in flight when the connection broke
            i = commands_.begin_orphan(c, pdu);
        }
        if (shared_.tasks[i].owner != &c && !shared_.tasks[i].ended)
            move_here(c, i);
    }
    Task &task = shared_.tasks[i];
    under_way.task = shared_.tasks.ref(i);
    task.wait_unseen = task.wait_unseen || (pdu.begins_unseen && !task.data_begun);
    switch (opcode) {
    case Opcode::scsi_command: {
        under_way.role = task.queue_depth > 1 ? PduRole::command_queued : PduRole::command_alone;
        if (task.cdb_known && LongCommands::blocks(task.opcode))
            c.session->long_commands.begun(task.lun, task.cycle, task.start);
        if (shared_.records.wanted<CycleBegun>()) {
            CycleBegun begun;
            fill_command(c, task, begun.cycle);
            begun.cycle.start = task.start;
            shared_.records.put(begun);
        }
        return std::min(pdu.data_length, AccessReports::wanted(task, pdu.direction));
    }
    case Opcode::data_in: {
        const bool first = !task.data_begun;
        under_way.role = v.data_segment_length() == 0 && v.status_bit() ? PduRole::status
                         : first                                        ? PduRole::first_data_in
                                                                        : PduRole::more_data_in;
        if (first || pdu.first_seen < task.first_data) {
            task.first_data = std::max(pdu.first_seen, task.start);
            task.first_data_frame = pdu.frame;
        }
        task.data_begun = true;
        return std::min(pdu.data_length,
                        std::max(LunTable::wanted(task), AccessReports::wanted(task, pdu.direction)));
    }
    case Opcode::data_out:
        switch (shared_.writing(task).data_out_begin(pdu)) {
        case BurstTracker::Begins::answers_r2t:
            under_way.role = PduRole::first_data_out;
            report_r2t_response(c, task, pdu);
            break;
        case BurstTracker::Begins::r2t_unseen:
            under_way.role = PduRole::data_out_without_r2t;
            break;
        case BurstTracker::Begins::nothing:
            under_way.role = PduRole::more_data_out;
            break;
        }
        report_burst_progress(c, task);
        if (!task.first_data_frame)
            task.first_data_frame = pdu.frame;
        return std::min(pdu.data_length, AccessReports::wanted(task, pdu.direction));
    case Opcode::r2t:
        under_way.role = PduRole::r2t;
        return 0;
    default:
        under_way.role = PduRole::status;
        return std::min(pdu.data_length, sense_wanted);
    }
}

TaskIndex TaskTracker::task_of_command(CycleConnection &c, const Pdu &pdu) {
    const auto itt = static_cast<std::uint32_t>(pdu.view().initiator_task_tag());
    const TaskIndex earlier = shared_.tasks.find(c.session->id, itt);
    if (earlier != no_task && commands_.take_over(c, earlier, pdu))
        return earlier;
    if (earlier != no_task && !shared_.tasks[earlier].ended) {
        const Task &task = shared_.tasks[earlier];
        if (task.has_command && !task.sync_lost && !c.target_unseen())
            shared_.anomaly(AnomalyKind::tag_reused, pdu.frame, c, itt);
        const auto missed = task.owner->missed_answers.resolve_one(task.start);
        if (missed && missed->until <= pdu.first_seen)
            end(*task.owner, earlier, TaskOutcome::unanswered, missed->until, missed->frame);
        else
            end(*task.owner, earlier, TaskOutcome::unanswered, pdu.first_seen, pdu.frame);
    }
    return commands_.begin(c, pdu);
}

void TaskTracker::move_here(CycleConnection &c, TaskIndex i) {
    Task &task = shared_.tasks[i];
    shared_.tasks.unlink(task.owner->open, i);
    task.owner->note_end();
    shared_.tasks.link(c.open, i);
    task.owner = &c;
    c.due.begun.push_back(shared_.tasks.ref(i)); // from now on its idle time is that of this connection
}

void TaskTracker::on_pdu(CycleConnection &c, const Pdu &pdu, const OpenPdu &under_way) {
    Task *task = shared_.tasks.get(under_way.task);
    if (task == nullptr)
        return; // its record is final
    const TaskIndex i = under_way.task.index;
    // Another connection of the session may have used the tag since the PDU's header.
    if (task->owner != &c && !task->ended)
        move_here(c, i);
    if (!task->ended || held_.takes_data(i)) {
        add(task->cut_bytes, pdu.cut_bytes);
        add(task->unseen_bytes, pdu.unseen_bytes);
        task->inferred = task->inferred || pdu.inferred;
    }
    switch (pdu.view().opcode()) {
    case Opcode::scsi_command:
        AccessReports::on_data(c.tcp.stream, c.session->id, *task, pdu, shared_.records);
        if (task->writing != no_task && pdu.data_length > 0) {
            shared_.bursts[task->writing].immediate_end(pdu);
            report_burst_progress(c, *task);
            task->bytes_moved += pdu.data_length;
            task->last_data_frame = pdu.delivered_frame;
            if (const auto *keys = c.known({Parameter::first_burst_length});
                keys != nullptr && pdu.data_length > keys->first_burst_length)
                shared_.anomaly(AnomalyKind::burst_limit_exceeded, pdu.frame, c, pdu.data_length);
            if (task->ended) // its answer was delivered before its command
                held_.amend(c, i);
        }
        break;
    case Opcode::data_in:
        on_data_in(c, i, pdu);
        break;
    case Opcode::data_out:
        on_data_out(c, i, pdu);
        break;
    case Opcode::r2t:
        on_r2t(c, i, pdu);
        break;
    default:
        on_response(c, i, pdu);
        break;
    }
}

void TaskTracker::on_data_in(CycleConnection &c, TaskIndex i, const Pdu &pdu) {
    Task &task = shared_.tasks[i];
    const HeaderView v = pdu.view();
    if (!task.ended) {
        if (!pdu.data.empty() && pdu.knows(header_field::buffer_offset) && v.buffer_offset() == 0) {
            c.session->luns.on_data(c.tcp.stream, c.session->id, task, pdu, shared_.records);
            AccessReports::on_data(c.tcp.stream, c.session->id, task, pdu, shared_.records);
        }
        const std::uint32_t data_sn =
            pdu.knows(header_field::data_sn) ? v.data_sn().value : task.next_data_sn;
        if (data_sn != task.next_data_sn && !task.sync_lost)
            shared_.anomaly(AnomalyKind::data_sn_gap, pdu.frame, c, data_sn);
        task.next_data_sn = data_sn + 1;
        task.last_data = task.data_ended ? std::max(task.last_data, pdu.delivered) : pdu.delivered;
        task.last_data_frame = pdu.delivered_frame;
        task.data_ended = true;
        task.bytes_moved += pdu.data_length;
        ++task.data_pdus;
    }
    if (v.status_bit() && !task.ended) {
        TaskEnd end;
        end.status = v.status();
        end.outcome = outcome_of(v.status());
        end_with_status(c, i, pdu, end);
    }
}

void TaskTracker::on_data_out(CycleConnection &c, TaskIndex i, const Pdu &pdu) {
    Task &task = shared_.tasks[i];
    if (pdu.knows(header_field::buffer_offset) && pdu.view().buffer_offset() == 0)
        AccessReports::on_data(c.tcp.stream, c.session->id, task, pdu, shared_.records);
    if (task.writing == no_task)
        return;
    const DataOutFaults faults = shared_.bursts[task.writing].data_out_end(pdu);
    report_burst_progress(c, task);
    const bool late = held_.takes_data(i);
    if (task.ended && !late)
        return;
    if (faults.out_of_sequence && !task.sync_lost && task.has_command)
        shared_.anomaly(AnomalyKind::data_sn_gap, pdu.frame, c, pdu.view().data_sn().value);
    if (faults.overrun)
        shared_.anomaly(AnomalyKind::burst_limit_exceeded, pdu.frame, c, pdu.data_length);
    task.last_data_frame = pdu.delivered_frame;
    task.bytes_moved += pdu.data_length;
    ++task.data_pdus;
    if (late)
        held_.amend(c, i);
}

void TaskTracker::on_r2t(CycleConnection &c, TaskIndex i, const Pdu &pdu) {
    Task &task = shared_.tasks[i];
    if (task.ended)
        return;
    const HeaderView v = pdu.view();
    const std::uint32_t r2t_sn = pdu.knows(header_field::data_sn) ? v.r2t_sn().value : task.next_data_sn;
    if (r2t_sn != task.next_data_sn && !task.sync_lost)
        shared_.anomaly(AnomalyKind::data_sn_gap, pdu.frame, c, r2t_sn);
    task.next_data_sn = r2t_sn + 1;
    if (const auto *keys = c.known({Parameter::max_burst_length});
        keys != nullptr && v.desired_data_transfer_length() > keys->max_burst_length)
        shared_.anomaly(AnomalyKind::burst_limit_exceeded, pdu.frame, c, v.desired_data_transfer_length());
    ++task.r2t_count;
    const OpenPdu &sending = c.pdus.under_way(PduDirection::to_target);
    std::optional<Time> data_out;
    if (sending.active && sending.task.index == i && sending.task.cycle == task.cycle &&
        (sending.role == PduRole::first_data_out || sending.role == PduRole::more_data_out ||
         sending.role == PduRole::data_out_without_r2t))
        data_out = c.gaps.last_sent(c.initiator);
    shared_.writing(task).r2t(pdu, data_out);
    report_burst_progress(c, task);
}

// Reports burst_response to the diagnosis: the round trip tap → initiator → tap of an R2T and its first
// Data-Out.
void TaskTracker::report_r2t_response(const CycleConnection &c, const Task &task, const Pdu &data_out) {
    if (shared_.diagnosis == nullptr)
        return;
    const auto row = shared_.bursts[task.writing].touched(task.cycle, c.tcp.stream, task.delivered());
    if (row && row->burst_response)
        shared_.diagnosis->tap_rtt_seen(c.tcp, c.initiator, data_out.first_seen, *row->burst_response);
}

void TaskTracker::report_burst_progress(const CycleConnection &c, const Task &task) {
    if (!shared_.records.wanted<BurstProgress>())
        return;
    if (const auto row = shared_.bursts[task.writing].touched(task.cycle, c.tcp.stream, task.delivered()))
        shared_.records.put(BurstProgress{*row});
}

void TaskTracker::on_response(CycleConnection &c, TaskIndex i, const Pdu &pdu) {
    if (shared_.tasks[i].ended)
        return;
    const HeaderView v = pdu.view();
    TaskEnd end;
    end.response = v.response();
    if (v.response() == 0) { // completed at the target: otherwise no status is valid (section 11.4.3)
        end.status = v.status();
        end.outcome = outcome_of(v.status());
    } else {
        end.outcome = TaskOutcome::other_status;
    }
    if (const auto sense = parse_response_sense(pdu.data, pdu.data_length))
        end.sense = packed(*sense);
    end_with_status(c, i, pdu, end);
}

void TaskTracker::end_with_status(CycleConnection &c, TaskIndex i, const Pdu &pdu, TaskEnd end) {
    Task &task = shared_.tasks[i];
    end.data_may_follow = pdu.overtakes && (task.writes || task.writing != no_task) &&
                          (!task.expected_known || task.bytes_moved < task.bytes_expected);
    task.sync_lost = task.sync_lost || end.data_may_follow;
    end.at = pdu.delivered;
    end.frame = pdu.delivered_frame;
    end.status_frame = pdu.last_frame;
    end.has_status = true;
    end.seen = pdu.unseen_bytes < pdu.end_offset - pdu.offset;
    if (pdu.knows(header_field::residual_count))
        end.residual = residual_of(pdu.view());
    end.status_end_offset = pdu.end_offset;
    end.status_seen = pdu.first_seen;
    end.status_seen_frame = pdu.frame;
    if (end.status == static_cast<std::uint8_t>(ScsiStatus::good) && task.has_command && !task.sync_lost &&
        task.unseen_bytes == 0 && !task.inferred && (task.reads != task.writes) && task.expected_known &&
        end.residual && *end.residual >= 0 &&
        static_cast<std::int64_t>(task.bytes_moved) + *end.residual !=
            static_cast<std::int64_t>(task.bytes_expected))
        shared_.anomaly(AnomalyKind::residual_mismatch, pdu.frame, c, *end.residual);
    held_.end(c, i, end);
}

void TaskTracker::end(CycleConnection &c, TaskIndex i, TaskOutcome outcome, Time at, OptionalFrame frame) {
    const Task &task = shared_.tasks[i];
    TaskEnd end;
    // Its answer may be among the PDUs missed while boundaries were lost, or in a direction not captured.
    if ((task.sync_lost || c.target_unseen()) &&
        (outcome == TaskOutcome::logout || outcome == TaskOutcome::connection_lost))
        outcome = TaskOutcome::unanswered;
    end.outcome = task.rejected ? TaskOutcome::rejected : outcome;
    end.at = at;
    end.frame = frame;
    held_.end(c, i, end);
}

void TaskTracker::clock_set(CycleConnection &c) {
    for (TaskIndex i = c.open.first; i != no_task; i = shared_.tasks[i].next)
        shared_.tasks[i].response_unknown = true;
    held_.next_command(c, std::nullopt);
}

void TaskTracker::end_missed(CycleConnection &c) {
    std::uint32_t answers = 0;
    for (std::size_t n = 1; n <= c.missed_answers.losses().size(); ++n) {
        const MissedAnswers::Loss &last = c.missed_answers.losses()[n - 1];
        answers += last.answers;
        std::uint32_t open = 0;
        // The open tasks are in the order in which they began, but for those that moved here.
        for (TaskIndex i = c.open.first;
             i != no_task && shared_.tasks[i].start < last.until && open <= answers;
             i = shared_.tasks[i].next)
            ++open;
        if (open > answers)
            continue;
        const std::vector<MissedAnswers::Loss> losses = c.missed_answers.resolved(n);
        // With fewer tasks than answers, commands were missed too, and whose the answers were is not known.
        if (open == answers)
            for (const MissedAnswers::Loss &loss : losses)
                for (std::uint32_t i = 0; i < loss.answers; ++i)
                    end(c, c.open.first, TaskOutcome::unanswered, loss.until, loss.frame);
        n = answers = 0;
    }
}

void TaskTracker::end_all(CycleConnection &c, TaskOutcome outcome, Time at, OptionalFrame frame) {
    while (c.open.first != no_task)
        end(c, c.open.first, outcome, at, frame);
}

} // namespace iscsiscope
