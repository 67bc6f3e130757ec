// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that move or compare blocks (SBC-3 section 5).
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope::testbed {
namespace {

struct Range {
    std::uint64_t lba, blocks, offset, bytes;
};

Range range_of(const Disk &disk, const ScsiRequest &r) {
    const std::uint64_t lba = r.info.lba.value_or(0), blocks = r.info.blocks.value_or(0);
    return {lba, blocks, lba * disk.block_size(), blocks * disk.block_size()};
}

ScsiResult moved(bool write, const Range &range) {
    ScsiResult result;
    result.access = Access{write, range.offset, range.bytes};
    return result;
}

// Writes, and marks the blocks as mapped.
std::optional<Sense> put(Disk &disk, std::uint64_t lba, std::span<const std::byte> data) {
    if (!disk.store().write(lba * disk.block_size(), data))
        return sense::medium_error_write;
    disk.map().set(lba, data.size() / disk.block_size(), true);
    return std::nullopt;
}

// Compares the medium with data; with one_block, each block with the same data. The offset of the
// first difference goes with the sense.
std::optional<Sense> compare(Disk &disk, const Range &range, std::span<const std::byte> data,
                             bool one_block) {
    const std::size_t step = one_block ? disk.block_size() : std::size_t{1} << 20;
    Buffer have(std::min<std::size_t>(step, static_cast<std::size_t>(range.bytes)));
    for (std::uint64_t done = 0; done < range.bytes;) {
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(have.size(), range.bytes - done));
        const std::span<std::byte> part = have.bytes().first(n);
        if (!disk.store().read(range.offset + done, part))
            return sense::medium_error_read;
        const auto wanted = one_block ? data.first(n) : data.subspan(static_cast<std::size_t>(done), n);
        const auto [at, other] = std::mismatch(part.begin(), part.end(), wanted.begin());
        if (at != part.end()) {
            Sense s = sense::miscompare;
            s.information = static_cast<std::uint32_t>(done + static_cast<std::uint64_t>(at - part.begin()));
            return s;
        }
        done += n;
    }
    return std::nullopt;
}

} // namespace

std::optional<Sense> out_of_range(const Disk &disk, std::uint64_t lba, std::uint64_t blocks) {
    if (lba > disk.blocks() || blocks > disk.blocks() - lba)
        return sense::lba_out_of_range;
    return std::nullopt;
}

ScsiResult read_blocks(Disk &disk, const ScsiRequest &r) {
    const Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    if (range.bytes > maximum_transfer_bytes)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    ScsiResult result = moved(false, range);
    if (range.bytes > 0)
        result.medium_data = MediumRange{range.offset, range.bytes};
    return result;
}

// Where EDTL was shorter than the CDB's length, the whole blocks that came are written (the transport
// reports the overflow).
ScsiResult write_blocks(Disk &disk, const ScsiRequest &r) {
    Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    if (range.bytes > maximum_transfer_bytes)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    range.bytes =
        std::min<std::uint64_t>(range.bytes, r.data_out.size()) / disk.block_size() * disk.block_size();
    if (const auto s = put(disk, range.lba, r.data_out.first(static_cast<std::size_t>(range.bytes))))
        return ScsiResult::check(*s);
    const bool through = r.info.fua || !disk.mode().write_cache;
    if (through && !disk.store().flush())
        return ScsiResult::check(sense::medium_error_write);
    return moved(true, range);
}

ScsiResult write_and_verify(Disk &disk, const ScsiRequest &r) {
    if ((wire::load8(&r.cdb[1]) >> 1 & 3) >= 2) // BYTCHK 10b reserved, 11b not for this command
        return ScsiResult::check(sense::invalid_field_in_cdb);
    return write_blocks(disk, r);
}

ScsiResult write_atomic(Disk &disk, const ScsiRequest &r) {
    // Commands are executed one at a time: each is atomic. A boundary other than 0 (none) is not
    // offered (VPD page B0h).
    if (wire::load16(&r.cdb[10]) != 0)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    const Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    if (range.bytes > maximum_transfer_bytes)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (r.data_out.size() < range.bytes)
        return ScsiResult::check(sense::invalid_information_unit); // never a part
    return write_blocks(disk, r);
}

ScsiResult verify_blocks(Disk &disk, const ScsiRequest &r) {
    const Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    const unsigned byte_check = wire::load8(&r.cdb[1]) >> 1 & 3u;
    if (byte_check == 2)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (byte_check != 0) {
        Range compared = range;
        if (byte_check == 1) {
            if (range.bytes > maximum_transfer_bytes)
                return ScsiResult::check(sense::invalid_field_in_cdb);
            compared.bytes = std::min<std::uint64_t>(range.bytes, r.data_out.size());
        } else if (range.blocks != 0 && r.data_out.size() < disk.block_size()) {
            return ScsiResult::check(sense::invalid_information_unit);
        }
        if (const auto s = compare(disk, compared, r.data_out, byte_check == 3))
            return ScsiResult::check(*s);
    }
    return moved(false, range);
}

ScsiResult compare_and_write(Disk &disk, const ScsiRequest &r) {
    const std::uint64_t blocks = wire::load8(&r.cdb[13]);
    const std::uint64_t lba = wire::load64(&r.cdb[2]);
    if (const auto s = out_of_range(disk, lba, blocks))
        return ScsiResult::check(*s);
    const auto half = static_cast<std::size_t>(blocks * disk.block_size());
    // Never a part of it: what is announced must be both halves and nothing else.
    if (r.expected_data_out != 2 * half)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    const Range range{lba, blocks, lba * disk.block_size(), half};
    if (const auto s = compare(disk, range, r.data_out.first(half), false))
        return ScsiResult::check(*s);
    if (const auto s = put(disk, lba, r.data_out.subspan(half, half)))
        return ScsiResult::check(*s);
    return moved(true, range);
}

ScsiResult or_write(Disk &disk, const ScsiRequest &r) {
    const Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    if (range.bytes > maximum_transfer_bytes)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (r.data_out.size() < range.bytes)
        return ScsiResult::check(sense::invalid_information_unit);
    Buffer merged(static_cast<std::size_t>(range.bytes));
    if (!disk.store().read(range.offset, merged.bytes()))
        return ScsiResult::check(sense::medium_error_read);
    std::transform(merged.bytes().begin(), merged.bytes().end(), r.data_out.begin(), merged.bytes().begin(),
                   [](std::byte a, std::byte b) { return a | b; });
    if (const auto s = put(disk, range.lba, merged.bytes()))
        return ScsiResult::check(*s);
    return moved(true, range);
}

ScsiResult prefetch(Disk &disk, const ScsiRequest &r) {
    const Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    // CONDITION MET: all the blocks fit in the cache (SBC-3 section 5.8); the store is the cache.
    ScsiResult result = moved(false, range);
    result.status = ScsiStatus::condition_met;
    return result;
}

ScsiResult synchronize_cache(Disk &disk, const ScsiRequest &r) {
    const Range range = range_of(disk, r);
    if (const auto s = out_of_range(disk, range.lba, range.blocks))
        return ScsiResult::check(*s);
    if (!disk.store().flush())
        return ScsiResult::check(sense::medium_error_write);
    return {};
}

} // namespace iscsiscope::testbed
