// SPDX-License-Identifier: GPL-2.0-or-later
// Commands about the unit itself: readiness, sense, start and stop, reservations (SPC-2's RESERVE).
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

namespace iscsiscope::testbed {

ScsiResult test_unit_ready(Disk &, const ScsiRequest &) {
    return {};
}

// Sense goes with the status of the command it belongs to (autosense), so none is ever kept for this.
ScsiResult request_sense(Disk &disk, const ScsiRequest &r) {
    const bool descriptor = (wire::load8(&r.cdb[1]) & 1) != 0;
    const Sense what = disk.started() ? sense::no_sense : sense::not_ready_stopped;
    return reply(encode_sense(what, descriptor), wire::load8(&r.cdb[4]));
}

ScsiResult start_stop_unit(Disk &disk, const ScsiRequest &r) {
    const std::uint8_t byte4 = wire::load8(&r.cdb[4]);
    if ((byte4 & 0xf0) != 0) // a power condition: START and LOEJ are not looked at (SBC-3 section 5.25)
        return {};
    if ((byte4 & 0x02) != 0) // LOEJ: nothing to eject
        return ScsiResult::check(sense::invalid_field_in_cdb);
    disk.set_started((byte4 & 0x01) != 0);
    return {};
}

// The medium cannot be removed: PREVENT changes nothing.
ScsiResult prevent_allow(Disk &, const ScsiRequest &) {
    return {};
}

ScsiResult reserve(Disk &disk, const ScsiRequest &r) {
    if ((wire::load8(&r.cdb[1]) & 0x11) != 0) // third party, extents: obsolete
        return ScsiResult::check(sense::invalid_field_in_cdb);
    disk.reservation() = r.nexus; // another's is a conflict before it comes here
    return {};
}

ScsiResult release(Disk &disk, const ScsiRequest &r) {
    if (disk.reservation() == r.nexus)
        disk.reservation().reset();
    return {}; // another's stays, and that is no error (SPC-2 section 7.16)
}

} // namespace iscsiscope::testbed
