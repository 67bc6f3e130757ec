// SPDX-License-Identifier: GPL-2.0-or-later
// INQUIRY with its vital product data pages (SPC-4 sections 6.6 and 7.8, SBC-3 section 6.5) and READ
// CAPACITY.
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace iscsiscope::testbed {
namespace {

using Bytes = std::vector<std::byte>;

void put_text(Bytes &out, std::size_t at, std::size_t width, std::string_view text) {
    for (std::size_t i = 0; i < width; ++i)
        out[at + i] = static_cast<std::byte>(i < text.size() ? text[i] : ' ');
}

void append(Bytes &out, std::string_view text) {
    const auto *p = reinterpret_cast<const std::byte *>(text.data());
    out.insert(out.end(), p, p + text.size());
}

constexpr std::string_view vendor = "ISCOPE", product = "TESTBED DISK", revision = "0001";

Bytes standard_inquiry() {
    Bytes out(96);
    wire::store8(&out[2], 0x06); // SPC-4
    wire::store8(&out[3], 0x12); // HISUP, response data format 2
    wire::store8(&out[4], static_cast<std::uint8_t>(out.size() - 5));
    wire::store8(&out[7], 0x02); // CMDQUE
    put_text(out, 8, 8, vendor);
    put_text(out, 16, 16, product);
    put_text(out, 32, 4, revision);
    // Version descriptors: SAM-5, SPC-4, SBC-3, iSCSI (SPC-4 table 143).
    constexpr std::array<std::uint16_t, 4> versions{0x00a0, 0x0460, 0x04c0, 0x0960};
    for (std::size_t i = 0; i < versions.size(); ++i)
        wire::store16(&out[58 + 2 * i], versions[i]);
    return out;
}

// A number for the logical unit from its target's name: FNV-1a, stable over restarts.
std::uint64_t unit_number(const DiskIdentity &identity) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : identity.target_name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return (hash ^ identity.lun) * 0x100000001b3;
}

void append_designator(Bytes &out, std::uint8_t code_set, std::uint8_t kind, const Bytes &value) {
    const std::size_t at = out.size();
    out.resize(at + 4);
    wire::store8(&out[at], code_set);
    wire::store8(&out[at + 1], kind);
    wire::store8(&out[at + 3], static_cast<std::uint8_t>(value.size()));
    out.insert(out.end(), value.begin(), value.end());
}

Bytes device_identification(const DiskIdentity &identity) {
    Bytes out;
    Bytes naa(8);
    // NAA 3h: locally assigned.
    wire::store64(&naa[0], (std::uint64_t{3} << 60) | (unit_number(identity) >> 4));
    append_designator(out, 0x01, 0x03, naa);
    Bytes t10(8);
    put_text(t10, 0, 8, vendor);
    append(t10, identity.serial);
    append_designator(out, 0x02, 0x01, t10);
    // SCSI name string of the target port (protocol iSCSI, PIV, association 01b), zero-terminated
    // and padded to four bytes.
    Bytes port;
    append(port, identity.target_name.substr(0, 223));
    append(port, ",t,0x0001");
    do
        port.push_back(std::byte{0});
    while (port.size() % 4 != 0);
    append_designator(out, 0x53, 0x98, port);
    return out;
}

Bytes block_limits(const Disk &disk) {
    Bytes page(60);
    const std::uint32_t size = disk.block_size();
    const std::uint32_t transfer = maximum_transfer_bytes / size;
    // Offsets are the standard's less the page header of four bytes.
    wire::store8(&page[0], 0x01); // WSNZ
    wire::store8(&page[1], static_cast<std::uint8_t>(maximum_compare_and_write_blocks));
    wire::store32(&page[4], transfer);                                             // maximum transfer length
    wire::store32(&page[8], std::min<std::uint32_t>(transfer, 256 * 1024 / size)); // optimal
    wire::store32(&page[16], 0xffffffff);                                          // maximum UNMAP LBA count
    wire::store32(&page[20], 256);        // maximum UNMAP descriptors
    wire::store32(&page[24], 1);          // optimal UNMAP granularity
    wire::store32(&page[28], 0x80000000); // UGAVALID, alignment 0
    wire::store64(&page[32], maximum_write_same_bytes / size);
    wire::store32(&page[40], transfer); // maximum atomic transfer length; alignment, granularity 0: any
    return page;
}

Bytes vital_product_data(const Disk &disk, std::uint8_t code, bool &known) {
    constexpr std::array<std::uint8_t, 6> supported{0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2};
    Bytes page;
    known = true;
    switch (code) {
    case 0x00:
        for (const std::uint8_t c : supported)
            page.push_back(std::byte{c});
        break;
    case 0x80:
        append(page, disk.identity().serial);
        break;
    case 0x83:
        page = device_identification(disk.identity());
        break;
    case 0xb0:
        page = block_limits(disk);
        break;
    case 0xb1: // block device characteristics: no rotation, as nothing here depends on it
        page.resize(60);
        wire::store16(&page[0], 1);
        break;
    case 0xb2: // LBPU, LBPWS, LBPWS10, LBPRZ; thin provisioned
        page.resize(4);
        wire::store8(&page[1], 0xe4);
        wire::store8(&page[2], 0x02);
        break;
    default:
        known = false;
    }
    Bytes out(4);
    wire::store8(&out[1], code);
    wire::store16(&out[2], static_cast<std::uint16_t>(page.size()));
    out.insert(out.end(), page.begin(), page.end());
    return out;
}

} // namespace

ScsiResult reply(std::span<const std::byte> data, std::uint64_t allocation_length) {
    ScsiResult result;
    result.data_in =
        Buffer(static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), allocation_length)));
    std::copy_n(data.begin(), result.data_in.size(), result.data_in.bytes().begin());
    return result;
}

ScsiResult inquiry(Disk &disk, const ScsiRequest &r) {
    const bool vital = (wire::load8(&r.cdb[1]) & 1) != 0;
    const std::uint8_t code = wire::load8(&r.cdb[2]);
    const std::uint16_t allocation = wire::load16(&r.cdb[3]);
    if (!vital)
        return code != 0 ? ScsiResult::check(sense::invalid_field_in_cdb)
                         : reply(standard_inquiry(), allocation);
    bool known = false;
    const Bytes page = vital_product_data(disk, code, known);
    return known ? reply(page, allocation) : ScsiResult::check(sense::invalid_field_in_cdb);
}

ScsiResult read_capacity_10(Disk &disk, const ScsiRequest &r) {
    if ((wire::load8(&r.cdb[8]) & 1) == 0 && wire::load32(&r.cdb[2]) != 0) // LBA without PMI
        return ScsiResult::check(sense::invalid_field_in_cdb);
    Bytes out(8);
    wire::store32(&out[0],
                  static_cast<std::uint32_t>(std::min<std::uint64_t>(disk.blocks() - 1, 0xffffffff)));
    wire::store32(&out[4], disk.block_size());
    return reply(out, out.size());
}

ScsiResult read_capacity_16(Disk &disk, const ScsiRequest &r) {
    Bytes out(32);
    wire::store64(&out[0], disk.blocks() - 1);
    wire::store32(&out[8], disk.block_size());
    wire::store8(&out[14], 0xc0); // LBPME, LBPRZ
    return reply(out, wire::load32(&r.cdb[10]));
}

} // namespace iscsiscope::testbed
