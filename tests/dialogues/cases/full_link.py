# SPDX-License-Identifier: GPL-2.0-or-later
"""A link that is full, and one that is not."""
from case import case
from dialogue import Dialogue, Path, ms, us


def work(c, rate, depth, size, count, service=us(100), write=False, tap=us(20), lose=0):
    d = Dialogue(Path(rate, tap, us(100)))
    s = d.session(depth=depth)
    for n in range(count):
        what = {"size": size, "service": service}
        if lose and n % lose == lose - 1:
            what["lose"] = [("data", size // 2, "behind")]
        if write:
            s.write(burst=262144, outstanding=4, r2t_service=us(20), **what)
        else:
            s.read(**what)
    d.run()
    for time, data in d.packets():
        c.add(time, data)


@case(first="full_link", severity="notice", say=[r"12\.\d MB/s|slowest link", r"nothing is wrong"])
def reads_that_fill_100_mbit(c):
    """Two Reads of 16 KiB at once over 100 Mbit/s."""
    work(c, 100e6, 2, 16384, 1200)


@case(first="full_link", severity="notice", say=[r"slowest link"])
def writes_that_fill_100_mbit(c):
    """Writes of 256 KiB, four at once."""
    work(c, 100e6, 4, 262144, 80, write=True)


@case(ruled_out={"full_link": r"for \d+(\.\d)? % of the busy time"})
def a_link_with_room(c):
    """One Read at a time with 2 ms of the target: the link is free most of the time."""
    work(c, 1e9, 1, 65536, 400, service=ms(2))


@case(ruled_out={"full_link": r"only$"})
def a_burst(c):
    """Two large Reads fill the link for a moment."""
    work(c, 100e6, 2, 262144, 4)


@case(any_first=True, ruled_out={"full_link": r"lost"})
def a_full_link_that_loses(c):
    """Losses of a full link are their own finding."""
    work(c, 100e6, 8, 65536, 320, lose=8)
