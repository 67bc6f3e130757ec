# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that fail, by sense data and command."""
import scsi
from case import case
from usual import session, work


@case(first="command_errors", severity="problem", say=["MEDIUM ERROR", "UNRECOVERED READ ERROR", "LBA 4,096", "Replace the disk"])
def a_medium_error(c):
    """Two Reads of one block end with 03/11/00."""
    s = session(c)
    work(s, 20)
    for _ in range(2):
        s.failed(scsi.read10(4096, 8), scsi.sense(3, 0x11, 0, information=4097), read=4096)
    work(s, 20)
    s.logout()


@case(first="command_errors", severity="notice", say=["WRITE SAME\\(16\\)", "expected data transfer length is 0", "NDOB"],
      not_say=["harmless"])
def discards_without_data(c):
    """Twenty WRITE SAME(16) with UNMAP and an expected length of 0 end with 05/24/00."""
    s = session(c)
    for n in range(20):
        work(s, 2)
        s.failed(scsi.write_same16(8 * n, 2048), scsi.sense(5, 0x24, 0))
    s.logout()


@case(absent=["command_errors"], ruled_out={"command_errors": "normal during device discovery"})
def a_discard_is_tried_once(c):
    """One WRITE SAME(16) is refused, and the host does without."""
    s = session(c)
    s.failed(scsi.write_same16(0, 2048), scsi.sense(5, 0x20, 0))
    work(s, 40)
    s.logout()


@case(first="command_errors", say=["UNIT ATTENTION interrupts I/O again and again", "POWER ON, RESET", "who resets the unit"])
def resets_again_and_again(c):
    """Every tenth Read ends with 29/00."""
    s = session(c)
    for n in range(8):
        work(s, 5)
        s.failed(scsi.read10(8 * n, 8), scsi.sense(6, 0x29, 0), read=4096)
    s.logout()


@case(first="command_errors", say=["NOT READY", "free space"])
def space_is_being_allocated(c):
    """Writes end with 02/04/14: the storage allocates space."""
    s = session(c)
    work(s, 20)
    for n in range(4):
        s.failed(scsi.write10(8 * n, 8), scsi.sense(2, 4, 0x14), write=4096)
    work(s, 20)
    s.logout()


@case(absent=["command_errors"])
def the_first_command_of_a_session(c):
    """29/00 to the first command of a session is ordinary."""
    s = session(c)
    s.failed(scsi.test_unit_ready(), scsi.sense(6, 0x29, 0))
    s.failed(scsi.read10(0, 8), scsi.sense(6, 0x29, 0), lun=1, read=4096)
    work(s, 30)
    s.logout()


@case(first="command_errors", severity="notice", say=["A disk predicts its failure", "carried out", "01/5D|FAILURE PREDICTION",
                                                      "Replace the disk"])
def a_disk_that_predicts_its_failure(c):
    """Reads whose data came all end with RECOVERED ERROR 5D/00."""
    s = session(c)
    work(s, 20)
    for n in range(3):
        s.failed(scsi.read10(4096 + n, 8), scsi.sense(1, 0x5D, 0), read=4096)
    work(s, 20)
    s.logout()
