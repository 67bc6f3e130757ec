# SPDX-License-Identifier: GPL-2.0-or-later
"""Targets that end sessions first."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds


def session(c, host, disk, reads=20):
    s = Session(c.connect(host, disk))
    s.login()
    for k in range(reads):
        s.read(lba=64 * k)
        s.wait(ms(1))
    return s


@case(first="target_closed", severity="problem", say=[r"by FIN \(frame \d+\)", "answered with RST", "1 command was open"],
      absent=["connection_reset", "outage"])
def fin_while_a_command_is_open(c):
    """The target sends FIN while a Read is open, the initiator answers with RST."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    s = session(c, host, disk)
    s.command(scsi.read10(0, 8), read=4096)
    s.wait(ms(2))
    s.tcp.fin("target")
    s.tcp.rst("initiator")
    c.wait(seconds(2))
    session(c, host, disk).logout()


@case(first="target_closed", severity="notice", say=["idle", "no command open"], absent=["outage"])
def once_while_idle(c):
    """FIN after 30 s without a command; the host logs in again."""
    host, disk = c.host("2001:db8::10"), c.host("2001:db8::50")
    s = session(c, host, disk)
    s.wait(seconds(30))
    s.tcp.fin("target")
    s.tcp.fin("initiator")
    c.wait(seconds(2))
    session(c, host, disk).logout()


@case(first="target_closed", severity="problem", say=["again and again", "5 times"])
def again_and_again(c):
    """Five times."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    for _ in range(5):
        s = session(c, host, disk)
        s.wait(seconds(3))
        s.tcp.fin("target")
        s.tcp.fin("initiator")
        c.wait(seconds(2))
    session(c, host, disk).logout()


@case(first="target_closed", say=["RST", "10 min"])
def firewall_that_forgot(c):
    """Twice ten minutes of silence, after which the next command is answered by RST."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    for _ in range(2):
        s = session(c, host, disk)
        s.wait(seconds(600))
        s.command(scsi.read10(0, 8), read=4096)
        s.tcp.rst("target")
        c.wait(seconds(2))
    session(c, host, disk).logout()


@case(ruled_out={"target_closed": "only after a logout"})
def fin_behind_a_logout(c):
    """The target sends FIN first behind its Logout Response, which is right."""
    s = session(c, c.host("192.0.2.10"), c.host("192.0.2.50"))
    s.logout_request()
    s.logout_response()
    s.tcp.fin("target")
    s.tcp.fin("initiator")


@case(first="connection_reset", say=["initiator sent FIN first|RST with the address of the initiator"],
      ruled_out={"target_closed": "no target ended a session first"})
def rst_of_the_initiator(c):
    """The initiator ends it with commands open."""
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50")
    s = session(c, host, disk)
    s.command(scsi.read10(0, 8), read=4096)
    s.wait(ms(5))
    s.tcp.rst("initiator")
    c.wait(seconds(2))
    session(c, host, disk).logout()
