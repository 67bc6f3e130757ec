// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/lun_table.h"

#include "analyzer/iscsi/scsi/inventory.h"

namespace iscsiscope {
namespace {

constexpr std::uint8_t inquiry = 0x12, read_capacity_10 = 0x25, service_action_in_16 = 0x9e,
                       report_luns = 0xa0;
constexpr std::uint8_t well_known_only = 1; // SELECT REPORT of REPORT LUNS (SPC-4 section 6.33)
constexpr std::uint32_t max_listed = 512;   // LUNs of one answer that are read
constexpr std::uint16_t read_capacity_16 = 0x10;
constexpr std::uint8_t page_serial = 0x80, page_identification = 0x83;

// True if the record changed.
bool learn(LunRecord &lun, const Task &task, std::span<const std::byte> data) {
    const auto set = [](auto &member, const auto &value) {
        if (member == value)
            return false;
        member = value;
        return true;
    };
    const auto capacity = [&](const std::optional<Capacity> &c) {
        if (!c)
            return false;
        const bool length = set(lun.block_length, std::optional(c->block_length));
        return set(lun.blocks, std::optional(c->last_lba + 1)) || length;
    };
    if (task.opcode == read_capacity_10)
        return capacity(parse_read_capacity_10(data));
    if (task.opcode == service_action_in_16)
        return task.service_action == read_capacity_16 && capacity(parse_read_capacity_16(data));
    if (task.opcode != inquiry)
        return false;
    if (!task.vital_product_data) {
        const auto answer = parse_inquiry(data);
        if (!answer || answer->qualifier == 3) // no such logical unit
            return false;
        bool changed = set(lun.device_type, std::optional(static_cast<std::uint8_t>(answer->device_type)));
        changed |= set(lun.vendor, answer->vendor);
        return set(lun.product, answer->product) || changed;
    }
    if (task.page == page_serial) {
        const auto serial = parse_unit_serial_number(data);
        return serial && set(lun.serial, *serial);
    }
    if (task.page == page_identification) {
        const auto list = parse_device_identification(data);
        if (!list)
            return false;
        const bool group = set(lun.port_group, port_group_of(*list));
        return set(lun.designator, best_identity(*list)) || group;
    }
    return false;
}

// What the answer says of which units there are; nullopt: nothing.
std::optional<PresenceRecord> presence(const Task &task, std::span<const std::byte> data) {
    PresenceRecord r;
    r.lun = task.lun;
    if (task.opcode == inquiry && !task.vital_product_data) {
        r.peripheral = std::to_integer<std::uint8_t>(data[0]);
        return r;
    }
    if (task.opcode != report_luns || task.page == well_known_only)
        return std::nullopt;
    const std::optional<LunList> list = parse_report_luns(data);
    if (!list)
        return std::nullopt;
    for (const Lun lun : list->luns)
        r.luns.push_back(static_cast<std::uint64_t>(lun));
    r.whole = list->whole;
    return r;
}

} // namespace

std::uint32_t LunTable::wanted(const Task &task) {
    if (!task.has_command || task.data_ended)
        return 0;
    switch (task.opcode) {
    case inquiry:
        return 4096;
    case read_capacity_10:
    case service_action_in_16:
        return 64;
    case report_luns:
        return 8 + 8 * max_listed;
    default:
        return 0;
    }
}

void LunTable::on_data(StreamId stream, SessionId session, const Task &task, const Pdu &pdu,
                       const RecordTables &records) {
    const std::span<const std::byte> data = pdu.data;
    if (auto said = presence(task, data); said && records.wanted<PresenceRecord>()) {
        said->stream = stream;
        said->session = session;
        said->time = pdu.delivered;
        said->frame = pdu.delivered_frame;
        records.put(*said);
    }
    if (!luns_)
        luns_ = std::make_unique<std::map<std::uint64_t, LunRecord>>();
    const auto found = luns_->find(task.lun);
    LunRecord record;
    if (found != luns_->end())
        record = found->second;
    record.session = session;
    record.lun = task.lun;
    if (!learn(record, task, data))
        return;
    records.put(record);
    if (found != luns_->end())
        found->second = record;
    else if (luns_->size() < max_luns)
        luns_->emplace(task.lun, record);
}

DeviceType LunTable::device_type(std::uint64_t lun) const {
    if (!luns_)
        return DeviceType::unknown;
    const auto found = luns_->find(lun);
    if (found == luns_->end() || !found->second.device_type)
        return DeviceType::unknown;
    return static_cast<DeviceType>(*found->second.device_type);
}

} // namespace iscsiscope
