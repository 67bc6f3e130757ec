// SPDX-License-Identifier: GPL-2.0-or-later
// LunTable: the logical units of a session, as described by their answers to INQUIRY and READ CAPACITY. It
// also reports what INQUIRY and REPORT LUNS say of which units there are (PresenceRecord), and keeps none of
// it.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/cycles/tasks/task.h"
#include "analyzer/iscsi/scsi/cdb.h"

#include <cstddef>
#include <map>
#include <memory>

namespace iscsiscope {

class LunTable {
public:
    // Most that are kept; further ones are reported, not kept. Peripheral and flat space addressing number
    // so many (SAM-5 section 4.7.7).
    static constexpr std::size_t max_luns = 16384;

    // Bytes of the task's first Data-In that on_data() reads; 0 if the task is not one of those commands.
    static std::uint32_t wanted(const Task &);

    // Takes the first data of such a task. Puts a LunRecord if it adds to what is known.
    void on_data(StreamId stream, SessionId session, const Task &, const Pdu &, const RecordTables &);
    DeviceType device_type(std::uint64_t lun) const;

private:
    std::unique_ptr<std::map<std::uint64_t, LunRecord>> luns_; // null: none is known
};

} // namespace iscsiscope
