# SPDX-License-Identifier: GPL-2.0-or-later
"""Random dialogues with a fault in a part of the time, of one of many, or both.

In: a seed and a number. Out: a dialogue that was run, and its truth: the kinds that may be found first, the first and
the last task with the fault (when they passed the tap, ns), and on what it lies: a LUN, a session, a type of command,
or on everything. The fault is put on tasks by their number in the session, so its times are those at which the ends
did them."""
import random

from dialogue import Dialogue, Path, ms, us

FAULTS = {"slow": ("slow_target",), "stalls": ("slow_target",), "loss": ("packet_loss", "retransmission_timeout"),
          "slow_host": ("slow_r2t_answer",)}
WHERE = ("all", "lun", "session", "type")


class Partial:
    def __init__(self, seed, number):
        self.random = r = random.Random("%d-%d" % (seed, number))
        self.fault = r.choice(sorted(FAULTS))
        self.kinds = FAULTS[self.fault]
        self.where = r.choice(WHERE)
        if self.fault == "slow_host" and self.where == "type":
            self.where = "lun"  # of Writes it is in any case
        sessions = r.randint(2, 4) if self.where == "session" else r.randint(1, 3)
        self.luns = r.randint(2, 3) if self.where == "lun" else r.randint(1, 2)
        self.lun, self.session, self.type = r.randrange(self.luns), r.randrange(sessions), r.choice(("read", "write"))
        if self.fault == "slow_host":
            self.type = "write"
        # The part of the tasks in which it holds.
        self.when = r.choice(("throughout", "since", "until", "between"))
        begin = r.uniform(0.2, 0.6) if self.when in ("since", "between") else 0
        end = begin + r.uniform(0.15, 0.3) if self.when == "between" else r.uniform(0.3, 0.7) if self.when == "until" else 1
        tasks = r.randint(300, 600)
        self.faulty = []
        furthest = 200 if self.fault == "slow_host" else 2000  # else the round trips of R2Ts cost more than the host
        self.dialogue = Dialogue(Path(1e9, us(r.randint(10, furthest)), us(r.randint(10, furthest))))
        self.usual = us(r.randint(100, 600))
        self.much = ms(r.randint(12, 40))
        self.pause = us(r.randint(0, 3000))
        self.stall_every = r.randint(40, 80)
        for number_of_session in range(sessions):
            hosts = 0 if self.where == "lun" else number_of_session  # a LUN is one of one target
            s = self.dialogue.session(depth=r.choice((1, 2)), hosts=hosts,
                                      start=us(r.randint(0, 500)))
            for i in range(tasks):
                self.add(s, number_of_session, i, begin * tasks <= i < end * tasks)
        self.dialogue.run()
        self.dialogue.truth()  # when the tasks passed the tap

    def meets(self, session, lun, kind):
        return {"all": True, "lun": lun == self.lun, "session": session == self.session,
                "type": kind == self.type}[self.where]

    def add(self, s, session, i, holds):
        r = self.random
        kind, lun, size = r.choice(("read", "write")), r.randrange(self.luns), r.choice((4096, 16384, 32768))
        hit = holds and self.meets(session, lun, kind)
        what = {"lun": lun, "lba": r.randrange(1 << 20), "size": size,
                "service": int(self.usual * r.uniform(0.7, 1.4))}
        if kind == "write":
            what.update(burst=65536, r2t_service=us(20), late=[us(r.randint(5, 40))])
            if self.fault != "slow_host":  # all data is immediate or unsolicited
                what.update(immediate=4096, unsolicited=size - 4096)
        if hit and self.fault == "slow":
            what["service"] = int(self.much * r.uniform(0.8, 1.3))
        elif hit and self.fault == "stalls":
            hit = i % self.stall_every == 7
            if hit:
                what["service"] = ms(r.randint(600, 1100))
        elif hit and self.fault == "loss":
            hit = size >= 16384 and r.random() < 0.15
            if hit:
                what["lose"] = [("data", r.randrange(1, size // 1448) * 1448, "behind" if kind == "read" else "before")]
        elif hit and self.fault == "slow_host":
            hit = kind == "write"
            if hit:
                what["late"] = [int(self.much * r.uniform(0.8, 1.3))]
        getattr(s, kind)(**what)
        if hit:
            self.faulty.append(s.items[-1])
        if self.pause:
            s.think(int(self.pause * r.uniform(0.5, 1.5)))

    def truth(self):
        done = [t for t in self.faulty if t.begins is not None and t.ends is not None]
        return {"fault": self.fault, "kinds": self.kinds, "when": self.when, "where": self.where, "lun": self.lun,
                "session": self.session, "type": self.type, "faulty": len(done),
                "from": min((t.begins for t in done), default=None), "to": max((t.ends for t in done), default=None)}
