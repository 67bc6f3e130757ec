// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/task_tally.h"

#include <algorithm>

namespace iscsiscope {

std::optional<double> TaskRow::iops() const {
    if (count < 2 || active() <= Duration{0})
        return std::nullopt;
    return static_cast<double>(count) / (static_cast<double>(to_ns(active())) / 1e9);
}

std::optional<double> TaskRow::rate() const {
    if (count < 2 || active() <= Duration{0})
        return std::nullopt;
    return static_cast<double>(bytes) / (static_cast<double>(to_ns(active())) / 1e9);
}

void TaskRow::add(const CycleRecord &r) {
    start = count == 0 ? r.start : std::min(start, r.start);
    end = count == 0 ? r.end : std::max(end, r.end);
    Tally::add(r);
    reads += r.type == TaskType::read ? 1 : 0;
    writes += r.type == TaskType::write ? 1 : 0;
    if (r.target_service)
        service_time.add(to_ns(*r.target_service));
}

void TaskRow::merge(const TaskRow &other) {
    if (other.count == 0)
        return;
    start = count == 0 ? other.start : std::min(start, other.start);
    end = count == 0 ? other.end : std::max(end, other.end);
    Tally::merge(other);
    reads += other.reads;
    writes += other.writes;
    service_time.merge(other.service_time);
}

std::string initiator_label(const Member &m) {
    return m.unit->initiator_name.empty() ? to_text(m.initiator_end.address) : m.unit->initiator_name;
}

std::string target_label(const Member &m) {
    return m.unit->target_name.empty() ? to_text(m.target_end.address) : m.unit->target_name;
}

void TaskTally::task(const Member &m, const CycleRecord &r) {
    const std::size_t size = size_class(r.bytes_expected.value_or(0));
    const Key key{std::uint64_t{m.index} << 40 | std::uint64_t{size} << 32 |
                      std::uint64_t{r.opcode.value_or(0)} << 24 | (r.opcode ? 1U << 23 : 0U) |
                      (r.service_action ? 0x10000U | *r.service_action : 0U),
                  r.lun};
    std::size_t *place = last_.find_or_add(index_, key, max_cells);
    if (place == nullptr) {
        ++left_out_;
        return;
    }
    if (cells_.size() < index_.size()) {
        *place = cells_.size();
        cells_.push_back({m.index, r.lun, r.type, {r.opcode.value_or(0), r.service_action}, size, {}});
    }
    cells_[*place].row.add(r);
}

TaskTables TaskTally::tables(const MemberTable &table) const {
    TaskTables t;
    for (const Cell &cell : cells_) {
        const Member &m = *table.members()[cell.member];
        const GroupId session = m.unit->group_number();
        t.by_initiator[initiator_label(m)].merge(cell.row);
        t.by_target[target_label(m)].merge(cell.row);
        t.by_portal[m.target_end].merge(cell.row);
        t.by_lun[{session, cell.lun}].merge(cell.row);
        if (cell.type != TaskType::control)
            t.by_size[cell.size].merge(cell.row);
        t.by_opcode[cell.opcode].merge(cell.row);
        t.by_connection[m.stream].merge(cell.row);
        t.by_session[session].merge(cell.row);
    }
    t.tasks_left_out = left_out_;
    return t;
}

} // namespace iscsiscope
