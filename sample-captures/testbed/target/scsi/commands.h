// SPDX-License-Identifier: GPL-2.0-or-later
// The commands of a disk, each a function, the table that finds them, and their execution. Commands are
// carried out one at a time and at once; the time they would take is the service model's matter.
#pragma once

#include "sample-captures/testbed/target/scsi/disk.h"

#include <array>
#include <cstdint>
#include <span>

namespace iscsiscope::testbed {

using CommandFunction = ScsiResult (*)(Disk &, const ScsiRequest &);
// Bytes of data-out that a CDB calls for.
using DataOutFunction = std::uint64_t (*)(const Disk &, std::span<const std::byte> cdb, const CommandInfo &);

// Who may use a command while something stands in its way.
struct CommandTraits {
    bool reaches_medium = false;         // refused while the unit is stopped
    bool writes = false;                 // refused while write-protected
    bool despite_reservation = false;    // allowed while another nexus has the reservation
    bool despite_unit_attention = false; // does not report a pending unit attention
};

struct CommandEntry {
    std::uint8_t opcode;
    int service_action; // -1: the opcode has none
    std::uint8_t length;
    std::array<std::uint8_t, 16> usage; // CDB usage data: the bits that are looked at
    CommandTraits traits;
    CommandFunction run;
    DataOutFunction data_out; // null: none
};

std::span<const CommandEntry> command_table();
const CommandEntry *find_command(std::span<const std::byte> cdb);

// Bytes of data-out that this CDB calls for; 0 for a CDB that will be refused.
std::uint64_t data_out_length(const Disk &, std::span<const std::byte> cdb);
// Carries the command out unless a unit attention, a reservation or write protection stands in its way.
ScsiResult execute(Disk &, const ScsiRequest &);

// Sense for an LBA range outside the medium, or nothing.
std::optional<Sense> out_of_range(const Disk &, std::uint64_t lba, std::uint64_t blocks);
// The first `allocation_length` bytes of a reply.
ScsiResult reply(std::span<const std::byte> data, std::uint64_t allocation_length);

// block_commands.cpp
ScsiResult read_blocks(Disk &, const ScsiRequest &);
ScsiResult write_blocks(Disk &, const ScsiRequest &);
ScsiResult write_and_verify(Disk &, const ScsiRequest &);
ScsiResult write_atomic(Disk &, const ScsiRequest &);
ScsiResult verify_blocks(Disk &, const ScsiRequest &);
ScsiResult compare_and_write(Disk &, const ScsiRequest &);
ScsiResult or_write(Disk &, const ScsiRequest &);
ScsiResult prefetch(Disk &, const ScsiRequest &);
ScsiResult synchronize_cache(Disk &, const ScsiRequest &);
// thin_commands.cpp
ScsiResult write_same(Disk &, const ScsiRequest &);
ScsiResult unmap(Disk &, const ScsiRequest &);
ScsiResult get_lba_status(Disk &, const ScsiRequest &);
// inquiry.cpp
ScsiResult inquiry(Disk &, const ScsiRequest &);
ScsiResult read_capacity_10(Disk &, const ScsiRequest &);
ScsiResult read_capacity_16(Disk &, const ScsiRequest &);
// unit_commands.cpp
ScsiResult test_unit_ready(Disk &, const ScsiRequest &);
ScsiResult request_sense(Disk &, const ScsiRequest &);
ScsiResult start_stop_unit(Disk &, const ScsiRequest &);
ScsiResult prevent_allow(Disk &, const ScsiRequest &);
ScsiResult reserve(Disk &, const ScsiRequest &);
ScsiResult release(Disk &, const ScsiRequest &);
// mode_pages.cpp
ScsiResult mode_sense(Disk &, const ScsiRequest &);
ScsiResult mode_select(Disk &, const ScsiRequest &);
// report_opcodes.cpp
ScsiResult report_supported_opcodes(Disk &, const ScsiRequest &);

} // namespace iscsiscope::testbed
