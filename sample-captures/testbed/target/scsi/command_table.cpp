// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope::testbed {
namespace {

using Cdb = std::span<const std::byte>;

std::uint64_t all_blocks(const Disk &disk, Cdb, const CommandInfo &info) {
    return info.blocks.value_or(0) * disk.block_size();
}
std::uint64_t one_block(const Disk &disk, Cdb, const CommandInfo &info) {
    return info.no_data_out ? 0 : disk.block_size();
}
// BYTCHK 01b: the blocks; 11b: one block to compare with each (SBC-3 section 5.33).
std::uint64_t bytes_to_check(const Disk &disk, Cdb cdb, const CommandInfo &info) {
    switch (wire::load8(&cdb[1]) >> 1 & 3) {
    case 1:
        return all_blocks(disk, cdb, info);
    case 3:
        return info.blocks.value_or(0) == 0 ? 0 : disk.block_size();
    default:
        return 0;
    }
}
std::uint64_t compare_and_write_data(const Disk &disk, Cdb cdb, const CommandInfo &) {
    return std::uint64_t{wire::load8(&cdb[13])} * 2 * disk.block_size();
}
std::uint64_t parameters_6(const Disk &, Cdb cdb, const CommandInfo &) {
    return wire::load8(&cdb[4]);
}
std::uint64_t parameters_10(const Disk &, Cdb cdb, const CommandInfo &) {
    return wire::load16(&cdb[7]);
}

constexpr CommandTraits inventory{false, false, true, true}; // INQUIRY, REPORT LUNS, REQUEST SENSE
constexpr CommandTraits unit{};                              //
constexpr CommandTraits always_reserved{false, false, true, false};
constexpr CommandTraits reads{true, false, false, false};
constexpr CommandTraits writes{true, true, false, false};
constexpr std::uint8_t ff = 0xff;

// In order of opcode, then service action. REPORT LUNS is answered for the whole target
// (logical_units.cpp) and is here to be reported as supported.
constexpr std::array table{
    CommandEntry{0x00, -1, 6, {0x00, 0, 0, 0, 0, 7}, {true, false, false, false}, test_unit_ready, nullptr},
    CommandEntry{0x03, -1, 6, {0x03, 1, 0, 0, ff, 7}, inventory, request_sense, nullptr},
    CommandEntry{0x08, -1, 6, {0x08, 0x1f, ff, ff, ff, 7}, reads, read_blocks, nullptr},
    CommandEntry{0x0a, -1, 6, {0x0a, 0x1f, ff, ff, ff, 7}, writes, write_blocks, all_blocks},
    CommandEntry{0x12, -1, 6, {0x12, 1, ff, ff, ff, 7}, inventory, inquiry, nullptr},
    CommandEntry{0x15, -1, 6, {0x15, 0x11, 0, 0, ff, 7}, unit, mode_select, parameters_6},
    CommandEntry{0x16, -1, 6, {0x16, 0, 0, 0, 0, 7}, unit, reserve, nullptr},
    CommandEntry{0x17, -1, 6, {0x17, 0, 0, 0, 0, 7}, always_reserved, release, nullptr},
    CommandEntry{0x1a, -1, 6, {0x1a, 8, ff, ff, ff, 7}, unit, mode_sense, nullptr},
    CommandEntry{0x1b, -1, 6, {0x1b, 1, 0, 0x0f, 0xf7, 7}, unit, start_stop_unit, nullptr},
    CommandEntry{0x1e, -1, 6, {0x1e, 0, 0, 0, 3, 7}, unit, prevent_allow, nullptr},
    CommandEntry{0x25, -1, 10, {0x25, 0, ff, ff, ff, ff, 0, 0, 1, 7}, unit, read_capacity_10, nullptr},
    CommandEntry{0x28, -1, 10, {0x28, 0x18, ff, ff, ff, ff, 0x1f, ff, ff, 7}, reads, read_blocks, nullptr},
    CommandEntry{
        0x2a, -1, 10, {0x2a, 0x18, ff, ff, ff, ff, 0x1f, ff, ff, 7}, writes, write_blocks, all_blocks},
    CommandEntry{
        0x2e, -1, 10, {0x2e, 0x16, ff, ff, ff, ff, 0x1f, ff, ff, 7}, writes, write_and_verify, all_blocks},
    CommandEntry{
        0x2f, -1, 10, {0x2f, 0x16, ff, ff, ff, ff, 0x1f, ff, ff, 7}, reads, verify_blocks, bytes_to_check},
    CommandEntry{0x34, -1, 10, {0x34, 2, ff, ff, ff, ff, 0x1f, ff, ff, 7}, reads, prefetch, nullptr},
    CommandEntry{0x35, -1, 10, {0x35, 6, ff, ff, ff, ff, 0x1f, ff, ff, 7}, reads, synchronize_cache, nullptr},
    CommandEntry{0x41, -1, 10, {0x41, 0x08, ff, ff, ff, ff, 0x1f, ff, ff, 7}, writes, write_same, one_block},
    CommandEntry{0x42, -1, 10, {0x42, 0, 0, 0, 0, 0, 0x1f, ff, ff, 7}, writes, unmap, parameters_10},
    CommandEntry{0x55, -1, 10, {0x55, 0x11, 0, 0, 0, 0, 0, ff, ff, 7}, unit, mode_select, parameters_10},
    CommandEntry{0x56, -1, 10, {0x56, 0, 0, 0, 0, 0, 0, 0, 0, 7}, unit, reserve, nullptr},
    CommandEntry{0x57, -1, 10, {0x57, 0, 0, 0, 0, 0, 0, 0, 0, 7}, always_reserved, release, nullptr},
    CommandEntry{0x5a, -1, 10, {0x5a, 0x18, ff, ff, 0, 0, 0, ff, ff, 7}, unit, mode_sense, nullptr},
    CommandEntry{0x88,
                 -1,
                 16,
                 {0x88, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 reads,
                 read_blocks,
                 nullptr},
    CommandEntry{0x89,
                 -1,
                 16,
                 {0x89, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, 0, 0, 0, ff, 0x1f, 7},
                 writes,
                 compare_and_write,
                 compare_and_write_data},
    CommandEntry{0x8a,
                 -1,
                 16,
                 {0x8a, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 write_blocks,
                 all_blocks},
    CommandEntry{0x8b,
                 -1,
                 16,
                 {0x8b, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 or_write,
                 all_blocks},
    CommandEntry{0x8e,
                 -1,
                 16,
                 {0x8e, 0x16, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 write_and_verify,
                 all_blocks},
    CommandEntry{0x8f,
                 -1,
                 16,
                 {0x8f, 0x16, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 reads,
                 verify_blocks,
                 bytes_to_check},
    CommandEntry{0x90,
                 -1,
                 16,
                 {0x90, 2, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 reads,
                 prefetch,
                 nullptr},
    CommandEntry{0x91,
                 -1,
                 16,
                 {0x91, 6, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 reads,
                 synchronize_cache,
                 nullptr},
    CommandEntry{0x93,
                 -1,
                 16,
                 {0x93, 0x09, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 write_same,
                 one_block},
    CommandEntry{0x9c,
                 -1,
                 16,
                 {0x9c, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 write_atomic,
                 all_blocks},
    CommandEntry{0x9e,
                 0x10,
                 16,
                 {0x9e, 0x1f, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 1, 7},
                 unit,
                 read_capacity_16,
                 nullptr},
    CommandEntry{0x9e,
                 0x12,
                 16,
                 {0x9e, 0x1f, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, ff, 0, 7},
                 reads,
                 get_lba_status,
                 nullptr},
    CommandEntry{0xa0, -1, 12, {0xa0, 0, ff, 0, 0, 0, ff, ff, ff, ff, 0, 7}, inventory, nullptr, nullptr},
    CommandEntry{0xa3,
                 0x0c,
                 12,
                 {0xa3, 0x1f, 0x87, ff, ff, ff, ff, ff, ff, ff, 0, 7},
                 always_reserved,
                 report_supported_opcodes,
                 nullptr},
    CommandEntry{
        0xa8, -1, 12, {0xa8, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7}, reads, read_blocks, nullptr},
    CommandEntry{0xaa,
                 -1,
                 12,
                 {0xaa, 0x18, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 write_blocks,
                 all_blocks},
    CommandEntry{0xae,
                 -1,
                 12,
                 {0xae, 0x16, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 writes,
                 write_and_verify,
                 all_blocks},
    CommandEntry{0xaf,
                 -1,
                 12,
                 {0xaf, 0x16, ff, ff, ff, ff, ff, ff, ff, ff, 0x1f, 7},
                 reads,
                 verify_blocks,
                 bytes_to_check},
};

} // namespace

std::span<const CommandEntry> command_table() {
    return table;
}

const CommandEntry *find_command(std::span<const std::byte> cdb) {
    const std::uint8_t opcode = wire::load8(&cdb[0]);
    const int service_action = wire::load8(&cdb[1]) & 0x1f;
    const auto at = std::find_if(table.begin(), table.end(), [&](const CommandEntry &e) {
        return e.opcode == opcode && (e.service_action < 0 || e.service_action == service_action);
    });
    return at == table.end() || at->run == nullptr ? nullptr : &*at;
}

} // namespace iscsiscope::testbed
