// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/access_reports.h"

namespace iscsiscope {
namespace {

constexpr std::uint8_t reserve_in = 0x5e, reserve_out = 0x5f, maintenance_in = 0xa3;
constexpr std::uint16_t report_target_port_groups = 0x0a;

bool reports_port_groups(const Task &task) {
    return task.opcode == maintenance_in && task.service_action == report_target_port_groups;
}

} // namespace

std::uint8_t AccessReports::of_command(const CommandInfo &info, std::span<const std::byte, 16> cdb) {
    constexpr std::uint8_t lists_luns = 0xa0; // REPORT LUNS
    return info.opcode == reserve_out || info.opcode == lists_luns ? std::to_integer<std::uint8_t>(cdb[2])
                                                                   : info.page_code;
}

std::uint32_t AccessReports::wanted(const Task &task, PduDirection direction) {
    if (!task.has_command || !task.cdb_known || task.ended)
        return 0;
    if (direction == PduDirection::to_target)
        return task.opcode == reserve_out ? 24 : 0;
    return !task.data_ended && (task.opcode == reserve_in || reports_port_groups(task)) ? 8192 : 0;
}

void AccessReports::on_data(StreamId stream, SessionId session, const Task &task, const Pdu &pdu,
                            const RecordTables &records) {
    if (wanted(task, pdu.direction) == 0 || pdu.data.empty())
        return;
    if (reports_port_groups(task)) {
        if (auto groups = parse_port_groups(pdu.data))
            records.put(PortGroupsRecord{stream, session, task.lun, pdu.delivered, pdu.delivered_frame,
                                         std::move(*groups)});
        return;
    }
    ReservationRecord r;
    r.stream = stream;
    r.session = session;
    r.lun = task.lun;
    r.cycle = task.cycle;
    r.time = pdu.delivered;
    r.frame = pdu.delivered_frame;
    r.to_target = task.opcode == reserve_out;
    r.service_action = task.service_action;
    if (r.to_target) {
        r.scope_and_type = task.page;
        r.keys = parse_reserve_out(pdu.data);
        if (r.keys)
            records.put(r);
    } else if (auto list = parse_reserve_in(task.service_action, pdu.data)) {
        r.registrants = std::move(*list);
        records.put(r);
    }
}

} // namespace iscsiscope
