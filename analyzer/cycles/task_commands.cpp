// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/task_commands.h"

#include "analyzer/cycles/tasks/access_reports.h"
#include "analyzer/iscsi/codec/ahs.h"
#include "analyzer/iscsi/scsi/cdb.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

CommandInfo command_of(const Pdu &pdu, DeviceType device) {
    const auto basic = pdu.view().cdb();
    if (pdu.ahs.empty())
        return parse_cdb(basic, device);
    const auto headers = AdditionalHeaders::parse(pdu.ahs);
    if (!headers || headers->extended_cdb.empty())
        return parse_cdb(basic, device);
    std::array<std::byte, 260> cdb{}; // the longest CDB of SPC-4
    const std::size_t more = std::min(headers->extended_cdb.size(), cdb.size() - basic.size());
    std::copy(basic.begin(), basic.end(), cdb.begin());
    std::copy_n(headers->extended_cdb.begin(), more, cdb.begin() + basic.size());
    return parse_cdb(std::span<const std::byte>(cdb).first(basic.size() + more), device);
}

void read_cdb(const CycleConnection &c, Task &task, const Pdu &pdu) {
    const CommandInfo info = command_of(pdu, c.session->luns.device_type(task.lun));
    task.opcode = info.opcode;
    task.type = is_read(info.group)    ? TaskType::read
                : is_write(info.group) ? TaskType::write
                                       : TaskType::control;
    task.has_service_action = info.service_action.has_value();
    task.service_action = info.service_action.value_or(0);
    task.has_lba = info.lba.has_value();
    task.lba = info.lba.value_or(0);
    task.has_blocks = info.blocks.has_value();
    task.blocks = static_cast<std::uint32_t>(info.blocks.value_or(0));
    task.vital_product_data = info.vital_product_data;
    task.page = AccessReports::of_command(info, pdu.view().cdb());
}

// The type of a command whose CDB is not in the file. Commands that are no Read or Write but move data, such
// as INQUIRY and MODE SENSE, are allowed a length that is no whole number of blocks of 512 bytes.
TaskType type_by_flags(HeaderView v, bool knows_length) {
    const std::uint32_t bytes = v.expected_data_transfer_length();
    const bool none = knows_length && (bytes == 0 || bytes % 512 != 0);
    if (none || v.read_bit() == v.write_bit())
        return TaskType::control;
    return v.read_bit() ? TaskType::read : TaskType::write;
}

// When the command began; empty: it is not known, or the capture's clock was set since.
std::optional<Time> began(const CycleConnection &c, const Pdu &pdu) {
    return pdu.begins_unseen || pdu.first_seen < c.clock.from ? std::nullopt : std::optional(pdu.first_seen);
}

} // namespace

TaskIndex TaskCommands::add(CycleConnection &c, std::uint32_t itt, const Pdu &pdu) {
    const TaskIndex i = shared_.tasks.begin(c.open, c.session->id, itt);
    ++c.session->open_tasks;
    ++c.tasks;
    Task &task = shared_.tasks[i];
    task.owner = &c;
    task.start = pdu.first_seen;
    c.session->latest_start = std::max(c.session->latest_start, task.start);
    c.due.begun.push_back(shared_.tasks.ref(i));
    shared_.records.put(TaskBegun{task.cycle});
    note_begin(c, task.start);
    return i;
}

void TaskCommands::note_begin(CycleConnection &c, Time first_seen) {
    c.ledger.begun(first_seen);
    if (const auto from = c.no_task_intervals.without_task_from())
        c.gaps.no_task_interval_ended(c.no_task_intervals.latest_interval_end(), {*from, first_seen});
    if (const auto over = c.no_task_intervals.began(first_seen))
        shared_.records.put(NoTaskRecord{c.tcp.stream, over->begin, over->end - over->begin});
}

TaskIndex TaskCommands::begin_orphan(CycleConnection &c, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    const TaskIndex i = add(c, static_cast<std::uint32_t>(v.initiator_task_tag()), pdu);
    Task &task = shared_.tasks[i];
    // Only Data-Out and R2T are certain to carry the LUN (RFC 7143 sections 11.7.4 and 11.8).
    if (v.opcode() == Opcode::r2t || v.opcode() == Opcode::data_out)
        task.lun = static_cast<std::uint64_t>(v.lun());
    if (pdu.knows(header_field::data_sn))
        task.next_data_sn = v.opcode() == Opcode::r2t ? v.r2t_sn().value : v.data_sn().value;
    task.queue_depth = c.open.count;
    task.session_depth = c.session->open_tasks;
    shared_.anomaly(AnomalyKind::orphan_response, pdu.frame, c, task.itt);
    return i;
}

TaskIndex TaskCommands::begin(CycleConnection &c, const Pdu &pdu) {
    held_.next_command(c, began(c, pdu));
    const TaskIndex i = add(c, static_cast<std::uint32_t>(pdu.view().initiator_task_tag()), pdu);
    read_command(c, shared_.tasks[i], pdu);
    count_depths(c, shared_.tasks[i], pdu);
    return i;
}

bool TaskCommands::take_over(CycleConnection &c, TaskIndex i, const Pdu &pdu) {
    Task &task = shared_.tasks[i];
    if (task.owner != &c)
        return false;
    if (task.has_command)
        return !task.ended && task.cmd_sn == pdu.view().cmd_sn().value &&
               task.lun == static_cast<std::uint64_t>(pdu.view().lun());
    if (pdu.first_seen > task.start)
        return false;
    held_.next_command(c, began(c, pdu));
    task.start = pdu.first_seen;
    c.due.begun.push_back(shared_.tasks.ref(i));
    c.no_task_intervals.open_from(task.start);
    read_command(c, task, pdu);
    count_depths(c, task, pdu);
    if (task.ended) {
        held_.amend(c, i);
        if (!c.no_task_intervals.without_task_from()) // it ended before the connection's active life had
                                                      // begun with its command
            c.note_end();
    }
    return true;
}

void TaskCommands::read_command(CycleConnection &c, Task &task, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    task.has_command = true;
    task.cmd_sn = v.cmd_sn().value;
    task.immediate = v.immediate();
    task.lun = static_cast<std::uint64_t>(v.lun());
    task.tag_known = !pdu.tag_stands_in;
    task.expected_known = pdu.knows(header_field::expected_length);
    task.bytes_expected = task.expected_known ? v.expected_data_transfer_length() : 0;
    task.reads = v.read_bit();
    task.writes = v.write_bit();
    task.unsolicited_follows = task.writes && !v.final();
    task.command_frame = pdu.frame;
    task.command_delivered = pdu.header_delivered;
    task.response_unknown = task.response_unknown || !began(c, pdu);

    task.cdb_known = pdu.knows(header_field::cdb);
    task.inferred = task.inferred || !task.cdb_known || pdu.inferred;
    if (task.cdb_known)
        read_cdb(c, task, pdu);
    else
        task.type = type_by_flags(v, task.expected_known);
    if (task.writes && (pdu.data_length > 0 || task.unsolicited_follows)) {
        BurstTracker &bursts = shared_.writing(task);
        std::uint32_t allowance = pdu.data_length;
        if (task.unsolicited_follows) {
            const OperationalParameters *keys = c.known({Parameter::first_burst_length});
            allowance = keys != nullptr ? std::min(task.bytes_expected, keys->first_burst_length) : 0;
        }
        bursts.set_unsolicited_allowance(allowance);
        if (pdu.data_length > 0) {
            bursts.immediate(pdu);
            if (!task.first_data_frame)
                task.first_data_frame = pdu.header_frame;
        }
    }
    c.life.command(pdu.first_seen);
    c.gaps.on_command(v.cmd_sn(), pdu.first_seen);
}

void TaskCommands::count_depths(CycleConnection &c, Task &task, const Pdu &pdu) {
    task.queue_depth = c.open.count;
    task.session_depth = c.session->open_tasks;
    if (pdu.first_seen >= pdu.header_delivered)
        return;
    // The header came in pieces or waited for a hole: the depths are those at its first_seen.
    for (const CycleConnection *member : c.session->members) {
        std::uint32_t since = held_.ended_after(*member, pdu.first_seen);
        std::uint32_t later = 0;
        for (TaskIndex i = member->open.last; i != no_task; i = shared_.tasks[i].previous)
            if (shared_.tasks[i].start > pdu.first_seen)
                ++later;
            else if (&shared_.tasks[i] != &task)
                break; // the open tasks are in the order in which they began
        task.session_depth += since - later;
        if (member == &c)
            task.queue_depth += since - later;
    }
}

} // namespace iscsiscope
