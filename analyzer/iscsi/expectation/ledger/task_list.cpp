// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/task_list.h"

#include <algorithm>

namespace iscsiscope {

namespace {

namespace hf = header_field;

constexpr std::size_t max_bursts = 64;
constexpr auto no_tag = static_cast<std::uint32_t>(InitiatorTaskTag::reserved);

bool is_tagless(const TaskProgress &t) {
    return t.tagless;
}

} // namespace

TaskProgress *TaskList::find(std::uint32_t itt) {
    // The youngest tasks are the ones that are spoken of most.
    for (std::size_t i = tags_.size(); i > 0; --i)
        if (tags_[i - 1] == itt)
            return &tasks_[i - 1];
    return nullptr;
}

const TaskProgress *TaskList::find(std::uint32_t itt) const {
    return const_cast<TaskList *>(this)->find(itt);
}

std::size_t TaskList::tagless_count() const {
    return static_cast<std::size_t>(std::count_if(tasks_.begin(), tasks_.end(), is_tagless));
}

std::size_t TaskList::first_tagless() const {
    return static_cast<std::size_t>(std::find_if(tasks_.begin(), tasks_.end(), is_tagless) - tasks_.begin());
}

void TaskList::erase(std::size_t index) {
    tags_.erase(tags_.begin() + static_cast<std::ptrdiff_t>(index));
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(index));
    if (tasks_.empty()) { // most connections of a large capture are idle
        tags_ = {};
        tasks_ = {};
    }
}

void TaskList::close(std::uint32_t itt) {
    if (const TaskProgress *task = find(itt))
        erase(static_cast<std::size_t>(task - tasks_.data()));
}

TaskProgress &TaskList::open(std::uint32_t itt) {
    if (itt != no_tag) {
        if (TaskProgress *task = find(itt); task != nullptr && !task->has_command) {
            task->sure = false; // an answer is in the file before the command: the order is unknown
            return *task;
        }
        close(itt);
    }
    if (tasks_.size() >= max_open_tasks)
        erase(0);
    tags_.push_back(itt);
    tasks_.push_back({});
    tasks_.back().itt = itt;
    return tasks_.back();
}

TaskProgress &TaskList::open_tagless() {
    TaskProgress &task = open(no_tag);
    task.tagless = true;
    return task;
}

bool TaskList::close_tagless() {
    const std::size_t tagless = first_tagless();
    if (tagless == tasks_.size())
        return false;
    erase(tagless);
    return true;
}

void TaskList::give_tag(std::uint32_t itt) {
    const std::size_t tagless = first_tagless();
    if (tagless == tasks_.size() || find(itt) != nullptr)
        return;
    tasks_[tagless].tagless = false;
    tasks_[tagless].itt = tags_[tagless] = itt;
}

DataBurst &TaskList::begin_burst(TaskProgress &task, const DataBurst &burst) {
    task.bursts.push_back(burst);
    task.bursts.back().serial = bursts_begun_++;
    return task.bursts.back();
}

void TaskList::note_command(TaskProgress &task, const Pdu &pdu) {
    task.note_command(pdu);
    if (task.writes && !pdu.view().final())
        begin_burst(task, {.ttt = reserved_ttt, .offset = pdu.data_length, .length = std::nullopt});
}

void TaskList::note_r2t(TaskProgress &task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    DataBurst burst;
    burst.offset = pdu.knows(hf::buffer_offset) ? h.buffer_offset() : task.asked_to;
    if (pdu.knows(hf::desired_length))
        burst.length = h.desired_data_transfer_length();
    if (pdu.knows(hf::target_transfer_tag))
        burst.ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
    burst.asked = pdu.offset + basic_header_size;
    task.asked_to = burst.offset + burst.length.value_or(0);
    task.r2ts = (pdu.knows(hf::data_sn) ? h.r2t_sn().value : task.r2ts) + 1;
    if (task.bursts.size() < max_bursts)
        begin_burst(task, burst);
}

DataBurst *TaskList::burst_of(TaskProgress &task, const Pdu &pdu) {
    if (!pdu.knows(hf::target_transfer_tag))
        return nullptr;
    const HeaderView h = pdu.view();
    const auto ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
    const auto with = [&](std::optional<std::uint32_t> tag) {
        return std::find_if(task.bursts.begin(), task.bursts.end(),
                            [&](const DataBurst &b) { return b.ttt == tag; });
    };
    auto it = with(ttt);
    if (it == task.bursts.end() && ttt != reserved_ttt)
        it = with(std::nullopt); // the data show the tag that their R2T did not
    if (it != task.bursts.end())
        return &*it;
    if (h.final() || task.bursts.size() >= max_bursts)
        return nullptr;
    const std::uint32_t offset = pdu.knows(hf::buffer_offset) ? h.buffer_offset() : 0;
    return &begin_burst(task, {.ttt = ttt, .offset = offset, .length = std::nullopt});
}

void TaskList::doubt(std::uint32_t itt, bool answers) {
    if (TaskProgress *task = find(itt)) {
        task->sure = false;
        task->doubtful = task->doubtful || answers;
    }
}

void TaskList::doubt_before(const TaskProgress &found) {
    for (TaskProgress &task : tasks_)
        if (&task < &found || task.reads != found.reads || task.writes != found.writes) {
            task.sure = false;
            task.doubtful = true;
        } else if (&task == &found) {
            task.sure = false; // some of its own may be missed
        }
}

void TaskList::take_earlier(const TaskList &other) {
    const auto earlier = [](std::uint64_t &a, std::uint64_t b) { a = std::min(a, b); };
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        TaskProgress &task = tasks_[i];
        const TaskProgress &there = other.tasks_[i];
        earlier(task.command, there.command);
        earlier(task.data_out, there.data_out);
        for (std::size_t b = 0; b < std::min(task.bursts.size(), there.bursts.size()); ++b)
            earlier(task.bursts[b].asked, there.bursts[b].asked);
    }
}

} // namespace iscsiscope
