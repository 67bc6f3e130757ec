# SPDX-License-Identifier: GPL-2.0-or-later
"""A target that goes away and comes back."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds


def work(s, times=20):
    for k in range(times):
        s.read(lba=64 * k)
        s.wait(ms(1))


def unanswered(s, silence):
    """A Read that gets no answer and is sent again."""
    s.command(scsi.read10(640, 8), read=4096, lost=True)
    waited, timeout = 0, ms(200)
    while waited + timeout < silence:
        s.wait(timeout)
        s.tcp.resend("initiator", lost=True)
        waited, timeout = waited + timeout, 2 * timeout
    s.wait(silence - waited)


def refused(c, host, disk, times, apart):
    for _ in range(times):
        t = c.connection(host, disk)
        t.syn("initiator")
        t.refuse()
        c.wait(apart)


def restart(c, host, disk, silence=seconds(6), tries=10, attention=True):
    s = Session(c.connect(host, disk))
    s.login()
    work(s)
    unanswered(s, silence)
    s.tcp.rst("target")
    c.wait(seconds(2))
    refused(c, host, disk, tries, seconds(3))
    n = Session(c.connect(host, disk))
    n.login()
    if attention:
        n.failed(scsi.test_unit_ready(), scsi.sense(6, 0x29, 0))
    work(n)


@case(first="target_restart", say=["restarted", r"6\.\d+ s", r"38\.\d s", "refused 10 attempts", "29h/00h"],
      absent=["outage", "portal_unreachable", "connection_reset"])
def host_and_portal(c):
    """6 s of silence, RST, ten refused attempts within 30 s, a new login and 29/00."""
    restart(c, c.host("192.0.2.10"), c.host("192.0.2.50"))


@case(first="target_restart", absent=["portal_unreachable"])
def without_unit_attention(c):
    """The same over IPv6, without 29/00."""
    restart(c, c.host("2001:db8::10"), c.host("2001:db8::50"), attention=False)


@case(first="target_restart", say=["29h/00h"])
def without_refusals(c):
    """Silence, RST and 29/00; the portal is back as soon as the host."""
    restart(c, c.host("192.0.2.10"), c.host("192.0.2.50"), tries=0)


@case(first="target_restart", say=["service", "refused 3 attempts"], absent=["target_closed", "portal_unreachable"])
def service_alone(c):
    """The target closes its connections with FIN and refuses new ones for some seconds."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    s = Session(c.connect(host, disk))
    s.login()
    work(s)
    s.tcp.fin("target")
    s.tcp.fin("initiator")
    c.wait(seconds(1))
    refused(c, host, disk, 3, seconds(1))
    n = Session(c.connect(host, disk))
    n.login()
    work(n)


@case(first="outage", ruled_out={"target_restart": "refused connections"})
def silence_alone(c):
    """6 s of silence and RST, a new login at once, no 29h."""
    restart(c, c.host("192.0.2.10"), c.host("192.0.2.50"), tries=0, attention=False)


@case(first="outage", ruled_out={"target_restart": "refused connections"})
def each_session_begins_with_29h(c):
    """A target that greets each new session with 29/00."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    s = Session(c.connect(host, disk))
    s.login()
    s.failed(scsi.test_unit_ready(), scsi.sense(6, 0x29, 0))
    work(s)
    unanswered(s, seconds(6))
    s.tcp.rst("target")
    c.wait(seconds(2))
    n = Session(c.connect(host, disk))
    n.login()
    n.failed(scsi.test_unit_ready(), scsi.sense(6, 0x29, 0))
    work(n)
