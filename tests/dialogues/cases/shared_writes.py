# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts that write one logical unit."""
import struct

import scsi
from case import case
from iscsi_script import Session
from script import ms, us


def host(c, address, name, target="192.0.2.50", isid=b"\x80\0\0\0\0\x01"):
    s = Session(c.connect(c.host(address), c.host(target)), isid=isid)
    s.login({"InitiatorName": name})
    return s


def identity(s, lun=0, naa=0x6001405AABBCCDD0):
    """VPD page 83h with one NAA designator."""
    designator = struct.pack("!BBBBQ", 0x01, 0x03, 0, 8, naa)
    page = struct.pack("!BBH", 0, 0x83, len(designator)) + designator
    t = s.command(scsi.inquiry(0x83, 255), lun, read=255)
    s.data_in(t, 0, len(page), content=page)
    s.response(t, residual=255 - len(page))


def pair(c, second_name="iqn.2001-04.com.example:host-b", second_naa=0x6001405AABBCCDD0, second="192.0.2.11"):
    one = host(c, "192.0.2.10", "iqn.2001-04.com.example:host-a")
    other = host(c, second, second_name, isid=b"\x80\0\0\0\0\x02")
    identity(one)
    identity(other, naa=second_naa)
    return one, other


def in_turn(c, one, other, rounds=5):
    for n in range(rounds):
        for s in (one, other):
            s.write(lba=2048, blocks=8)
            s.write(lba=65536 + 8 * n, blocks=8)
            s.wait(ms(2))


@case(first="shared_writes", severity="notice", say=["host-a", "host-b", "192.0.2.11", "same blocks", "cluster"])
def two_hosts_in_turn(c):
    """Two hosts have one LUN mounted: both write the same blocks in turn, and nothing locks them."""
    in_turn(c, *pair(c))


@case(first="shared_writes", severity="problem", say=["at the same time"])
def two_hosts_at_the_same_time(c):
    """Writes of both to the same blocks are open at the same time."""
    one, other = pair(c)
    for n in range(4):
        a = one.command(scsi.write10(4096 + 8 * n, 8), write=4096, immediate=4096)
        b = other.command(scsi.write10(4096 + 8 * n, 8), write=4096, immediate=4096)
        c.wait(us(300))
        one.response(a)
        other.response(b)
        c.wait(ms(1))


@case(first="shared_writes", severity="problem", say=["without a look at what the other"])
def changes_lost(c):
    """Both read a block, change and write it; the first writes it again without having read what the other wrote."""
    one, other = pair(c)
    for s in (one, other):
        s.read(lba=2048, blocks=8)
        s.wait(us(200))
        s.write(lba=2048, blocks=8)
        s.wait(ms(3))
    one.write(lba=2048, blocks=8)


@case(first="shared_writes", severity="notice", not_say=["without a look"])
def read_again_each_time(c):
    """Each reads the blocks anew before it writes them, as a cluster file system does."""
    one, other = pair(c)
    for _ in range(4):
        for s in (one, other):
            s.read(lba=2048, blocks=8)
            s.write(lba=2048, blocks=8)
            s.wait(ms(2))


@case(absent=["shared_writes"], ruled_out={"shared_writes": "no two hosts"})
def two_paths_of_one_host(c):
    """The same initiator name on two paths."""
    one, other = pair(c, second_name="iqn.2001-04.com.example:host-a")
    in_turn(c, one, other)


@case(absent=["shared_writes"], ruled_out={"shared_writes": "no two hosts"})
def two_units(c):
    """LUN 0 of each host is another unit (designator)."""
    in_turn(c, *pair(c, second_naa=0x6001405000000001))


@case(absent=["shared_writes"], ruled_out={"shared_writes": "no two hosts"})
def own_blocks(c):
    """Both write one LUN, each its own blocks side by side, as heartbeats of a cluster."""
    one, other = pair(c)
    for n in range(6):
        one.write(lba=2048, blocks=1)
        other.write(lba=2049, blocks=1)
        c.wait(ms(1))


@case(absent=["shared_writes"], ruled_out={"shared_writes": "COMPARE AND WRITE"})
def locked_by_compare_and_write(c):
    """The hosts lock the blocks by COMPARE AND WRITE."""
    one, other = pair(c)
    for s in (one, other):
        t = s.command(scsi.compare_and_write(0, 1), write=1024, immediate=1024)
        s.response(t)
    in_turn(c, one, other)


@case(absent=["shared_writes"], ruled_out={"shared_writes": "reservations"})
def with_reservations(c):
    """A host registers its key for a persistent reservation."""
    one, other = pair(c)
    t = one.command(struct.pack("!BBB2xI", 0x5F, 0, 0, 24) + b"\0", write=24, immediate=24)
    one.response(t)
    in_turn(c, one, other)


@case(absent=["shared_writes"], ruled_out={"shared_writes": "handover"})
def handover(c):
    """The second host takes over when the first has done with the blocks for good."""
    one, other = pair(c)
    for s in (one, other):
        for n in range(20):
            s.write(lba=2048 + 8 * n, blocks=8)
        s.wait(ms(5))
