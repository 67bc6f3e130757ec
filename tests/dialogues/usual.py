# SPDX-License-Identifier: GPL-2.0-or-later
"""What most scripted captures begin with: a session between two hosts, and ordinary work on it."""
from iscsi_script import Session
from script import us


def session(c, host=None, disk=None, keys=None, isid=b"\x80\0\0\0\0\x01", **how):
    """A session that is logged in, between new hosts unless they are given; how: of the connection (script.Connection)."""
    s = Session(c.connect(host or c.host("192.0.2.10"), disk or c.host("192.0.2.50"), **how), isid=isid)
    s.login(keys)
    return s


def work(s, times, lun=0):
    """So many Reads and as many Writes."""
    for n in range(times):
        s.read(lba=64 * n, blocks=8, lun=lun)
        s.write(lba=64 * n, blocks=8, lun=lun)
        s.wait(us(300))
