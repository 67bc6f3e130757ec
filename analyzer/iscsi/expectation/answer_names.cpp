// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/answer_names.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/expectation/forecast.h"

#include <algorithm>

namespace iscsiscope {

namespace {

using header_field::initiator_task_tag;

constexpr std::size_t max_waiting_answers = 64, max_tasks_of_answer = 128;

bool ends_task(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    return h.opcode() == Opcode::scsi_response || (h.opcode() == Opcode::data_in && h.status_bit());
}

} // namespace

void AnswerNames::answer(const Pdu &pdu, const LedgerState &state) {
    if (!ends_task(pdu) || pdu.knows(initiator_task_tag))
        return;
    Waiting w{.pdu = pdu, .tasks = {}};
    w.pdu.data = w.pdu.ahs = {};
    for (const TaskProgress &task : state.tasks.all())
        if (!task.tagless && w.tasks.size() < max_tasks_of_answer && can_answer(state, task, pdu))
            w.tasks.push_back(task.itt);
    if (w.tasks.empty())
        return;
    if (waiting_.size() >= max_waiting_answers)
        waiting_.erase(waiting_.begin());
    waiting_.push_back(std::move(w));
}

std::vector<Pdu> AnswerNames::header(const Pdu &pdu) {
    std::vector<Pdu> out;
    const HeaderView h = pdu.view();
    if (waiting_.empty() || !initiator_task_tag.in(pdu.in_file) || !h.has_initiator_task_tag())
        return out;
    const auto itt = static_cast<std::uint32_t>(h.initiator_task_tag());
    if (h.opcode() == Opcode::scsi_command) {
        const auto can = std::find_if(waiting_.begin(), waiting_.end(), [itt](const Waiting &w) {
            return std::find(w.tasks.begin(), w.tasks.end(), itt) != w.tasks.end();
        });
        if (can != waiting_.end())
            name(static_cast<std::size_t>(can - waiting_.begin()), itt, out);
    } else if (pdu.direction == PduDirection::to_initiator) {
        take_away(itt);
    }
    name_oldest(out);
    return out;
}

void AnswerNames::take_away(std::uint32_t itt) {
    for (Waiting &w : waiting_)
        std::erase(w.tasks, itt);
    std::erase_if(waiting_, [](const Waiting &w) { return w.tasks.empty(); });
}

void AnswerNames::name(std::size_t answer, std::uint32_t itt, std::vector<Pdu> &out) {
    Pdu pdu = waiting_[answer].pdu;
    wire::store32(pdu.header.data() + initiator_task_tag.at, itt);
    pdu.known |= initiator_task_tag.mask();
    pdu.inferred = true;
    out.push_back(pdu);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(answer));
    take_away(itt);
}

// While the oldest answers, however many, can only be as many tasks as they are: names them in the order of
// the tasks.
void AnswerNames::name_oldest(std::vector<Pdu> &out) {
    std::vector<std::uint32_t> tasks;
    for (std::size_t count = 1; count <= waiting_.size(); ++count) {
        for (const std::uint32_t itt : waiting_[count - 1].tasks)
            if (std::find(tasks.begin(), tasks.end(), itt) == tasks.end())
                tasks.push_back(itt);
        if (tasks.size() > count)
            continue;
        for (std::size_t i = 0; i < count && !waiting_.empty(); ++i) {
            const Waiting &first = waiting_.front();
            const auto oldest = std::find_if(tasks.begin(), tasks.end(), [&first](std::uint32_t itt) {
                return std::find(first.tasks.begin(), first.tasks.end(), itt) != first.tasks.end();
            });
            if (oldest == tasks.end())
                break;
            name(0, *oldest, out);
        }
        tasks.clear();
        count = 0;
    }
}

} // namespace iscsiscope
