#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges the round trips of the report against those measured between the two taps of labelled runs.

In: the program and a folder of runs with captures at both ends (NAME.ini.pcap.zst, NAME.tgt.pcap.zst, one clock).
Out: two tables with a line for each direction at each tap, and what is wrong, worst first; exit code 2 if there is
nothing to judge. In the first table a direction is one half of the path (tap → target → tap or tap → initiator → tap) of
one connection at one tap (columns rtt_samples, rtt_median_ns, rtt_p95_ns of the report), in the second the sender's
whole round trip of the data to one end, as stated at one tap (columns round_trip_*). Times are in milliseconds.

Truth of the half that reaches the other tap: for each segment, pure ACKs included (`--data`: only those with data), its
one-way delay there, plus the one-way delay back of the packet that left there nearest to its arrival: no time of an end
is in it. Truth of the half that ends beside the tap: zero. A direction is judged if it has 20 samples. It is right if the median lies within 15 % or 300 µs of the
truth's and the 95th percentile is at most twice the truth's 90th plus 2 ms (`--exact`, for runs in virtual time: within
1 % or 20 µs). Of the directions with 200 data segments
the share with 20 samples is stated as well, and how many running minima (`rtt_to_target_ns`, `rtt_to_initiator_ns`) lie
within 15 % or 300 µs of the least truth.
"""

import argparse
import bisect
import collections
import dataclasses
import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "walker"))  # before this folder: both have a module `figures`

import between  # noqa: E402
import both_ends  # noqa: E402
import figures  # noqa: E402
import packets  # noqa: E402
import reports  # noqa: E402
import streams  # noqa: E402
from runs import TAPS  # noqa: E402

ENDS = ("target", "initiator")
BESIDE = {"ini": "initiator", "tgt": "target"}  # tap → the end that it stands at
FEWEST = 20  # samples of a direction that is judged
MANY = 200  # data segments of a direction that should have as many samples
MILLISECOND = 1e6  # ns
WITHIN, EXACT = (0.15, 0.3 * MILLISECOND), (0.01, 0.02 * MILLISECOND)    # share of the truth, or ns
WORST = 40  # directions shown


@dataclasses.dataclass
class Direction:
    """One half of the path, as one report states it and as the two taps show it. Times in ns."""

    run: str
    tap: str
    end: str
    stream: int
    whole: bool  # the sender's whole round trip
    segments: int
    samples: int
    median: int | None
    p95: int | None
    minimum: int | None
    truth: list  # sorted
    within: tuple = WITHIN

    @property
    def half(self):
        return f"{self.tap}, data to {self.end}" if self.whole else f"{self.tap} → {self.end}"

    @property
    def judged(self):
        return self.samples >= FEWEST and bool(self.truth)

    @property
    def off(self):
        """By how much the median is wrong, 1 being the most that is right."""
        return off(self.median, figures.quantile(self.truth, .5), self.within)

    @property
    def p95_off(self):
        """The same of the 95th percentile."""
        return self.p95 / (2 * figures.quantile(self.truth, .9) + 2 * MILLISECOND)

    @property
    def right(self):
        return self.off <= 1 and self.p95_off <= 1

    @property
    def minimum_right(self):
        return off(self.minimum, self.truth[0], self.within) <= 1


def off(value, truth, within):
    return abs(value - truth) / max(within[0] * truth, within[1])


def tap(path, servers):
    """Packets and connections of one capture, without the PDUs, which `between` does not need."""
    found = packets.capture(path)
    return types.SimpleNamespace(packets=found, connections=streams.connections(found, servers),
                                 damaged=[packet for packet in found if packet.damaged])


def names(connections):
    """name of the connection at both taps → Connection"""
    return {(c.name, c.client.isn, c.server.isn): c for c in connections}


def crossings(way):
    """name → [(sent, arrived, carries data)] of one direction of the network, by connection."""
    by_ports = collections.defaultdict(list)
    for c in way.sender.connections:
        by_ports[(c.client.address, c.client.port, c.server.address, c.server.port)].append(c)
    found = collections.defaultdict(list)
    for sent, arrived in way.pairs:
        ports = (sent.src, sent.sport, sent.dst, sent.dport)
        if not way.to_target:
            ports = ports[2:] + ports[:2]
        same = [c for c in by_ports.get(ports, ()) if c.first_frame <= sent.frame]
        if same:
            c = same[-1]
            found[c.name, c.client.isn, c.server.isn].append((sent.time, arrived.time, sent.length > 0))
    if way.how == "bytes":
        for name, moments in bytes_crossed(way).items():
            found[name] += moments
    return {name: sorted(moments) for name, moments in found.items()}


def bytes_crossed(way):
    """The same for the bytes that were sent once, where an offload makes other segments at the two taps."""
    arrived, found = names(way.receiver.connections), collections.defaultdict(list)
    for name, c in names(way.sender.connections).items():
        sent = c.client if way.to_target else c.server
        again = [(repeat.start, repeat.end) for repeat in sent.facts.repeats]
        if name not in arrived:
            continue
        there = arrived[name].client if way.to_target else arrived[name].server
        for piece in there.pieces:
            source = sent.seen_first(piece.end - 1)
            if source and not any(start < piece.end <= end for start, end in again):
                found[name].append((source.time, piece.time, True))
    return found


def there_and_back(there, back, data_only):
    """Sorted truth: for each segment its delay there and that of the packet sent back nearest to its arrival."""
    left = [sent for sent, _, _ in back]
    found = []
    for sent, arrived, data in there if left else ():
        if data or not data_only:
            at = bisect.bisect_left(left, arrived)
            near = min(range(max(at - 1, 0), min(at + 1, len(left))), key=lambda i: abs(left[i] - arrived))
            found.append(arrived - sent + back[near][1] - back[near][0])
    return sorted(found)


def directions(name, taps, answers, data_only):
    """Yields the Directions of one run. `taps` and `answers` (reports): by tap."""
    to_target, to_initiator = map(crossings, between.between(taps["ini"], taps["tgt"]))
    for where in TAPS:
        by_frame = {c.first_frame: key for key, c in names(taps[where].connections).items()}
        figures_of = {(row["stream"], row["direction"]): row for row in answers[where]["tcp"]}
        for session in answers[where]["sessions"]:
            for connection in session["connections"]:
                key = by_frame.get(connection["first_frame"])
                for end in ENDS:
                    row = figures_of.get((connection["stream"], f"to_{end}"))
                    ways = (to_target, to_initiator) if end == "target" else (to_initiator, to_target)
                    there, back = (way.get(key, []) for way in ways)
                    if row is None or not there or not back:
                        continue
                    truth = there_and_back(there, back, data_only)
                    yield Direction(name, where, end, connection["stream"], True, row["segments"],
                                    row["round_trip_samples"], row["round_trip_median_ns"], row["round_trip_p95_ns"],
                                    row["round_trip_min_ns"], truth)
                    if end == BESIDE[where]:
                        truth = [0] * len(truth)
                    yield Direction(name, where, end, connection["stream"], False, row["segments"], row["rtt_samples"],
                                    row["rtt_median_ns"], row["rtt_p95_ns"], connection[f"rtt_to_{end}_ns"], truth)


def judged(program, folder, data_only=False):
    """Yields the Directions of all runs."""
    found = both_ends.runs(folder)
    answers = reports.reports(program, [run.paths[where] for run in found for where in TAPS])
    for name, _, paths in found:
        of_run = dict(zip(TAPS, (next(answers), next(answers))))
        bad = [answer for answer in of_run.values() if isinstance(answer, reports.Failure)]
        if bad:
            print(f"LEFT OUT: {name}: {bad[0]}", file=sys.stderr)
            continue
        servers = frozenset(c["target_port"] for answer in of_run.values() for s in answer["sessions"]
                            for c in s["connections"]) or frozenset({3260})
        taps = {where: tap(paths[where], servers) for where in TAPS}
        yield from directions(name, taps, of_run, data_only)


def line(title, rows):
    enough = [d for d in rows if d.judged]
    many = [d for d in rows if d.segments >= MANY and d.truth]
    least = [d for d in rows if d.minimum is not None and d.truth]
    right = sum(d.right for d in enough)
    return (f"{title:24} {len(rows):5} {len(enough):7} {right:6} {100 * right / len(enough) if enough else 0:6.1f} "
            f"{sum(d.off > 1 for d in enough):7} {sum(d.p95_off > 1 for d in enough):5} "
            f"{sum(d.judged for d in many):6} of {len(many):<5} {sum(d.minimum_right for d in least):6} of {len(least)}")


def show(title, rows):
    print(f"{title:24} {'all':>5} {'judged':>7} {'right':>6} {'%':>6} {'median':>7} {'95 %':>5} "
          f"{'sampled of 200+':15} {'minimum right':>14}")
    for where in TAPS:
        for end in ENDS:
            of_line = [d for d in rows if (d.tap, d.end) == (where, end)]
            if of_line:
                print(line(of_line[0].half, of_line))
    print(line("all", rows))
    wrong = sorted((d for d in rows if d.judged and not d.right), key=lambda d: -max(d.off, d.p95_off))
    if wrong:
        print(f"Wrong ({len(wrong)}): segments, truth (least, median, 90 %) | samples, reported (median, 95 %, least)")
    for d in wrong[:WORST]:
        truth = " ".join(f"{figures.quantile(d.truth, q) / MILLISECOND:9.3f}" for q in (0, .5, .9))
        stated = " ".join(f"{value / MILLISECOND:9.3f}" for value in (d.median, d.p95, d.minimum or 0))
        print(f"  {d.run:48} {d.stream:3} {d.half:24} {d.segments:6} {truth} | {d.samples:6} {stated}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folder", help="folder of runs")
    parser.add_argument("--data", action="store_true", help="the truth of segments with data only")
    parser.add_argument("--exact", action="store_true", help="the bars of runs in virtual time")
    options = parser.parse_args()
    rows = list(judged(os.path.abspath(options.program), options.folder, options.data))
    if options.exact:
        for row in rows:
            row.within = EXACT
    if not rows:
        print(f"There is nothing to judge in {options.folder}.", file=sys.stderr)
        sys.exit(2)
    show("half", [d for d in rows if not d.whole])
    print()
    show("whole round trip", [d for d in rows if d.whole])


if __name__ == "__main__":
    main()
