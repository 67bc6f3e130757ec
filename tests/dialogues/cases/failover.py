# SPDX-License-Identifier: GPL-2.0-or-later
"""A path that fails, and I/O that goes on over another one."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds


def two_paths(c, addresses=(("192.0.2.10", "192.0.2.50"), ("198.51.100.10", "198.51.100.50"))):
    paths = [Session(c.connect(c.host(a), c.host(b)), isid=bytes((0x80, 0, 0, 0, 0, n + 1)))
             for n, (a, b) in enumerate(addresses)]
    for s in paths:
        s.login()
    return paths


def in_turn(paths, times=60):
    for k in range(times):
        paths[k % len(paths)].read(lba=64 * k)
        paths[0].wait(ms(1))


def fail(s, until_ping=seconds(5), until_end=seconds(5), ends=True, write=False):
    """A command and then a ping without an answer; the initiator gives up."""
    if write:
        s.command(scsi.write10(99999, 8), write=4096, immediate=4096, lost=True)
    else:
        s.command(scsi.read10(99999, 8), read=4096, lost=True)
    s.wait(ms(200))
    s.tcp.resend("initiator", lost=True)
    s.wait(ms(400))
    s.tcp.resend("initiator", lost=True)
    s.wait(until_ping - ms(600))
    s.nop_out(lost=True)
    s.wait(until_end)
    if ends:
        s.tcp.rst("initiator")


@case(first="failover", say=[r"25\.0 s", r"after 10\.0 s", r"15\.0 s later", "192.0.2.50", "198.51.100.50"],
      absent=["nop_timeout", "outage", "path_imbalance"])
def read_after_25_s(c):
    """Pings give up after 10 s, multipath moves on after 15 s more."""
    a, b = two_paths(c)
    in_turn((a, b))
    fail(a)
    c.wait(seconds(15))
    b.read(lba=99999)
    in_turn((b,))


@case(first="failover", say=[r"130 s|2\.17 min|2 min|13\d s"], absent=["outage"])
def write_without_an_end(c):
    """No RST passes; a Write goes on after 130 s, over IPv6."""
    a, b = two_paths(c, (("2001:db8::10", "2001:db8::50"), ("2001:db8:1::10", "2001:db8:1::50")))
    in_turn((a, b))
    fail(a, ends=False, write=True)
    c.wait(seconds(120))
    b.write(lba=99999)
    in_turn((b,))


@case(first="failover", say=["MAC address 02:00:00:00:00:77"], absent=["nop_timeout", "target_restart"])
def controller_takes_the_address_over(c):
    """The other controller has the portal's address after 12 s and a MAC address of its own."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    a = Session(c.connect(host, disk))
    a.login()
    in_turn((a,))
    fail(a)
    c.wait(seconds(2))
    b = Session(c.connect(host, c.host("192.0.2.50", mac=bytes((2, 0, 0, 0, 0, 0x77)))))
    b.login()
    b.read(lba=99999)
    in_turn((b,))


@case(first="nop_timeout", ruled_out={"failover": "sent again on another"})
def other_blocks_on_the_other_path(c):
    """The other path works on, and nobody asks for the lost block again."""
    a, b = two_paths(c)
    in_turn((a, b))
    fail(a)
    in_turn((b,))


@case(ruled_out={"failover": "sent again on another"})
def slow_read_asked_for_twice(c):
    """A Read of 2 s is answered; meanwhile another reader asks for the same block over the other path."""
    a, b = two_paths(c)
    in_turn((a, b), 400)
    task = a.command(scsi.read10(99999, 8), read=4096)
    a.wait(seconds(1.5))
    b.read(lba=99999)
    a.wait(ms(100))
    a.data_in(task, 0, 4096)
    a.response(task)
    in_turn((a, b), 4000)
    for s in (a, b):
        s.logout()


@case(first="nop_timeout", ruled_out={"failover": "several paths"})
def same_path_again(c):
    """The host logs in again on the same path and sends the block again there."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    a = Session(c.connect(host, disk))
    a.login()
    in_turn((a,))
    fail(a)
    c.wait(seconds(5))
    b = Session(c.connect(host, disk))
    b.login()
    b.read(lba=99999)
    in_turn((b,))
