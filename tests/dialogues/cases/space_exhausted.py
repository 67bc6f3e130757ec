# SPDX-License-Identifier: GPL-2.0-or-later
"""Thin LUNs whose pool has no space left."""
import scsi
from case import case
from usual import session, work


@case(first="space_exhausted", severity="problem", say=["pool behind LUN 0 is full", "07/27/07", "30 Writes", "Add space"],
      not_say=["write protected"], absent=["command_errors"])
def writes_to_new_blocks(c):
    """Writes to new blocks end with 07/27/07; Reads and Writes to old ones go on."""
    s = session(c)
    work(s, 20)
    for n in range(30):
        work(s, 2)
        s.failed(scsi.write10(2000000 + 8 * n, 8), scsi.sense(7, 0x27, 7), write=4096)
    s.logout()


@case(first="space_exhausted", severity="problem", say=["LUN 0 and 4", "07/27/07"], absent=["command_errors"])
def one_write_each_on_two_luns(c):
    """A single Write on each of two LUNs ends so, in descriptor format; the tap is at the initiator."""
    s = session(c, tap=0)
    work(s, 30)
    for lun in (0, 4):
        s.failed(scsi.write10(0, 8), scsi.descriptor_sense(7, 0x27, 7), lun=lun, write=4096)
    work(s, 30)
    s.logout()


@case(first="space_exhausted", severity="notice", say=["nearly full", "06/38/07"])
def a_threshold(c):
    """The UNIT ATTENTION of the soft threshold comes once."""
    s = session(c)
    work(s, 20)
    s.failed(scsi.write10(0, 8), scsi.sense(6, 0x38, 7), write=4096)
    work(s, 20)
    s.logout()


@case(first="command_errors", say=["it is write protected"], ruled_out={"space_exhausted": "no command ended for lack of space"})
def a_lun_that_is_write_protected(c):
    """Writes end with 07/27/00: no lack of space."""
    s = session(c)
    work(s, 20)
    for n in range(5):
        s.failed(scsi.write10(8 * n, 8), scsi.sense(7, 0x27, 0), write=4096)
    s.logout()


@case(first="space_exhausted", say=["QUOTA ERROR", "55/07"], not_say=["SPACE ALLOCATION FAILED"])
def quota_reached(c):
    """Writes end with 07/55/07."""
    s = session(c)
    work(s, 10)
    for n in range(6):
        s.failed(scsi.write10(9000 + 8 * n, 8), scsi.sense(7, 0x55, 7), write=4096)
    s.logout()
