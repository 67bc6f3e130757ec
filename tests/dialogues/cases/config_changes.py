# SPDX-License-Identifier: GPL-2.0-or-later
"""UNIT ATTENTIONs about changes of LUNs."""
import scsi
from case import case
from script import ms, seconds
from usual import session, work

RESIZED, LUN_LIST, RESET = scsi.sense(6, 0x2A, 9), scsi.sense(6, 0x3F, 0x0E), scsi.sense(6, 0x29, 0)


@case(first="config_changes", severity="problem", say=["40 of 280", "again and again", "20 of the capacity", "list of mapped LUNs"],
      absent=["command_errors"])
def sizes_and_mappings_in_turn(c):
    """Every seventh Read ends with 2A/09 or 3F/0E, in turn."""
    s = session(c)
    for n in range(40):
        work(s, 3)
        s.failed(scsi.read10(8 * n, 8), (RESIZED, LUN_LIST)[n % 2], read=4096)
    s.logout()


@case(first="config_changes", severity="notice", say=["3 TEST UNIT READY", "INQUIRY data"])
def path_checkers_get_them(c):
    """Three checks of a path in a minute end with 3F/03."""
    s = session(c)
    for _ in range(3):
        s.failed(scsi.test_unit_ready(), scsi.descriptor_sense(6, 0x3F, 3))
        work(s, 20)
        s.wait(seconds(20))
    s.logout()


@case(first="config_changes", severity="notice", say=["4 Async Messages"])
def async_messages(c):
    """Four Async Messages of SCSI events."""
    s = session(c)
    for _ in range(4):
        work(s, 10)
        s.async_message(0, sense=LUN_LIST)
        s.wait(ms(5))
    s.logout()


@case(absent=["config_changes", "command_errors"], ruled_out={"config_changes": "none of them a third time"})
def one_resize_of_four_luns(c):
    """Each of four LUNs reports its new size once, and the list of LUNs has changed, once; after the login 29/00."""
    s = session(c)
    for lun in range(4):
        s.failed(scsi.test_unit_ready(), RESET, lun=lun)
        work(s, 5, lun=lun)
    for lun in range(4):
        s.failed(scsi.read10(0, 8), RESIZED, lun=lun, read=4096)
        s.failed(scsi.read10(0, 8), LUN_LIST, lun=lun, read=4096)
        work(s, 5, lun=lun)
    s.logout()
