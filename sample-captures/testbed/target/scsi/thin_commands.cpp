// SPDX-License-Identifier: GPL-2.0-or-later
// Logical block provisioning: WRITE SAME, UNMAP, GET LBA STATUS (SBC-3 section 5).
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope::testbed {

ScsiResult write_same(Disk &disk, const ScsiRequest &r) {
    const std::uint64_t lba = r.info.lba.value_or(0), blocks = r.info.blocks.value_or(0);
    const std::uint32_t size = disk.block_size();
    if (blocks == 0) // WSNZ in VPD page B0h: "to the end of the medium" is not offered
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (const auto s = out_of_range(disk, lba, blocks))
        return ScsiResult::check(*s);
    if (blocks > maximum_write_same_bytes / size)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (!r.info.no_data_out && r.data_out.size() < size)
        return ScsiResult::check(sense::invalid_information_unit);

    ScsiResult result;
    result.access = Access{true, lba * size, blocks * size};
    const std::span<const std::byte> block =
        r.info.no_data_out ? std::span<const std::byte>{} : r.data_out.first(size);
    const bool zero = std::all_of(block.begin(), block.end(), [](std::byte b) { return b == std::byte{0}; });
    if (zero) {
        if (!disk.store().discard(lba * size, blocks * size))
            return ScsiResult::check(sense::medium_error_write);
        disk.map().set(lba, blocks, !r.info.unmap);
        return result;
    }
    // With UNMAP and data other than zero the blocks must read as that data (LBPRZ): written.
    Buffer run(static_cast<std::size_t>(std::min<std::uint64_t>(blocks, 256)) * size);
    for (std::size_t at = 0; at < run.size(); at += size)
        std::copy(block.begin(), block.end(), run.bytes().begin() + static_cast<std::ptrdiff_t>(at));
    for (std::uint64_t done = 0; done < blocks;) {
        const std::uint64_t n = std::min<std::uint64_t>(blocks - done, run.size() / size);
        if (!disk.store().write((lba + done) * size, run.bytes().first(static_cast<std::size_t>(n * size))))
            return ScsiResult::check(sense::medium_error_write);
        done += n;
    }
    disk.map().set(lba, blocks, true);
    return result;
}

// Parameter list: 8 bytes of header, then descriptors of 16 bytes (SBC-3 section 5.30).
ScsiResult unmap(Disk &disk, const ScsiRequest &r) {
    const std::span<const std::byte> list = r.data_out;
    if (wire::load16(&r.cdb[7]) == 0)
        return {};
    if (list.size() < 8)
        return ScsiResult::check(sense::parameter_list_length);
    const std::size_t descriptors = std::min<std::size_t>(wire::load16(&list[2]), list.size() - 8) / 16;
    // All are checked before any is carried out.
    for (std::size_t i = 0; i < descriptors; ++i) {
        const std::byte *d = &list[8 + 16 * i];
        if (const auto s = out_of_range(disk, wire::load64(d), wire::load32(d + 8)))
            return ScsiResult::check(*s);
    }
    for (std::size_t i = 0; i < descriptors; ++i) {
        const std::byte *d = &list[8 + 16 * i];
        const std::uint64_t lba = wire::load64(d), blocks = wire::load32(d + 8);
        if (blocks == 0)
            continue;
        if (!disk.store().discard(lba * disk.block_size(), blocks * disk.block_size()))
            return ScsiResult::check(sense::medium_error_write);
        disk.map().set(lba, blocks, false);
    }
    return {};
}

ScsiResult get_lba_status(Disk &disk, const ScsiRequest &r) {
    const std::uint64_t start = wire::load64(&r.cdb[2]);
    const std::uint64_t allocation = wire::load32(&r.cdb[10]);
    if (start >= disk.blocks())
        return ScsiResult::check(sense::lba_out_of_range);
    // As many descriptors as fit, at least one, at most 256.
    const std::uint64_t fit = allocation < 24 ? 1 : std::min<std::uint64_t>((allocation - 8) / 16, 256);
    std::vector<std::byte> out(8);
    for (std::uint64_t lba = start, n = 0; lba < disk.blocks() && n < fit; ++n) {
        const std::uint64_t run = std::min<std::uint64_t>(disk.map().run(lba), 0xffffffff);
        const std::size_t at = out.size();
        out.resize(at + 16);
        wire::store64(&out[at], lba);
        wire::store32(&out[at + 8], static_cast<std::uint32_t>(run));
        wire::store8(&out[at + 12], disk.map().mapped(lba) ? 0 : 1); // 1: deallocated
        lba += run;
    }
    wire::store32(&out[0], static_cast<std::uint32_t>(out.size() - 4));
    return reply(out, allocation);
}

} // namespace iscsiscope::testbed
