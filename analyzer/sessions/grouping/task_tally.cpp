// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/task_tally.h"

#include <algorithm>
#include <bit>

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

void TaskRow::merge(const TaskRow &other) {
    if (other.count == 0)
        return;
    start = count == 0 ? other.start : std::min(start, other.start);
    end = count == 0 ? other.end : std::max(end, other.end);
    count += other.count;
    reads += other.reads;
    writes += other.writes;
    bytes += other.bytes;
    not_good += other.not_good;
    response_time.merge(other.response_time);
    service_time.merge(other.service_time);
}

std::size_t task_size_class(std::uint64_t bytes) {
    if (bytes == 0)
        return 0;
    return std::min<std::size_t>(1 + static_cast<std::size_t>(std::bit_width(bytes - 1)),
                                 task_size_class_count - 1);
}

std::string initiator_label(const Member &m) {
    return m.unit->initiator_name.empty() ? to_text(m.initiator_end.address) : m.unit->initiator_name;
}

std::string target_label(const Member &m) {
    return m.unit->target_name.empty() ? to_text(m.target_end.address) : m.unit->target_name;
}

void TaskTally::task(const Member &m, const CycleRecord &r) {
    const std::size_t size = task_size_class(r.bytes_expected.value_or(0));
    const Key key{std::uint64_t{m.index} << 40 | std::uint64_t{size} << 32 |
                      std::uint64_t{r.opcode.value_or(0)} << 24 | (r.opcode ? 1U << 23 : 0U) |
                      (r.service_action ? 0x10000U | *r.service_action : 0U),
                  r.lun};
    if (key != last_key_) {
        const auto [at, fresh] = index_.try_emplace(key, cells_.size());
        if (fresh) {
            if (cells_.size() == max_cells) {
                index_.erase(at);
                ++left_out_;
                return;
            }
            Cell cell;
            cell.member = m.index;
            cell.lun = r.lun;
            cell.type = r.type;
            cell.opcode = {r.opcode.value_or(0), r.service_action};
            cell.size = size;
            cells_.push_back(std::move(cell));
        }
        last_key_ = key;
        last_ = at->second;
    }
    TaskRow &row = cells_[last_].row;
    row.start = row.count == 0 ? r.start : std::min(row.start, r.start);
    row.end = row.count == 0 ? r.end : std::max(row.end, r.end);
    ++row.count;
    row.reads += r.type == TaskType::read ? 1 : 0;
    row.writes += r.type == TaskType::write ? 1 : 0;
    row.bytes += r.bytes_moved;
    row.not_good += r.outcome == TaskOutcome::good ? 0 : 1;
    if (r.response_time)
        row.response_time.add(to_ns(*r.response_time));
    if (r.target_service)
        row.service_time.add(to_ns(*r.target_service));
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
