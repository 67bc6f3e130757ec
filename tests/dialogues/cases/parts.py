# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults in a part of the time, and of one of many: since when, until when, which one."""
from case import case
from dialogue import Dialogue, Path, ms, us

PATH = Path(1e9, us(50), us(150))


def work(c, tasks, service, luns=1, think=ms(8)):
    """So many Reads one after the other, of the LUNs in turn. service: of the number of the Read, ns."""
    d = Dialogue(PATH)
    s = d.session()
    for i in range(tasks):
        s.read(size=4096, lun=i % luns, service=service(i))
        s.think(think)
    d.run()
    for time, data in d.packets():
        c.add(time, data)


@case(first="slow_target", severity="problem", say=[r"6 times, every 10\.\d s: ", r"; (100|>99) % of the busy time there"])
def stalls_that_come_back(c):
    """A storage that stops for 0.7 s every ten seconds hits six of six thousand Reads."""
    work(c, 6000, lambda i: ms(700) if i % 1000 == 400 else us(600), think=ms(9))


@case(absent=["packet_loss"])
def a_single_stall(c):
    """One Read of 0.7 s among two thousand is no problem."""
    work(c, 2000, lambda i: ms(700) if i == 1000 else us(600))


@case(first="slow_target", severity="problem", say=[r"From [23]\.\d+ to [67]\.\d+ s \(frame \d+\)"])
def a_target_that_is_slow_for_a_while(c):
    """Between the 300th and the 400th Read the service time is 25 ms."""
    work(c, 700, lambda i: ms(25) if 300 <= i < 400 else us(600))


@case(first="slow_target", severity="problem",
      say=[r"Since [23]\.\d+ s \(frame \d+\)", r"LUN 1 only: \d+ % of the busy time there, 0\.0 % elsewhere"])
def one_lun_that_becomes_slow(c):
    """From the 300th Read on LUN 1 takes 25 ms, LUN 0 0.6 ms as before."""
    work(c, 800, lambda i: ms(25) if i >= 300 and i % 2 else us(600), luns=2)


@case(first="slow_target", say=[r"Since [56]\.\d+ s \(frame \d+\): a mean service time of 9\.\d+ ms instead of 4\.\d+ ms before\."])
def a_service_time_that_doubles(c):
    """All Reads take 4 ms, from the 400th on 9: time is lost before as well."""
    work(c, 700, lambda i: us(9000 + i % 7 * 30) if i >= 400 else us(4000 + i % 7 * 30))


@case(first="slow_target", severity="problem", not_say=["; LUN 0 took"], say=[r"Writes only: \d+ % of the busy time there"])
def writes_that_are_slow(c):
    """Writes take 30 ms; every second Read takes 1.2 ms, which is long but short against that."""
    d = Dialogue(Path(1e9, us(400), us(600)))
    s = d.session()
    for i in range(400):
        s.read(size=4096, service=us(1200 if i % 2 else 200))
        s.write(size=4096, immediate=4096, service=ms(30))
    d.run()
    for time, data in d.packets():
        c.add(time, data)


@case(first="slow_target", severity="problem", not_say=[r"Since \d", r"From \d", r"Until \d"])
def a_target_that_is_slow_throughout(c):
    """All Reads take 25 ms: when is no news."""
    work(c, 300, lambda i: ms(25))
