# SPDX-License-Identifier: GPL-2.0-or-later
"""LUNs that are not there for the initiator."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds, us

NO_SUCH_LUN = scsi.sense(5, 0x25, 0)
NOT_THERE = scsi.inquiry_data(3, 0x1F)


def begun(c, host="192.0.2.10", disk="192.0.2.50", **how):
    s = Session(c.connect(c.host(host), c.host(disk), **how))
    s.login()
    return s


def answer(s, cdb, data, lun=0):
    """A command with an answer of a few bytes."""
    task = s.command(cdb, lun, read=255)
    s.data_in(task, 0, len(data), content=data)
    s.response(task, residual=255 - len(data))


def work(s, times, lun=0):
    for n in range(times):
        s.read(lba=64 * n, blocks=8, lun=lun)
        s.wait(us(300))


@case(first="lun_missing", severity="problem", say=["LUN 3 is not mapped", "05/25/00", "lists LUN 0 and 1"],
      absent=["command_errors"])
def reads_of_a_lun_that_is_not_mapped(c):
    """Reads of LUN 3 end with 05/25/00 beside work on LUN 0."""
    s = begun(c)
    answer(s, scsi.report_luns(), scsi.lun_list([0, 1]))
    for n in range(20):
        work(s, 3)
        s.failed(scsi.read10(8 * n, 8), NO_SUCH_LUN, lun=3, read=4096)
    s.logout()


@case(first="lun_missing", severity="problem", say=["LUN 300 is not mapped"], absent=["command_errors"])
def one_write_in_descriptor_format_over_ipv6(c):
    """A single Write to LUN 300 ends with 05/25/00 in descriptor format; the tap is at the target, digests are on."""
    s = Session(c.connect(c.host("2001:db8::10"), c.host("2001:db8::50"), tap=1))
    s.login({"HeaderDigest": "CRC32C"}, {"HeaderDigest": "CRC32C"})
    for side in ("initiator", "target"):
        s.set_digests(side, "right")
    work(s, 20)
    s.failed(scsi.write10(0, 8), scsi.descriptor_sense(5, 0x25, 0), lun=300, write=4096)
    work(s, 20)
    s.logout()


@case(first="lun_missing", severity="problem", say=["LUN 1 is no longer mapped", "any longer", "had answered"],
      absent=["command_errors", "config_changes"])
def a_lun_that_goes_away(c):
    """LUN 1 works, a UNIT ATTENTION 3F/0E comes, then its Reads end with 05/25/00. The login is not in the capture."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    work(s, 30, lun=1)
    s.failed(scsi.read10(0, 8), scsi.sense(6, 0x3F, 0x0E), lun=0, read=4096)
    work(s, 5)
    for n in range(8):
        s.failed(scsi.read10(8 * n, 8), NO_SUCH_LUN, lun=1, read=4096)
        s.wait(ms(200))
    work(s, 5)


@case(first="lun_missing", severity="problem", say=["No LUN is mapped", "LUN 0 only", "qualifier 3"])
def a_login_that_reaches_no_lun(c):
    """INQUIRY says that no device is there, REPORT LUNS lists LUN 0 alone; pings follow."""
    s = begun(c)
    answer(s, scsi.inquiry(), NOT_THERE)
    answer(s, scsi.report_luns(), scsi.lun_list([0]))
    for _ in range(4):
        s.wait(seconds(10))
        s.nop_out()
        s.nop_in(itt=s.tag)
    s.logout()


@case(first="lun_missing", say=["No LUN is mapped", "controller"])
def only_a_controller(c):
    """LUN 0 is a controller (device type 0Ch) and there is no other LUN."""
    s = begun(c)
    answer(s, scsi.inquiry(), scsi.inquiry_data(0, 0x0C))
    answer(s, scsi.report_luns(), scsi.lun_list([0]))
    s.wait(seconds(5))
    s.logout()


@case(absent=["lun_missing", "command_errors"], ruled_out={"lun_missing": "device scan"})
def a_scan_by_numbers(c):
    """LUN 0 is a controller, LUN 1 a disk; a scan asks LUN 2 to 7 as well, which are not there."""
    s = begun(c)
    answer(s, scsi.inquiry(), scsi.inquiry_data(0, 0x0C))
    answer(s, scsi.inquiry(), scsi.inquiry_data(), lun=1)
    for lun in range(2, 8):
        answer(s, scsi.inquiry(), NOT_THERE, lun=lun)
        s.failed(scsi.test_unit_ready(), NO_SUCH_LUN, lun=lun)
    work(s, 40, lun=1)
    s.logout()


@case(absent=["lun_missing", "command_errors"], ruled_out={"lun_missing": "each LUN that was used is there"})
def no_device_at_lun_0(c):
    """LUN 0 has no device (qualifier 3), the disk is LUN 5: ordinary for targets without a LUN 0."""
    s = begun(c)
    answer(s, scsi.inquiry(), NOT_THERE)
    answer(s, scsi.report_luns(), scsi.lun_list([5]))
    answer(s, scsi.inquiry(), scsi.inquiry_data(), lun=5)
    work(s, 40, lun=5)
    s.logout()
