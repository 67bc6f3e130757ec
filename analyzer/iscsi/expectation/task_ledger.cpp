// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/task_ledger.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope {

namespace {

namespace hf = header_field;

// Tasks that have no answer are forgotten beyond this, the oldest first.
constexpr std::size_t max_open_tasks = 1024;
constexpr std::size_t max_bursts = 64;
constexpr std::uint32_t near = 4096; // numbers of a connection lie no further apart (SyncContext)

constexpr auto no_tag = static_cast<std::uint32_t>(InitiatorTaskTag::reserved);

std::uint32_t itt_of(HeaderView h) {
    return static_cast<std::uint32_t>(h.initiator_task_tag());
}

void one_less(std::uint16_t &count) {
    if (count > 0)
        --count;
}

bool close_to(std::uint32_t number, std::optional<std::uint32_t> expected) {
    return expected && number != 0 && number - *expected + near <= 2 * near;
}

} // namespace

TaskLedger::Task *TaskLedger::find_open(std::uint32_t itt) {
    // The youngest tasks are the ones that are spoken of most.
    for (std::size_t i = tags_.size(); i > 0; --i)
        if (tags_[i - 1] == itt)
            return &tasks_[i - 1];
    return nullptr;
}

const TaskLedger::Task *TaskLedger::find(std::uint32_t itt) const {
    return const_cast<TaskLedger *>(this)->find_open(itt);
}

void TaskLedger::close(std::uint32_t itt) {
    if (const Task *task = find(itt))
        close(tasks_.begin() + (task - tasks_.data()));
}

void TaskLedger::close(std::vector<Task>::iterator task) {
    tags_.erase(tags_.begin() + (task - tasks_.begin()));
    tasks_.erase(task);
    if (tasks_.empty()) { // most connections of a large capture are idle
        tags_ = {};
        tasks_ = {};
    }
}

TaskLedger::Task &TaskLedger::open(std::uint32_t itt) {
    if (itt != no_tag) {
        if (Task *task = find_open(itt); task != nullptr && !task->has_command) {
            task->sure = false; // an answer is in the file before the command: the order is unknown
            return *task;
        }
        close(itt);
    }
    if (tasks_.size() >= max_open_tasks) {
        tags_.erase(tags_.begin());
        tasks_.erase(tasks_.begin());
    }
    tags_.push_back(itt);
    tasks_.push_back({});
    tasks_.back().itt = itt;
    return tasks_.back();
}

TaskLedger::Burst *TaskLedger::burst_of(Task &task, std::uint32_t ttt) {
    const auto with = [&](std::optional<std::uint32_t> tag) {
        return std::find_if(task.bursts.begin(), task.bursts.end(),
                            [&](const Burst &b) { return b.ttt == tag; });
    };
    auto it = with(ttt);
    if (it == task.bursts.end() && ttt != reserved_ttt)
        it = with(std::nullopt); // the data show the tag that their R2T did not
    return it == task.bursts.end() ? nullptr : &*it;
}

TaskLedger::Burst &TaskLedger::begin_burst(Task &task, std::optional<std::uint32_t> ttt, std::uint32_t offset,
                                           std::optional<std::uint32_t> length) {
    task.bursts.push_back({.ttt = ttt,
                           .offset = offset,
                           .length = length,
                           .sent = 0,
                           .next_data_sn = 0,
                           .serial = bursts_begun_++,
                           .asked = {}});
    return task.bursts.back();
}

void TaskLedger::negotiated(const Limits &limits) {
    unit_in_.negotiated = limits.data_in;
    unit_out_.negotiated = limits.data_out;
    negotiated_burst_ = limits.burst;
}

void TaskLedger::note_data_in(Task &task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (task.in_pdus == 0 && !pdu.inferred)
        note_order(task);
    task.in_bytes = (pdu.knows(hf::buffer_offset) ? h.buffer_offset() : task.in_bytes) + pdu.data_length;
    task.in_pdus = (pdu.knows(hf::data_sn) ? h.data_sn().value : task.in_pdus) + 1;
    if (h.final() && task.expected && task.in_bytes < *task.expected && !h.status_bit())
        read_burst_ = task.in_sequence + pdu.data_length;
    task.in_sequence = h.final() ? 0 : task.in_sequence + pdu.data_length;
    if (!pdu.inferred)
        unit_in_.note(pdu.data_length, h.final());
    interleaves_ = interleaves_ ||
                   (receiving_ && *receiving_ != task.itt && !pdu.inferred && find(*receiving_) != nullptr);
    const bool more = task.expected && task.in_bytes < *task.expected && !h.status_bit();
    receiving_ = !h.final() || (more && !interleaves_) ? std::optional(task.itt) : std::nullopt;
    if (!pdu.inferred && h.final() && (h.status_bit() || (task.expected && task.in_bytes >= *task.expected)))
        note_status_place(h.status_bit());
}

void TaskLedger::note_data_out(Task &task, const Pdu &pdu) {
    task.out_bytes += pdu.data_length;
    task.data_out.offset = pdu.end_offset;
    if (!pdu.inferred)
        unit_out_.note(pdu.data_length, pdu.view().final());
    sending_ = pdu.view().final() ? std::nullopt : std::optional(task.itt);
    if (!pdu.knows(hf::target_transfer_tag))
        return;
    const HeaderView h = pdu.view();
    const auto ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
    Burst *burst = burst_of(task, ttt);
    if (burst == nullptr) {
        if (h.final() || task.bursts.size() >= max_bursts)
            return;
        burst = &begin_burst(task, ttt, pdu.knows(hf::buffer_offset) ? h.buffer_offset() : 0, std::nullopt);
    }
    if (!pdu.inferred && burst->sent == 0)
        note_burst_order(*burst);
    if (!burst->ttt)
        burst->ttt = ttt;
    burst->sent += pdu.data_length;
    burst->next_data_sn = (pdu.knows(hf::data_sn) ? h.data_sn().value : burst->next_data_sn) + 1;
    if (!h.final())
        return;
    if (!burst->length) // the R2T did not show how much it asked for
        task.asked_to = std::max(task.asked_to, burst->offset + burst->sent);
    task.bursts.erase(task.bursts.begin() + (burst - task.bursts.data()));
}

std::vector<TaskLedger::Task>::iterator TaskLedger::first_tagless() {
    return std::find_if(
        tasks_.begin(), tasks_.end(), [](const Task &t) { return t.tagless; });
}

void TaskLedger::read_command(Task &task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    task.has_command = true;
    task.command.offset = pdu.offset + basic_header_size;
    if (pdu.knows(hf::lun))
        task.lun = latest_lun_ = static_cast<std::uint64_t>(h.lun());
    task.reads = h.read_bit();
    task.writes = h.write_bit();
    if (pdu.knows(hf::expected_length))
        task.expected = h.expected_data_transfer_length();
    if (task.reads && !task.writes && task.expected)
        latest_read_ = *task.expected;
    task.out_bytes = task.asked_to = pdu.data_length;
    if (task.writes && !h.final())
        begin_burst(task, reserved_ttt, pdu.data_length, std::nullopt);
}

void TaskLedger::note_nop(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if ((h.opcode() != Opcode::nop_in && h.opcode() != Opcode::nop_out) ||
        !pdu.knows(hf::target_transfer_tag))
        return;
    const auto ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
    if (ttt == reserved_ttt)
        return;
    ping_.reset();
    if (h.opcode() == Opcode::nop_in)
        ping_ = Ping{.ttt = ttt, .asked = {pdu.offset + basic_header_size}};
}

void TaskLedger::note_named(const Pdu &pdu) {
    const std::uint32_t itt = itt_of(pdu.view());
    if (pdu.direction == PduDirection::to_initiator) {
        close(itt);
        return;
    }
    one_less(unknown_asks_);
    if (Task *answered = find_open(itt); answered != nullptr && !answered->has_command) {
        Task command;
        read_command(command, pdu);
        answered->has_command = true;
        answered->lun = command.lun;
        answered->reads = command.reads;
        answered->writes = command.writes;
        answered->expected = command.expected;
        answered->command = command.command;
        answered->out_bytes += command.out_bytes;
        answered->asked_to = std::max(answered->asked_to, command.asked_to);
        if (const auto tagless = first_tagless(); tagless != tasks_.end())
            close(tagless);
        return;
    }
    if (find(itt) != nullptr)
        return; // its command has this tag already
    give_tag(itt);
    if (Task *task = find_open(itt)) {
        *task = {};
        task->itt = itt;
        read_command(*task, pdu);
    } else {
        read_command(open(itt), pdu);
    }
}

void TaskLedger::give_tag(std::uint32_t itt) {
    const auto tagless = first_tagless();
    if (tagless == tasks_.end() || find(itt) != nullptr)
        return;
    tagless->tagless = false;
    tagless->itt = tags_[static_cast<std::size_t>(tagless - tasks_.begin())] = itt;
}

void TaskLedger::note_answer(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if ((h.opcode() == Opcode::r2t || h.opcode() == Opcode::data_in || h.opcode() == Opcode::scsi_response) &&
        hf::initiator_task_tag.in(pdu.in_file))
        give_tag(itt_of(h));
    note(pdu);
}

void TaskLedger::note(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (h.consumes_stat_sn()) {
        sure_of_statuses_ = pdu.knows(hf::stat_sn);
        if (sure_of_statuses_)
            next_status_ = h.stat_sn().value + 1;
    }
    if (h.opcode() == Opcode::r2t && hf::stat_sn.in(pdu.in_file) && sure_of_statuses_ && next_status_)
        r2t_numbered_ = h.stat_sn().value == *next_status_;
    else if (h.opcode() == Opcode::r2t && hf::stat_sn.in(pdu.in_file) && r2t_numbered_) {
        next_status_ = h.stat_sn().value;
        sure_of_statuses_ = true;
    }
    if (h.opcode() == Opcode::r2t && !pdu.knows(hf::initiator_task_tag))
        unknown_asks_ = static_cast<std::uint16_t>(std::min(unknown_asks_ + 1, 0xffff));
    if (h.consumes_cmd_sn() && !pdu.knows(hf::cmd_sn))
        sure_of_commands_ = false;
    if (h.consumes_cmd_sn() && pdu.knows(hf::cmd_sn)) {
        const std::uint32_t number = h.cmd_sn().value;
        shares_numbers_ = shares_numbers_ || (next_command_ && number != *next_command_ && sure_of_commands_);
        if (next_command_ && !sure_of_commands_ && number - *next_command_ <= max_open_tasks)
            missing_ = static_cast<std::uint16_t>(number - *next_command_);
        if (withheld_.commands == 0)
            answered_ = std::min(answered_, missing_);
        next_command_ = number + 1;
        sure_of_commands_ = true;
    }
    if (h.opcode() == Opcode::scsi_command && !pdu.inferred && (h.write_bit() || pdu.data_length > 0)) {
        immediate_run_ = pdu.data_length == immediate_data_ ? immediate_run_ + 1 : 1;
        immediate_data_ = pdu.data_length;
    }
    if (pdu.direction == PduDirection::to_target)
        note_command_data(pdu);
    note_nop(pdu);
    if (h.opcode() == Opcode::login_request && pdu.knows(hf::cmd_sn)) {
        next_command_ = h.cmd_sn().value; // the first command has it too (RFC 7143 section 11.12.8)
        sure_of_commands_ = true;
    }
    if (h.opcode() == Opcode::scsi_command)
        guessed_ = pdu.inferred && (guessed_ || pdu.data_length > 0);
    if (h.has_max_cmd_sn() && hf::max_cmd_sn.in(pdu.in_file))
        max_cmd_sn_ = h.max_cmd_sn().value;
    if (h.opcode() == Opcode::scsi_command && !pdu.knows(hf::initiator_task_tag)) {
        Task &task = open(no_tag);
        task.tagless = true;
        read_command(task, pdu);
    }
    if (h.has_status() && !pdu.knows(hf::initiator_task_tag)) {
        if (const auto tagless = first_tagless(); tagless != tasks_.end())
            close(tagless);
        else
            answered_ = static_cast<std::uint16_t>(std::min(answered_ + 1, 0xffff));
    }
    if (!pdu.knows(hf::initiator_task_tag) || h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return;
    const std::uint32_t itt = itt_of(h);
    switch (h.opcode()) {
    case Opcode::scsi_command:
        read_command(open(itt), pdu);
        return;
    case Opcode::data_in: {
        Task *task = find_open(itt);
        if (task == nullptr) {
            (task = &open(itt))->reads = true;
            one_less(missing_);
        }
        note_data_in(*task, pdu);
        if (h.status_bit())
            close(itt);
        return;
    }
    case Opcode::data_out: {
        Task *task = find_open(itt);
        if (task == nullptr && pdu.inferred)
            return; // its task was over when it was found
        if (task == nullptr)
            (task = &open(itt))->writes = true;
        note_data_out(*task, pdu);
        return;
    }
    case Opcode::r2t: {
        Task *task = find_open(itt);
        if (task == nullptr) {
            (task = &open(itt))->writes = true;
            one_less(missing_);
        }
        const std::uint32_t offset = pdu.knows(hf::buffer_offset) ? h.buffer_offset() : task->asked_to;
        std::optional<std::uint32_t> length;
        if (pdu.knows(hf::desired_length))
            length = h.desired_data_transfer_length();
        task->asked_to = offset + length.value_or(0);
        task->r2ts = (pdu.knows(hf::data_sn) ? h.r2t_sn().value : task->r2ts) + 1;
        if (task->bursts.size() < max_bursts)
            begin_burst(*task,
                        pdu.knows(hf::target_transfer_tag)
                            ? std::optional(static_cast<std::uint32_t>(h.target_transfer_tag()))
                            : std::nullopt,
                        offset, length)
                .asked.offset = pdu.offset + basic_header_size;
        return;
    }
    case Opcode::scsi_response:
        if (const Task *task = find(itt);
            task != nullptr && task->in_pdus == 0 && task->r2ts == 0 && !pdu.inferred)
            note_order(*task);
        if (const Task *task = find(itt); task != nullptr && task->reads && !task->writes &&
                                          h.status() == 0 && task->in_bytes > 0 && !pdu.inferred)
            note_status_place(false);
        if (find(itt) == nullptr)
            one_less(missing_);
        close(itt);
        return;
    default:
        return;
    }
}

void TaskLedger::note_disorder(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    const auto ahead = [](std::uint32_t number, std::optional<std::uint32_t> next) {
        return next && number - *next - 1 < near;
    };
    bool found = false;
    if (h.has_exp_cmd_sn() && hf::exp_cmd_sn.in(pdu.in_file) && sure_of_commands_ && !shares_numbers_)
        found = ahead(h.exp_cmd_sn().value, next_command_);
    if (h.has_exp_stat_sn() && hf::exp_stat_sn.in(pdu.in_file) && sure_of_statuses_)
        found = ahead(h.exp_stat_sn().value, next_status_);
    if (found)
        disordered_ = 64;
    else if (disordered_ > 0)
        --disordered_;
}

bool TaskLedger::may_ask_unknown() const {
    const auto tagless = std::count_if(tasks_.begin(), tasks_.end(), [](const Task &t) { return t.tagless; });
    return unknown_asks_ < 2 * (static_cast<std::size_t>(tagless) + unknown_commands());
}

std::size_t TaskLedger::unknown_commands() const {
    constexpr std::size_t some = 4; // how many were missed is known by the next one
    const std::size_t all = withheld_.commands + missing_ + (next_command_ && !sure_of_commands_ ? some : 0);
    return all - std::min<std::size_t>(all, answered_);
}

bool TaskLedger::window_open() const {
    return !max_cmd_sn_ || !next_command_ || static_cast<std::int32_t>(*max_cmd_sn_ - *next_command_) >= 0;
}

bool TaskLedger::may_owe_data() const {
    return withheld_.r2ts ||
           std::any_of(
               tasks_.begin(), tasks_.end(),
               [](const Task &t) {
                   return t.writes && !t.sure && t.doubtful && (!t.expected || t.out_bytes < *t.expected);
               });
}

bool TaskLedger::continues(HeaderView h, HeaderMask known, PduDirection direction) const {
    if (!hf::initiator_task_tag.in(known))
        return false;
    const Task *task = h.has_initiator_task_tag() ? find(itt_of(h)) : nullptr;
    switch (h.opcode()) {
    case Opcode::data_in:
        return task != nullptr && (task->reads || !task->has_command);
    case Opcode::r2t:
    case Opcode::data_out:
        return task != nullptr && (task->writes || !task->has_command) &&
               static_cast<std::uint64_t>(h.lun()) == task->lun;
    case Opcode::scsi_response:
        return task != nullptr || (hf::stat_sn.in(known) && close_to(h.stat_sn().value, next_status_));
    default:
        break;
    }
    if (direction == PduDirection::to_target)
        return h.has_cmd_sn() && hf::cmd_sn.in(known) && close_to(h.cmd_sn().value, next_command_);
    return h.has_stat_sn() && hf::stat_sn.in(known) && close_to(h.stat_sn().value, next_status_);
}

bool TaskLedger::same_state(const TaskLedger &other, PduDirection direction) const {
    const auto same_task = [direction](const Task &a, const Task &b) {
        return a == b || (direction == PduDirection::to_target && a.tagless && b.tagless);
    };
    return next_status_ == other.next_status_ && next_command_ == other.next_command_ &&
           ping_ == other.ping_ && receiving_ == other.receiving_ && sending_ == other.sending_ &&
           std::equal(tasks_.begin(), tasks_.end(), other.tasks_.begin(), other.tasks_.end(), same_task);
}

void TaskLedger::take_earlier(const TaskLedger &other) {
    const auto earlier = [](Passed &a, const Passed &b) { a.offset = std::min(a.offset, b.offset); };
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        Task &task = tasks_[i];
        const Task &there = other.tasks_[i];
        earlier(task.command, there.command);
        earlier(task.data_out, there.data_out);
        for (std::size_t b = 0; b < std::min(task.bursts.size(), there.bursts.size()); ++b)
            earlier(task.bursts[b].asked, there.bursts[b].asked);
    }
}

void TaskLedger::lost(PduDirection direction, const std::vector<std::uint32_t> &tasks) {
    (direction == PduDirection::to_target ? sure_of_commands_ : sure_of_statuses_) = false;
    for (const std::uint32_t itt : tasks) {
        if (Task *task = find_open(itt)) {
            task->sure = false;
            task->doubtful = task->doubtful || direction == PduDirection::to_initiator;
        }
    }
}

void TaskLedger::lost_before(const Pdu &found) {
    Task *task = found.knows(hf::initiator_task_tag) && itt_of(found.view()) != no_tag
                     ? find_open(itt_of(found.view()))
                     : nullptr;
    if (task == nullptr || interleaves_ || !answers_in_order()) {
        lost(PduDirection::to_initiator);
        return;
    }
    sure_of_statuses_ = false;
    task->sure = false; // some of its own may be missed
    for (auto other = tasks_.data(); other != tasks_.data() + tasks_.size(); ++other)
        if (other < task || other->reads != task->reads || other->writes != task->writes) {
            other->sure = false;
            other->doubtful = true;
        }
}

void TaskLedger::lost(PduDirection direction) {
    lost(direction, std::vector<std::uint32_t>{tags_});
}

} // namespace iscsiscope
