// SPDX-License-Identifier: GPL-2.0-or-later
// The few CDBs that the initiator sends (SBC-3, SPC-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope::testbed::initiator {

using Cdb = std::array<std::byte, 16>;

// READ(10) and WRITE(10), or their 16-byte forms where address or count do not fit.
Cdb read_cdb(std::uint64_t lba, std::uint32_t blocks);
Cdb write_cdb(std::uint64_t lba, std::uint32_t blocks);
Cdb write_same_cdb(std::uint64_t lba, std::uint32_t blocks); // WRITE SAME(16)
Cdb test_unit_ready_cdb();
Cdb inquiry_cdb(std::uint16_t allocation_length);
Cdb read_capacity_10_cdb();
Cdb read_capacity_16_cdb(std::uint32_t allocation_length);

} // namespace iscsiscope::testbed::initiator
