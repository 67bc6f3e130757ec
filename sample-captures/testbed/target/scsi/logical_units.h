// SPDX-License-Identifier: GPL-2.0-or-later
// The target's logical units by number, and what the target answers where there is none.
#pragma once

#include "sample-captures/testbed/target/scsi/disk.h"

#include <map>
#include <memory>

namespace iscsiscope::testbed {

struct LogicalUnit {
    std::unique_ptr<Disk> disk;
    std::unique_ptr<ServiceModel> service; // null: takes no time
};

class LogicalUnits {
public:
    // Numbers up to 16383; a number that is taken gives false.
    bool add(std::uint16_t number, LogicalUnit);
    LogicalUnit *find(std::uint32_t number);
    std::map<std::uint16_t, LogicalUnit> &all() { return units_; }

    // Executes for the LUN given, also where no such unit is (INQUIRY, REPORT LUNS, REQUEST SENSE have
    // an answer there: SPC-4 section 6.6, SAM-5 section 5.13).
    ScsiResult execute(std::uint32_t lun, const ScsiRequest &);
    std::uint64_t data_out_length(std::uint32_t lun, std::span<const std::byte> cdb);

private:
    ScsiResult report_luns(const ScsiRequest &) const;
    std::map<std::uint16_t, LogicalUnit> units_;
};

} // namespace iscsiscope::testbed
