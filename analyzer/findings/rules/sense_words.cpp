// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/sense_words.h"

#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr std::uint8_t any_key = 0xff;
constexpr std::uint16_t any = 0xffff;

// The first row that fits counts; within a key, single codes come before whole ones.
struct Remedy {
    std::uint8_t key;
    std::uint16_t asc, ascq; // or any
    std::string_view text;
};

// Meanings: SPC-4 annex D.2 and section 4.5.6, SBC-3.
constexpr std::array remedies = {
    // NOT READY
    Remedy{0x02, 0x04, 0x01,
           "Wait: the unit is starting. If that lasts, look in the target's log for what it waits for: a "
           "RAID that is assembled, a cache that is restored. Let hosts retry for longer."},
    Remedy{0x02, 0x04, 0x02,
           "Start the unit (Linux: sg_start --start): it is stopped and waits for START STOP UNIT."},
    Remedy{0x02, 0x04, 0x03,
           "Bring the unit online at the storage: it waits for an administrator (volume offline, disks "
           "missing, a foreign configuration). Then rescan at the hosts."},
    Remedy{0x02, 0x04, 0x04, "Wait until the unit is formatted: until then it serves no I/O."},
    Remedy{0x02, 0x04, 0x05, "Wait until the RAID is rebuilt, and look why it serves no I/O meanwhile."},
    Remedy{0x02, 0x04, 0x06,
           "Wait until the RAID is calculated anew, and look why it serves no I/O meanwhile."},
    Remedy{0x02, 0x04, 0x09, "Wait until the unit's test of itself ends, and run such tests out of hours."},
    Remedy{0x02, 0x04, 0x0d,
           "Check the unit's structure at the storage: it asks for a repair before it serves I/O."},
    Remedy{0x02, 0x04, 0x12,
           "Bring the unit online at the storage, or take the paths through this port out of use: the port "
           "or the unit is offline."},
    Remedy{0x02, 0x04, 0x14,
           "Wait: the storage allocates space for the unit. If that lasts, look at the free space of the "
           "pool behind it."},
    Remedy{0x02, 0x04, 0x1b, "Wait until the unit has been sanitized: all its data are gone then."},
    Remedy{0x02, 0x04, any,
           "Look in the target's log at the state of the storage behind this LUN (disk, image file, pool): "
           "the unit is not ready."},
    Remedy{0x02, 0x08, any,
           "Look at the way from the target to the storage behind it: the target does not reach the disk or "
           "the cluster that holds this LUN."},
    Remedy{0x02, 0x3a, any, "Insert a medium, or give the LUN a backing store at the target: it has none."},
    Remedy{0x02, any, any,
           "Look at the target's log and at the state of the storage behind this LUN: the unit says that it "
           "cannot be reached or is not ready."},
    // MEDIUM ERROR
    Remedy{0x03, 0x0c, any,
           "Replace the disk behind this LUN, on which writes fail, and check the state of the RAID and of "
           "its write cache."},
    Remedy{0x03, 0x31, any, "Format the medium behind this LUN anew, or restore it: its format is damaged."},
    Remedy{0x03, any, any,
           "Replace the disk behind this LUN, whose medium fails, and check the state of the RAID."},
    // HARDWARE ERROR
    Remedy{0x04, 0x3e, any,
           "Look at the state of the disk or volume behind this LUN: it has failed, and the target says so."},
    Remedy{0x04, 0x08, any,
           "Look at the way from the target to the storage behind it (controller, cable, cluster): they lose "
           "contact."},
    Remedy{0x04, any, any, "Look at the target's log: the device reports an internal fault."},
    // ILLEGAL REQUEST; by operation code see below
    Remedy{0x05, 0x20, 0x02,
           "Give this initiator the right to use the LUN (access control of the target): it is refused."},
    Remedy{0x05, 0x20, 0x0b,
           "Correct the access lists of the target: they give one LUN number to two units."},
    Remedy{
        0x05, 0x20, any,
        "Stop sending this command to the target, which does not know it, or update the target's software."},
    Remedy{0x05, 0x21, 0x00,
           "Compare the sizes of LUN, partition and file system (Linux: blockdev --getsize64; after a change "
           "iscsiadm -m session --rescan), and look the errors up in the target's log."},
    Remedy{0x05, 0x21, any,
           "Write zoned units at their write pointer only: let a file system or driver for zones do it."},
    Remedy{0x05, 0x24, any,
           "Compare the command with what the target states to support (Block Limits page B0h, Logical Block "
           "Provisioning page B2h, block size), and update the end that is wrong."},
    Remedy{0x05, 0x26, any,
           "Compare the command's parameters with what the target states to support, and look the refusal up "
           "in the target's log."},
    Remedy{0x05, 0x1a, any,
           "Compare the length of the command's parameters with what the target states to support."},
    Remedy{0x05, 0x2c, any,
           "Look in the host's log for what it did before: the target refuses the order of the commands."},
    Remedy{0x05, 0x55, any,
           "Give the target more of what it lacks (registrations, reservations, memory), or use fewer hosts "
           "and paths."},
    // UNIT ATTENTION
    Remedy{0x06, 0x28, any,
           "Find out who changes the medium or the backing store of the LUN, and rescan at the hosts."},
    Remedy{0x06, 0x29, any,
           "Find out who resets the unit: another host's LUN RESET after a timeout, a target that restarts, "
           "or sessions that are lost. The target's log names it."},
    Remedy{0x06, 0x2a, 0x03, "Look at the cluster: another host takes reservations away (PREEMPT)."},
    Remedy{0x06, 0x2a, 0x04, "Look at the cluster: another host releases reservations."},
    Remedy{0x06, 0x2a, 0x05, "Look at the cluster: another host takes registrations away (PREEMPT)."},
    Remedy{0x06, 0x2f, any, "Find the other host that clears commands (CLEAR TASK SET, LUN RESET)."},
    Remedy{0x06, any, any, "Look in the target's log for the event that the UNIT ATTENTION reports."},
    // DATA PROTECT
    Remedy{0x07, 0x27, 0x02,
           "Clear the write protection of this LUN: software set it (SWP in the Control mode page)."},
    Remedy{0x07, 0x27, 0x01, "Release the write protection switch of the medium."},
    Remedy{0x07, 0x27, 0x08, "Write elsewhere: the zone can only be read."},
    Remedy{0x07, 0x20, any, "Unlock the unit or give this initiator the right to it: access is denied."},
    Remedy{0x07, 0x74, any, "Unlock the unit, or give the target its key: the unit is encrypted or locked."},
    Remedy{0x07, any, any, "Check how the target exports this LUN: it is write protected."},
    // ABORTED COMMAND
    Remedy{0x0b, 0x0c, any,
           "Compare ImmediateData, InitialR2T and FirstBurstLength at both ends: the target got more or less "
           "unsolicited data than it expected."},
    Remedy{0x0b, 0x10, any,
           "Find where data are damaged (controller, driver, memory): data and their protection information "
           "(T10 PI) disagree."},
    Remedy{0x0b, 0x08, any,
           "Look at the storage behind the target: it does not answer in time, and the target gives commands "
           "up."},
    Remedy{0x0b, 0x2e, any,
           "Look at the load of the target: it had no time for the commands before their limit."},
    Remedy{
        0x0b, 0x47, any,
        "Look for damage on the way (cable, card, offload) and turn digests on (HeaderDigest, DataDigest): "
        "the target received data with a wrong checksum."},
    Remedy{0x0b, 0x4b, any,
           "Look at the Data-Out PDUs before the status (offset, length, order): the target says that the "
           "transfer of data went wrong."},
    Remedy{0x0b, 0x4e, any, "Update the initiator: it uses a tag again whose command is not finished."},
    Remedy{0x0b, 0x55, any, "Give the target more memory, or lower the load: it lacks resources."},
    Remedy{
        0x0b, any, any,
        "Look in the target's log for why it gives commands up (overload, slow storage behind it, resets); "
        "hosts may repeat them."},
    // The others
    Remedy{0x01, 0x5d, any, "Replace the disk soon: it predicts its failure."},
    Remedy{0x0a, any, any, "Look at the other end of the copy: it ended before it was complete."},
    Remedy{0x0d, any, any, "Insert another medium or make the volume larger: it ends before the data do."},
    Remedy{0x0e, any, any,
           "Check the data against a backup: what the medium holds is not what the host expects. Look for "
           "damage on the way and for a second writer."},
    Remedy{any_key, 0x5d, any, "Replace the disk: it predicts its failure."},
    Remedy{any_key, 0x44, any, "Look at the target's log: the target reports an internal fault."},
};

constexpr std::string_view of_discard = "Turn discards off at the host (Linux: mount without discard; ESXi: "
                                        "automatic UNMAP), or update the target: it "
                                        "refuses them, and space is not given back.";
constexpr std::string_view of_short_discard =
    "Update the initiator: WRITE SAME carries one block of data unless NDOB is set, but its expected data "
    "transfer "
    "length is 0. Until then turn discards off (Linux: mount without discard).";
constexpr std::string_view of_copy = "Turn copies by the target off at the host (ESXi: "
                                     "DataMover.HardwareAcceleratedMove=0; Windows: ODX), or update "
                                     "the target: it refuses them.";
constexpr std::string_view of_atomic = "Turn atomic test and set off for this LUN (ESXi: "
                                       "VMFS3.HardwareAcceleratedLocking), or update the target: it "
                                       "refuses COMPARE AND WRITE.";
constexpr std::string_view of_flush =
    "Update the target: it refuses to flush its cache, so that a host cannot know what is on the medium.";

// Remedy by the operation code, for commands that the target does not support in this form; "": by the sense
// data alone.
std::string_view by_opcode(const RefusedCommand &c) {
    constexpr std::array<std::uint8_t, 2> write_same = {0x41, 0x93}; // (10) and (16)
    if (!c.opcode)
        return "";
    switch (parse_opcode(*c.opcode).group) {
    case CommandGroup::zero:
        return std::ranges::count(write_same, *c.opcode) > 0 && c.asked_bytes == 0u ? of_short_discard
                                                                                    : of_discard;
    case CommandGroup::copy:
        return of_copy;
    case CommandGroup::compare_and_write:
        return of_atomic;
    case CommandGroup::flush:
        return of_flush;
    default:
        return "";
    }
}

} // namespace

std::string sense_digits(std::uint32_t sense) {
    const unsigned key = sense_key_of(sense);
    if ((sense & sense_code_cut) != 0)
        return fmt::format("{:02X}/…", key);
    return fmt::format("{:02X}/{:02X}/{:02X}", key, sense >> 8 & 0xff, sense & 0xff);
}

std::string sense_text(std::uint32_t sense) {
    const bool cut = (sense & sense_code_cut) != 0;
    const std::string_view name =
        cut ? std::string_view()
            : sense_code_name(static_cast<std::uint8_t>(sense >> 8), static_cast<std::uint8_t>(sense));
    return name.empty() ? sense_digits(sense) : fmt::format("{} ({})", name, sense_digits(sense));
}

std::string command_name(std::uint8_t opcode) {
    const CommandInfo info = parse_opcode(opcode);
    return info.known ? std::string(info.name) : fmt::format("operation code 0x{:02x}", opcode);
}

std::string_view remedy_of(const RefusedCommand &c) {
    const std::uint8_t key = sense_key_of(c.sense);
    const std::uint32_t asc = c.sense >> 8 & 0xff, ascq = c.sense & 0xff;
    const bool cut = (c.sense & sense_code_cut) != 0;
    const bool unsupported =
        key == 0x05 && (cut || asc == 0x20 || asc == 0x24 || asc == 0x26 || (c.sense & 0xffff) == 0);
    if (unsupported)
        if (const std::string_view text = by_opcode(c); !text.empty())
            return text;
    if (cut && key == 0x02)
        return "Capture whole packets: whether the unit starts, is out of reach or changes its path's state "
               "stands in the part of the sense data that is cut. The target's log says it too.";
    if (cut && key == 0x07)
        return "Capture whole packets: whether the LUN is write protected or the pool behind it is full "
               "stands "
               "in the part of the sense data that is cut. The target's log says it too.";
    for (const Remedy &r : remedies)
        if ((r.key == key || (r.key == any_key && !cut)) && (r.asc == any || (!cut && r.asc == asc)) &&
            (r.ascq == any || (!cut && r.ascq == ascq)))
            return r.text;
    return "Look the sense data up in the target's log, and do not send commands that the target does not "
           "support.";
}

std::string_view remedy_of_reject(std::uint8_t reason) {
    switch (reason) {
    case 0x02:
        return "Look for damage on the way to the target (cable, card, checksum offload): it received data "
               "with a "
               "wrong digest.";
    case 0x04:
    case 0x09:
        return "Look at the PDU in the Reject (Wireshark shows it) against the keys agreed at login, and "
               "update the "
               "end that is wrong; the target's log has more.";
    case 0x05:
        return "Stop sending PDUs of this kind to the target, which does not support them, or update its "
               "software.";
    case 0x06:
        return "Send fewer immediate commands at once: the target takes no more of them.";
    case 0x0a:
        return "Look at the load of the target: it has no resources for another long operation.";
    case 0x0c:
        return "Let the initiator log out as the target asked before: until then it takes no commands.";
    default:
        return "Look in the target's log for the Reject: it carries no sense data, only its reason.";
    }
}

} // namespace iscsiscope
