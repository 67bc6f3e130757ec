// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/scsi_commands.h"

#include "analyzer/iscsi/codec/wire.h"

namespace iscsiscope::testbed::initiator {

namespace {
Cdb transfer(std::uint8_t code10, std::uint8_t code16, std::uint64_t lba, std::uint32_t blocks) {
    Cdb cdb{};
    if (lba <= 0xffffffff && blocks <= 0xffff) {
        wire::store8(cdb.data(), code10);
        wire::store32(&cdb[2], static_cast<std::uint32_t>(lba));
        wire::store16(&cdb[7], static_cast<std::uint16_t>(blocks));
    } else {
        wire::store8(cdb.data(), code16);
        wire::store64(&cdb[2], lba);
        wire::store32(&cdb[10], blocks);
    }
    return cdb;
}
} // namespace

Cdb read_cdb(std::uint64_t lba, std::uint32_t blocks) {
    return transfer(0x28, 0x88, lba, blocks);
}

Cdb write_cdb(std::uint64_t lba, std::uint32_t blocks) {
    return transfer(0x2a, 0x8a, lba, blocks);
}

Cdb write_same_cdb(std::uint64_t lba, std::uint32_t blocks) {
    Cdb cdb{};
    wire::store8(cdb.data(), 0x93);
    wire::store64(&cdb[2], lba);
    wire::store32(&cdb[10], blocks);
    return cdb;
}

Cdb test_unit_ready_cdb() {
    return {};
}

Cdb inquiry_cdb(std::uint16_t allocation_length) {
    Cdb cdb{};
    wire::store8(cdb.data(), 0x12);
    wire::store16(&cdb[3], allocation_length);
    return cdb;
}

Cdb read_capacity_10_cdb() {
    Cdb cdb{};
    wire::store8(cdb.data(), 0x25);
    return cdb;
}

Cdb read_capacity_16_cdb(std::uint32_t allocation_length) {
    Cdb cdb{};
    wire::store8(cdb.data(), 0x9e);
    wire::store8(&cdb[1], 0x10); // service action READ CAPACITY(16)
    wire::store32(&cdb[10], allocation_length);
    return cdb;
}

} // namespace iscsiscope::testbed::initiator
