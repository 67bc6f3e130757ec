# SPDX-License-Identifier: GPL-2.0-or-later
"""RSTs with the address of an end that this end did not send."""
import scsi
from case import case
from iscsi_script import Session
from script import ms, seconds, us

OTHER = bytes((2, 0, 0, 0, 0, 0x99))


def broken(c, host, disk, times=1, idle=ms(500), side="target", **rst):
    for _ in range(times):
        s = Session(c.connect(host, disk, rtt=ms(1)))
        s.login()
        for k in range(20):
            s.read(lba=64 * k)
            s.wait(ms(1))
        s.wait(idle)
        s.command(scsi.read10(64, 8), read=4096)
        s.tcp.rst(side, **rst)
        c.wait(seconds(2))
    s = Session(c.connect(host, disk, rtt=ms(1)))
    s.login()
    for k in range(20):
        s.read(lba=64 * k)
        s.wait(ms(1))
    s.logout()


@case(first="address_conflict", say=["MAC address 02:00:00:00:00:99", "TTL 128 instead of 64", "sooner than a round trip"],
      absent=["connection_reset", "target_closed"])
def another_mac_and_ttl(c):
    """RST from another MAC address, with another TTL and at once, four times."""
    broken(c, c.host("192.0.2.10"), c.host("192.0.2.50"), 4, mac=OTHER, ttl=128, at_once=True)


@case(first="address_conflict", say=["TTL 250 instead of 61"])
def another_ttl_behind_a_router(c):
    """Behind a router all packets have its MAC address; the TTL differs."""
    broken(c, c.host("192.0.2.10"), c.host("192.0.2.50", ttl=61), ttl=250)


@case(first="address_conflict", say=["02:00:00:00:00:99", "initiator"])
def of_the_initiator(c):
    """The RST has the initiator's address, over IPv6."""
    broken(c, c.host("2001:db8::10"), c.host("2001:db8::50"), side="initiator", mac=OTHER)


@case(first="address_conflict", say=["had forgotten", "10 min"])
def firewall_that_forgot(c):
    """After ten minutes without a packet a firewall answers the next command."""
    broken(c, c.host("192.0.2.10"), c.host("192.0.2.50", ttl=61), idle=seconds(600), ttl=64, at_once=True)


@case(first="connection_reset", ruled_out={"address_conflict": "like the other packets"})
def rst_of_the_target_itself(c):
    """An RST that looks like the target's other packets."""
    broken(c, c.host("192.0.2.10"), c.host("192.0.2.50"))


@case(first="connection_reset", ruled_out={"address_conflict": "like the other packets"})
def route_longer_by_a_hop(c):
    """The RST took a route of equal cost that is one hop longer, and its time."""
    broken(c, c.host("192.0.2.10"), c.host("192.0.2.50", ttl=61), ttl=60)


@case(ruled_out={"address_conflict": "no connection began to end with an RST"})
def rst_behind_a_logout(c):
    """open-iscsi ends with RST after its FIN."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.login()
    for k in range(20):
        s.read(lba=64 * k)
        s.wait(us(100))
    s.logout()
