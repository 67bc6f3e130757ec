// SPDX-License-Identifier: GPL-2.0-or-later
// What the logical units told about themselves in answer to INQUIRY and READ CAPACITY.
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
    static constexpr std::size_t max_luns = 65536; // kept at once; further ones are told, not remembered

    // Data of a task that answers such a command is worth having: bytes wanted, else 0.
    static std::uint32_t wanted(const Task &);

    // The first data of such a task. Tells the sink if more is known now.
    void on_data(std::uint64_t session, const Task &, std::span<const std::byte>, RecordSink &);
    DeviceType device_type(std::uint64_t session, std::uint64_t lun) const;
    void forget_session(std::uint64_t session);

private:
    std::map<std::pair<std::uint64_t, std::uint64_t>, LunRecord> luns_;
};

} // namespace iscsiscope
