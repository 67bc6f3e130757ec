// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/command_table.h"

#include <array>

namespace iscsiscope::scsi_detail {
namespace {

using enum CommandGroup;
using enum Layout;
constexpr auto nothing = DataDirection::none;
constexpr auto in = DataDirection::from_target;
constexpr auto out = DataDirection::to_target;
constexpr auto varies = DataDirection::unknown;

// SPC-4 annex E, SBC-3 section 5. Sorted by code; within one, by service action.
constexpr std::array blocks = {
    Row{0x00, any_action, "TEST UNIT READY", inventory, nothing},
    Row{0x03, any_action, "REQUEST SENSE", inventory, in, alloc6},
    Row{0x04, any_action, "FORMAT UNIT", other, varies},
    Row{0x08, any_action, "READ(6)", read, in, rw6},
    Row{0x0a, any_action, "WRITE(6)", write, out, rw6},
    Row{0x12, any_action, "INQUIRY", inventory, in, inquiry},
    Row{0x15, any_action, "MODE SELECT(6)", inventory, out},
    Row{0x16, any_action, "RESERVE(6)", paths_and_locks, nothing},
    Row{0x17, any_action, "RELEASE(6)", paths_and_locks, nothing},
    Row{0x1a, any_action, "MODE SENSE(6)", inventory, in, alloc6},
    Row{0x1b, any_action, "START STOP UNIT", flush, nothing},
    Row{0x1c, any_action, "RECEIVE DIAGNOSTIC RESULTS", inventory, in, Layout::inquiry},
    Row{0x1d, any_action, "SEND DIAGNOSTIC", other, varies},
    Row{0x1e, any_action, "PREVENT ALLOW MEDIUM REMOVAL", other, nothing},
    Row{0x25, any_action, "READ CAPACITY(10)", inventory, in},
    Row{0x28, any_action, "READ(10)", read, in, rw10},
    Row{0x2a, any_action, "WRITE(10)", write, out, rw10},
    Row{0x2e, any_action, "WRITE AND VERIFY(10)", write, out, rw10},
    Row{0x2f, any_action, "VERIFY(10)", verify, varies, rw10},
    Row{0x34, any_action, "PRE-FETCH(10)", verify, nothing, rw10},
    Row{0x35, any_action, "SYNCHRONIZE CACHE(10)", flush, nothing, rw10},
    Row{0x37, any_action, "READ DEFECT DATA(10)", inventory, in, alloc7},
    Row{0x3b, any_action, "WRITE BUFFER", other, out},
    Row{0x3c, any_action, "READ BUFFER(10)", other, in},
    Row{0x41, any_action, "WRITE SAME(10)", zero, out, rw10},
    Row{0x42, any_action, "UNMAP", zero, out},
    Row{0x48, any_action, "SANITIZE", other, varies},
    Row{0x4c, any_action, "LOG SELECT", inventory, out},
    Row{0x4d, any_action, "LOG SENSE", inventory, in, alloc7},
    Row{0x55, any_action, "MODE SELECT(10)", inventory, out},
    Row{0x56, any_action, "RESERVE(10)", paths_and_locks, varies},
    Row{0x57, any_action, "RELEASE(10)", paths_and_locks, varies},
    Row{0x5a, any_action, "MODE SENSE(10)", inventory, in, alloc7},
    Row{0x5e, any_action, "PERSISTENT RESERVE IN", paths_and_locks, in, alloc7},
    Row{0x5f, any_action, "PERSISTENT RESERVE OUT", paths_and_locks, out},
    Row{0x7f, 0x0009, "READ(32)", read, in, rw32},
    Row{0x7f, 0x000a, "VERIFY(32)", verify, varies, rw32},
    Row{0x7f, 0x000b, "WRITE(32)", write, out, rw32},
    Row{0x7f, 0x000c, "WRITE AND VERIFY(32)", write, out, rw32},
    Row{0x7f, 0x000d, "WRITE SAME(32)", zero, out, rw32},
    Row{0x7f, 0x000e, "ORWRITE(32)", compare_and_write, out, rw32},
    Row{0x7f, 0x000f, "WRITE ATOMIC(32)", write, out, rw32},
    Row{0x83, 0x00, "EXTENDED COPY(LID1)", copy, out},
    Row{0x83, 0x01, "EXTENDED COPY(LID4)", copy, out},
    Row{0x83, 0x10, "POPULATE TOKEN", copy, out},
    Row{0x83, 0x11, "WRITE USING TOKEN", copy, out},
    Row{0x83, 0x1c, "COPY OPERATION ABORT", copy, nothing},
    Row{0x83, any_action, "EXTENDED COPY", copy, out},
    Row{0x84, 0x00, "RECEIVE COPY STATUS(LID1)", copy, in, alloc10_4},
    Row{0x84, 0x01, "RECEIVE COPY DATA(LID1)", copy, in, alloc10_4},
    Row{0x84, 0x03, "RECEIVE COPY OPERATING PARAMETERS", copy, in, alloc10_4},
    Row{0x84, 0x04, "RECEIVE COPY FAILURE DETAILS(LID1)", copy, in, alloc10_4},
    Row{0x84, 0x05, "RECEIVE COPY STATUS(LID4)", copy, in, alloc10_4},
    Row{0x84, 0x06, "RECEIVE COPY DATA(LID4)", copy, in, alloc10_4},
    Row{0x84, 0x07, "RECEIVE ROD TOKEN INFORMATION", copy, in, alloc10_4},
    Row{0x84, 0x08, "REPORT ALL ROD TOKENS", copy, in, alloc10_4},
    Row{0x84, any_action, "RECEIVE COPY RESULTS", copy, in, alloc10_4},
    Row{0x85, any_action, "ATA PASS-THROUGH(16)", other, varies},
    Row{0x88, any_action, "READ(16)", read, in, rw16},
    Row{0x89, any_action, "COMPARE AND WRITE", compare_and_write, out, compare_write16},
    Row{0x8a, any_action, "WRITE(16)", write, out, rw16},
    Row{0x8b, any_action, "ORWRITE(16)", compare_and_write, out, rw16},
    Row{0x8e, any_action, "WRITE AND VERIFY(16)", write, out, rw16},
    Row{0x8f, any_action, "VERIFY(16)", verify, varies, rw16},
    Row{0x90, any_action, "PRE-FETCH(16)", verify, nothing, rw16},
    Row{0x91, any_action, "SYNCHRONIZE CACHE(16)", flush, nothing, rw16},
    Row{0x93, any_action, "WRITE SAME(16)", zero, out, rw16},
    Row{0x9c, any_action, "WRITE ATOMIC(16)", write, out, atomic16},
    Row{0x9e, 0x10, "READ CAPACITY(16)", inventory, in, alloc10_4},
    Row{0x9e, 0x11, "READ LONG(16)", other, in},
    Row{0x9e, 0x12, "GET LBA STATUS", zero, in, start16},
    Row{0x9e, 0x13, "REPORT REFERRALS", inventory, in, alloc10_4},
    Row{0x9e, any_action, "SERVICE ACTION IN(16)", other, in},
    Row{0xa0, any_action, "REPORT LUNS", inventory, in, alloc6_4},
    Row{0xa1, any_action, "ATA PASS-THROUGH(12)", other, varies},
    Row{0xa2, any_action, "SECURITY PROTOCOL IN", other, in, alloc6_4},
    Row{0xa3, 0x05, "REPORT IDENTIFYING INFORMATION", inventory, in, alloc6_4},
    Row{0xa3, 0x0a, "REPORT TARGET PORT GROUPS", paths_and_locks, in, alloc6_4},
    Row{0xa3, 0x0b, "REPORT ALIASES", inventory, in, alloc6_4},
    Row{0xa3, 0x0c, "REPORT SUPPORTED OPERATION CODES", paths_and_locks, in, alloc6_4},
    Row{0xa3, 0x0d, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS", paths_and_locks, in, alloc6_4},
    Row{0xa3, 0x0e, "REPORT PRIORITY", inventory, in, alloc6_4},
    Row{0xa3, 0x0f, "REPORT TIMESTAMP", inventory, in, alloc6_4},
    Row{0xa3, any_action, "MAINTENANCE IN", other, in, alloc6_4},
    Row{0xa4, 0x0a, "SET TARGET PORT GROUPS", paths_and_locks, out},
    Row{0xa4, 0x0f, "SET TIMESTAMP", inventory, out},
    Row{0xa4, any_action, "MAINTENANCE OUT", other, out},
    Row{0xa8, any_action, "READ(12)", read, in, rw12},
    Row{0xaa, any_action, "WRITE(12)", write, out, rw12},
    Row{0xae, any_action, "WRITE AND VERIFY(12)", write, out, rw12},
    Row{0xaf, any_action, "VERIFY(12)", verify, varies, rw12},
    Row{0xb5, any_action, "SECURITY PROTOCOL OUT", other, out},
    Row{0xb7, any_action, "READ DEFECT DATA(12)", inventory, in, alloc6_4},
};

// SSC-4 section 5. READ(6) and WRITE(6) of a tape have no LBA.
constexpr std::array tapes = {
    Row{0x01, any_action, "REWIND", other, nothing},
    Row{0x05, any_action, "READ BLOCK LIMITS", inventory, in},
    Row{0x08, any_action, "READ(6)", read, in, tape6},
    Row{0x0a, any_action, "WRITE(6)", write, out, tape6},
    Row{0x0b, any_action, "SET CAPACITY", other, nothing},
    Row{0x0f, any_action, "READ REVERSE(6)", read, in, tape6},
    Row{0x10, any_action, "WRITE FILEMARKS(6)", flush, nothing},
    Row{0x11, any_action, "SPACE(6)", other, nothing},
    Row{0x13, any_action, "VERIFY(6)", verify, varies, tape6},
    Row{0x19, any_action, "ERASE(6)", other, nothing},
    Row{0x1b, any_action, "LOAD UNLOAD", other, nothing},
    Row{0x2b, any_action, "LOCATE(10)", other, nothing},
    Row{0x34, any_action, "READ POSITION", inventory, in, alloc7},
    Row{0x44, any_action, "REPORT DENSITY SUPPORT", inventory, in, alloc7},
    Row{0x80, any_action, "WRITE FILEMARKS(16)", flush, nothing},
    Row{0x91, any_action, "SPACE(16)", other, nothing},
    Row{0x92, any_action, "LOCATE(16)", other, nothing},
};

} // namespace

std::span<const Row> block_commands() {
    return blocks;
}
std::span<const Row> tape_commands() {
    return tapes;
}

} // namespace iscsiscope::scsi_detail
