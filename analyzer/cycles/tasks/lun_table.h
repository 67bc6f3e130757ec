// SPDX-License-Identifier: GPL-2.0-or-later
// LunTable: the logical units of each session, as described by their answers to INQUIRY and READ CAPACITY.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/cycles/tasks/task.h"
#include "analyzer/iscsi/scsi/cdb.h"

#include <cstddef>
#include <map>
#include <span>
#include <utility>

namespace iscsiscope {

class LunTable {
public:
    static constexpr std::size_t max_luns = 65536; // kept at once; further ones are reported, not kept

    // Bytes of the task's first Data-In that on_data() reads; 0 if the task is not one of those commands.
    static std::uint32_t wanted(const Task &);

    // Takes the first data of such a task. Puts a LunRecord if it adds to what is known.
    void on_data(SessionId session, const Task &, std::span<const std::byte>, const RecordTables &);
    DeviceType device_type(SessionId session, std::uint64_t lun) const;
    void forget_session(SessionId session);

private:
    std::map<std::pair<SessionId, std::uint64_t>, LunRecord> luns_;
};

} // namespace iscsiscope
