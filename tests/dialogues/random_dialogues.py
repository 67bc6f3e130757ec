#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random dialogues, each from a seed: random_dialogues.py FOLDER [--count N] [--seed S] writes captures and truths."""
import argparse
import json
import os
import random

import pdus
from dialogue import Dialogue, Path, us

SIZES = (512, 4096, 8192, 16384, 65536, 131072, 262144)
MAX_BYTES = 2_500_000  # of one connection


def spread(draw, low, high):
    """Between low and high, each power as likely as another."""
    return low * (high / low) ** draw.random()


def path_of(draw):
    round_trip = spread(draw, us(60), us(10_000))
    forward = 0.5 if draw.random() < 0.7 else draw.uniform(0.3, 0.7)
    place = draw.choice((0, 1, draw.random(), draw.random()))
    there, back = round_trip * forward, round_trip * (1 - forward)
    ways = [max(us(1), round(way)) for way in
            (there * place, there * (1 - place), back * (1 - place), back * place)]
    return Path(draw.choice((1e9, 10e9, 10e9, 25e9)), *ways)


class Habits:
    """What the ends of one connection usually do, drawn once."""

    def __init__(self, draw):
        self.draw = draw
        self.luns = draw.sample(range(8), draw.randint(1, 3))
        self.size = draw.choice(SIZES)
        self.mixed = draw.random() < 0.4
        self.weights = draw.choice(((1, 0, 0), (0, 1, 0), (5, 5, 1), (8, 2, 1), (2, 8, 1)))
        self.service = {(t, lun): spread(draw, us(30), us(10_000))
                        for t in (pdus.READ, pdus.WRITE, pdus.CONTROL) for lun in self.luns}
        self.width = draw.choice((0, 0.2, 0.6))
        self.r2t_service = spread(draw, us(5), us(1_000))
        self.late = draw.choice((us(5), spread(draw, us(5), us(3_000))))
        self.think = draw.choice((0, 0, 0.1, 0.5))
        self.think_time = spread(draw, us(20), us(50_000))
        self.pauses = draw.choice((0, 0, 0.1, 0.4))
        self.pause = spread(draw, us(50), us(10_000))
        self.immediate = draw.choice((0, 8192, 65536))
        self.unsolicited = draw.choice((0, 0, 65536))
        self.burst = draw.choice((16384, 65536, 262144))
        self.outstanding = draw.choice((1, 1, 2, 4))
        self.status_after = draw.choice((None, None, 0, us(20), us(300)))
        self.losses = draw.choice((0, 0, 0, draw.randint(1, 4)))
        self.closes = draw.choice((0, 0, 0, 0.1))

    def about(self, time):
        return max(us(1), round(time * self.draw.lognormvariate(0, self.width)))

    def pauses_of(self, size):
        if self.draw.random() >= self.pauses or not size:
            return ()
        return tuple((512 * self.draw.randrange(1, max(2, size // 512)), self.about(self.pause))
                     for _ in range(self.draw.randint(1, 2)))

    def task(self, session):
        draw = self.draw
        kind = draw.choices((pdus.READ, pdus.WRITE, pdus.CONTROL), self.weights)[0]
        lun = draw.choice(self.luns)
        what = {"lun": lun, "lba": 8 * draw.randrange(1 << 20), "service": self.about(self.service[kind, lun])}
        if draw.random() < self.closes:
            what["closes"] = self.about(us(2_000))
        if kind == pdus.CONTROL:
            session.control(size=draw.choice((0, 96)), **what)
            return 0
        size = draw.choice(SIZES) if self.mixed else self.size
        what.update(size=size, pauses=self.pauses_of(size))
        if kind == pdus.READ:
            after = self.status_after and self.about(self.status_after)
            session.read(status_after=after, **what)
        else:
            immediate = min(size, self.immediate)
            session.write(immediate=immediate, unsolicited=min(size - immediate, self.unsolicited), burst=self.burst,
                          outstanding=self.outstanding, r2t_service=self.about(self.r2t_service),
                          late=[self.about(self.late) for _ in range(4)], **what)
        return size

    def lose(self, session):
        """Puts losses into some tasks, anywhere in their data."""
        able = [t for t in session.tasks() if t.size - t.immediate > 0 and t.type != pdus.CONTROL]
        for task in self.draw.sample(able, min(len(able), self.losses)):
            at = self.draw.choice((self.draw.randrange(task.immediate, task.size), task.size - 1))
            task.lose = (*task.lose, ("data", at, self.draw.choice(("before", "behind"))))


def make(seed, number):
    """The dialogue of that number; the same ones again from the same seed."""
    draw = random.Random("%s/%s" % (seed, number))
    d = Dialogue(path_of(draw))
    # How long an answer waited behind other connections on a full link, no packet shows: they share fast ones only.
    shared = d.path.rate > 1e9 and draw.random() < 0.5
    for n in range(draw.choice((1, 1, 1, 2, 3))):
        habits = Habits(draw)
        s = d.session(depth=draw.randint(1, 8), acks=draw.choice(("each", "push", "push", "second")),
                      stamps=draw.random() < 0.7, mss=draw.choice((1460, 1460, 8960)),
                      window=draw.choice((8, 32, 128)), pdu_size=draw.choice((8192, 65536, 262144)),
                      turnaround=habits.about(us(10)), start=n * draw.randint(0, us(2_000)),
                      hosts=0 if shared else n)
        sent = 0
        for _ in range(draw.randint(20, 60)):
            sent += habits.task(s)
            if draw.random() < habits.think:
                s.think(habits.about(habits.think_time))
            if sent > MAX_BYTES:
                break
        habits.lose(s)
    d.run()
    return d


def plain(truth):
    """A truth as JSON has it."""
    return {**truth, "connections": [
        {**c, "rows": [{"type": kind, "lun": lun, **owners} for (kind, lun), owners in c["rows"].items()]}
        for c in truth["connections"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for number in range(options.first, options.first + options.count):
        name = os.path.join(options.folder, "%s-%03d" % (options.seed, number))
        dialogue = make(options.seed, number)
        dialogue.write(name + ".pcap")
        with open(name + ".json", "w", encoding="utf-8") as out:
            json.dump(plain(dialogue.truth()), out, indent=1)


if __name__ == "__main__":
    main()
