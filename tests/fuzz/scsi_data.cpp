// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as sense data and as the answers of inventory commands.
#include "analyzer/iscsi/scsi/inventory.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"

#include <cstdlib>
#include <vector>

using namespace iscsiscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto *first = reinterpret_cast<const std::byte *>(data);
    const std::vector<std::byte> bytes(first, first + size);
    if (const auto sense = parse_sense(bytes))
        (void)sense_code_name(sense->asc, sense->ascq);
    (void)parse_sense(sense_of_response(bytes));
    const auto short_capacity = parse_read_capacity_10(bytes), capacity = parse_read_capacity_16(bytes);
    if ((short_capacity && short_capacity->block_length == 0) || (capacity && capacity->block_length == 0))
        std::abort();
    const auto inquiry = parse_inquiry(bytes);
    if (inquiry && inquiry->vendor.size() > 8 * 4) // eight bytes, each of which may be shown as \xHH
        std::abort();
    (void)parse_unit_serial_number(bytes);
    if (const auto list = parse_device_identification(bytes))
        (void)best_identity(*list);
    if (const auto luns = parse_report_luns(bytes)) {
        if (luns->luns.size() > size / 8)
            std::abort();
        for (const Lun lun : luns->luns)
            if (to_string(lun).empty())
                std::abort();
    }
    return 0;
}
