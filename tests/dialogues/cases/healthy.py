# SPDX-License-Identifier: GPL-2.0-or-later
"""Work in which nothing is wrong."""
from case import case
from iscsi_script import Session
from script import ms, us


@case(broken=[], kept=["stat_sn_gap"])
def reads_and_writes(c):
    """Login, twenty Reads and Writes, a ping each way, logout."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.login()
    for n in range(20):
        s.read(lba=64 * n, blocks=8)
        s.write(lba=64 * n, blocks=8)
        s.wait(us(50))
    s.nop_out()
    s.nop_in(itt=s.tag)
    s.wait(ms(1))
    s.nop_in(ttt=7)
    s.nop_out(ttt=7)
    s.logout()


@case(broken=[], kept=["stat_sn_gap"])
def writes_by_r2t_over_ipv6(c):
    """Writes of 256 KiB, whose data come as immediate data and by three R2Ts, beside which the target takes long."""
    s = Session(c.connect(c.host("2001:db8::10"), c.host("2001:db8::50"), tap=0))
    s.login()
    for n in range(5):
        s.write(lba=1024 * n, blocks=512, service=ms(10))
        s.wait(us(100))
    s.logout()


@case(broken=[], kept=["stat_sn_gap"])
def digests(c):
    """Header and data digests of both ends, all right."""
    s = Session(c.connect(c.host("192.0.2.10"), c.host("192.0.2.50")))
    s.login({"HeaderDigest": "CRC32C", "DataDigest": "CRC32C"}, {"HeaderDigest": "CRC32C", "DataDigest": "CRC32C"})
    for side in ("initiator", "target"):
        s.set_digests(side, "right", "right")
    for n in range(10):
        s.read(lba=64 * n, blocks=8)
        s.write(lba=64 * n, blocks=8)
    s.logout()
