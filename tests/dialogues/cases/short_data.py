# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and Writes that end with GOOD and less data than they asked for."""
import struct

import scsi
from case import case
from iscsi_script import Session
from script import us


def session(c, target="192.0.2.50", **how):
    s = Session(c.connect(c.host("192.0.2.10"), c.host(target), **how))
    s.login()
    return s


def capacity(s, lun=0, block=512):
    t = s.command(struct.pack("!B9x", 0x25), lun, read=8)
    s.data_in(t, 0, 8, content=struct.pack("!II", 99999, block))
    s.response(t)


@case(first="short_data", severity="problem", say=["GOOD", "missing|never sent", r"8\.19 kB", "LUN 3"],
      absent=["command_errors"])
def hole_in_the_data(c):
    """One Read of 32 KiB among ten lacks 8 KiB in its middle; no residual says so."""
    s = session(c)
    for n in range(10):
        s.read(lba=64 * n, blocks=64)
    t = s.command(scsi.read10(4096, 64), 3, read=32768)
    s.data_in(t, 0, 8192, final=False)
    s.data_in(t, 16384, 16384)
    s.response(t)
    s.logout()


@case(first="short_data", say=["GOOD", "missing|never sent"], absent=["command_errors"])
def end_missing_status_in_data(c):
    """The last 4 KiB are missing; the status comes in the last Data-In, at the initiator's tap, over IPv6."""
    s = Session(c.connect(c.host("2001:db8::10"), c.host("2001:db8::50"), tap=0))
    s.login()
    for n in range(3):
        t = s.command(scsi.read16(64 * n, 16), read=8192)
        s.data_in(t, 0, 4096, status=0)
    s.logout()


@case(first="short_data", say=["no data|never sent|missing"])
def nothing_at_all(c):
    """GOOD without any Data-In."""
    s = session(c)
    t = s.command(scsi.read10(0, 8), read=4096)
    s.response(t)
    s.logout()


@case(first="short_data", say=["Write", "never asked for"])
def write_not_asked_for(c):
    """A Write of 128 KiB whose second half no R2T asks for ends with GOOD."""
    s = session(c)
    t = s.command(scsi.write10(0, 256), write=131072, immediate=65536)
    s.response(t)
    s.logout()


@case(first="short_data", say=["residual", "missing"])
def residual_counts_say_so(c):
    """Reads end with GOOD and an underflow of half of what their CDB asks for."""
    s = session(c)
    capacity(s)
    for n in range(4):
        t = s.command(scsi.read10(64 * n, 16), read=8192)
        s.data_in(t, 0, 4096)
        s.response(t, residual=4096)
    s.logout()


@case(absent=["short_data"], ruled_out={"short_data": "holds whole"})
def expected_more_than_the_cdb(c):
    """Commands that expect 64 KiB for a CDB of 4 KiB have an underflow in order; one has none by mistake."""
    s = session(c)
    capacity(s)
    for n in range(4):
        t = s.command(scsi.read10(64 * n, 8), read=65536)
        s.data_in(t, 0, 4096)
        s.response(t, residual=61440)
    s.read()
    s.logout()


@case(absent=["short_data"])
def inquiry(c):
    """INQUIRY and REPORT LUNS return what there is."""
    s = session(c)
    t = s.command(scsi.inquiry(length=255), read=255)
    s.data_in(t, 0, 36, content=scsi.inquiry_data())
    s.response(t, residual=219)
    t = s.command(scsi.report_luns(), read=256)
    s.data_in(t, 0, 16, content=scsi.lun_list([0]))
    s.response(t)
    s.read()
    s.logout()


@case(absent=["short_data"])
def data_not_in_the_capture(c):
    """A Data-In that was acknowledged is in no frame."""
    s = session(c)
    for n in range(20):
        s.read(lba=64 * n, blocks=8)
    t = s.command(scsi.read10(4096, 16), read=8192)
    s.data_in(t, 0, 1400, final=False)
    whole = s.tcp.send
    s.tcp.send = lambda side, data, lost=False: s.tcp.skip(side, data)
    s.data_in(t, 1400, 1400, final=False)
    s.tcp.send = whole
    s.data_in(t, 2800, 8192 - 2800)
    s.response(t)
    s.wait(us(100))
    for n in range(20):
        s.read(lba=64 * n, blocks=8)
    s.logout()


@case(absent=["short_data"])
def tape(c):
    """Blocks of a tape have any length (device type 1)."""
    s = session(c)
    t = s.command(scsi.inquiry(length=96), read=96)
    s.data_in(t, 0, 36, content=scsi.inquiry_data(kind=1))
    s.response(t, residual=60)
    for _ in range(4):
        t = s.command(struct.pack("!BB", 0x08, 0) + (65536).to_bytes(3, "big") + b"\0", read=65536)
        s.data_in(t, 0, 20480)
        s.response(t, residual=45056)
    s.logout()
