// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a CDB of any device.
#include "analyzer/iscsi/scsi/cdb.h"

#include <cstdlib>
#include <vector>

using namespace iscsiscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto *bytes = reinterpret_cast<const std::byte *>(data);
    const std::vector<std::byte> cdb(bytes, bytes + size);
    for (const auto type : {DeviceType::unknown, DeviceType::disk, DeviceType::tape, DeviceType::changer}) {
        const CommandInfo info = parse_cdb(cdb, type);
        // Reads and writes are distinguished by group and by direction alike.
        if ((is_read(info.group) && info.direction != DataDirection::from_target) ||
            (is_write(info.group) && info.direction != DataDirection::to_target) ||
            (!info.known && (info.lba || info.blocks)) || name(info.group) == "unknown")
            std::abort();
    }
    return 0;
}
