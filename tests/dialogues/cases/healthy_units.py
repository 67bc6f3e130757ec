# SPDX-License-Identifier: GPL-2.0-or-later
"""What units and paths say in order: tapes, paths in standby, hosts that hang."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds
from usual import session, work


@case(ruled_out={"command_errors": "."})
def filemarks_of_a_tape(c):
    """Each tenth read of a tape meets a filemark (NO SENSE, 00/01), at which its program stops to read."""
    s = session(c)
    for n in range(60):
        if n % 10 == 9:
            s.failed(scsi.read10(64 * n, 8), scsi.sense(0, 0, 1), read=4096)
        else:
            s.read(lba=64 * n)
        s.wait(ms(1))
    s.logout()


@case(ruled_out={"path_imbalance": "ALUA, 02/04/0B"})
def standby_path_polled(c):
    """One of two paths is in standby: the host asks it each 5 s whether it still is, and works on the other."""
    a1, a2, d1, d2 = (c.host(x) for x in ("192.0.2.10", "198.51.100.10", "192.0.2.50", "198.51.100.50"))
    one = Session(c.connect(a1, d1))
    one.login()
    two = Session(c.connect(a2, d2), isid=b"\x80\0\0\0\0\x02")
    two.login()
    for n in range(12):
        for k in range(10):
            one.read(lba=64 * (10 * n + k))
            one.wait(ms(1))
        two.failed(scsi.test_unit_ready(), scsi.sense(2, 4, 0x0B))
        c.wait(seconds(5))


@case(first="command_errors", say=["MEDIUM ERROR"])
def medium_error(c):
    """The same with a sense key of an error."""
    s = session(c)
    for n in range(60):
        if n % 10 == 9:
            s.failed(scsi.read10(64 * n, 8), scsi.sense(3, 0x11, 0), read=4096)
        else:
            s.read(lba=64 * n)
    s.logout()


@case(first="abort_storm", absent=["target_restart"])
def reset_that_the_host_asked_for(c):
    """A Read hangs; the host aborts it, resets the LUN, and logs in anew: 29/03 is the result of its own reset."""
    a, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    s = Session(c.connect(a, disk))
    s.login()
    for n in range(20):
        s.read(lba=64 * n)
    for n in range(3):
        t = s.command(scsi.read10(4096, 64), read=32768)
        s.wait(seconds(10))
        s.task_management(1, t)
        s.task_management_response(0)
    s.task_management(5)
    s.task_management_response(0)
    s.command(scsi.read10(4096, 64), read=32768)
    s.wait(seconds(3))
    s.tcp.rst("target")
    c.wait(seconds(1))
    s = Session(c.connect(a, disk))
    s.login()
    s.failed(scsi.test_unit_ready(), scsi.sense(6, 0x29, 3))
    for n in range(20):
        s.read(lba=64 * n)


@case(absent=["outage", "retransmission_timeout"])
def one_counter_of_ip_identifications(c):
    """A host numbers the packets of all its connections in one row: two sessions ping in turn, each 10 s. No row of
    timeouts that double is silent for so long with so few repeats."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    pair = [session(c, host, disk), session(c, host, disk, isid=b"\x80\0\0\0\0\x02")]
    for s in pair:
        work(s, 20)
    for n in range(20):
        for s in pair:
            s.nop_out()
            s.nop_in(itt=s.tag)
            c.wait(seconds(5))
