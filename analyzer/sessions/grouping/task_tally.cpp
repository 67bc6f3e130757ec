// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/task_tally.h"

#include "analyzer/base/ratio.h"

namespace iscsiscope {

std::optional<double> TaskRow::iops() const {
    return count < 2 ? std::nullopt : per_second(count, active.length());
}

std::optional<double> TaskRow::rate() const {
    return count < 2 ? std::nullopt : per_second(bytes, active.length());
}

void TaskRow::add(const CycleRecord &r) {
    Tally::add(r);
    active.add(r.start, r.end);
    reads += r.type == TaskType::read ? 1 : 0;
    writes += r.type == TaskType::write ? 1 : 0;
    service_time.add(r.target_service);
}

void TaskRow::merge(const TaskRow &other) {
    Tally::merge(other);
    active.add(other.active);
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
    const auto asked = asked_bytes(r);
    const std::size_t size = asked ? size_class(*asked) : size_class_count;
    const Key key{std::uint64_t{m.index} << 16 | size << 8 | static_cast<std::uint64_t>(r.type), r.lun};
    std::size_t *place = last_.find_or_add(index_, key, max_cells);
    if (place == nullptr)
        return;
    if (cells_.size() < index_.size()) {
        *place = cells_.size();
        cells_.push_back({m.index, r.lun, r.type, size, {}});
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
        if (cell.type != TaskType::control && cell.size < size_class_count)
            t.by_size[cell.size].merge(cell.row);
        t.by_connection[m.stream].merge(cell.row);
        t.by_session[session].merge(cell.row);
    }
    return t;
}

} // namespace iscsiscope
