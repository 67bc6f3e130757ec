#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that begin in the middle: the first N frames removed, for several N. Of every direction of every
connection all PDUs from the second whole one on are found (whole: its bytes were first seen after the cut), with the
same times, and none that the full capture does not have."""

import collections

from common import Program, Verdict, captures, figure, packed_path, unpack
from pcap import Pcap

STARTS = (1, 2, 5, 11, 23)  # frames, and shares of the capture:
SHARES = (0.02, 0.1, 0.25, 0.37, 0.5, 0.68, 0.8, 0.9, 0.97)
TIMES = ("time_ns", "complete_ns", "delivered_ns")
# What a header says: two PDUs of a capture that agree in all of it do not exist except as retransmissions.
IDENTITY = ("direction", "opcode", "itt", "ttt", "lun", "data_length", "cmd_sn", "stat_sn", "exp_stat_sn", "data_sn",
            "buffer_offset", "cdb")


def identity(pdu):
    return tuple(pdu[c] for c in IDENTITY)


def key(pdu, shift):
    return pdu["direction"], pdu["frame"] + shift, pdu["last_frame"] + shift, identity(pdu)


def visible(rows):
    """PDUs whose whole headers are in the file: others are judged by tests/cut."""
    return [r for r in rows if r["header_bytes"] == 48]


def check(program, verdict, name, capture, full, removed):
    rows = visible(program.rows("pdus", program.file(capture.without_first(removed))))
    found = collections.Counter(key(r, removed) for r in rows)
    times = {key(r, removed): r for r in rows}

    later = collections.defaultdict(list)
    for pdu in full:
        if pdu["frame"] > removed:
            later[pdu["stream"], pdu["direction"]].append(pdu)
    expected = [pdu for pdus in later.values() for pdu in pdus[1:]]
    missed = [pdu for pdu in expected if key(pdu, 0) not in found]
    where = f"{name} without its first {removed} frames"
    verdict.expect(not missed, f"{where}: {len(missed)} of {len(expected)} not found, first: " +
                   ", ".join(f"frame {p['frame']} {p['opcode_name']} {p['direction']}" for p in missed[:3]))
    true = {identity(pdu) for pdu in full}
    false = [r for r in rows if identity(r) not in true]
    verdict.expect(not false, f"{where}: {len(false)} PDUs that are not there, first: " +
                   ", ".join(f"frame {r['frame'] + removed} {r['opcode_name']}" for r in false[:3]))
    for pdu in expected:
        row = times.get(key(pdu, 0))
        if row:
            for column in TIMES:
                verdict.expect(row[column] == pdu[column],
                               f"{where}: frame {pdu['frame']}: {column} {row[column]}, {pdu[column]} in the full one")
    return len(expected), len(missed), len(false)


def main():
    program, verdict = Program(), Verdict()
    totals = [0, 0, 0]
    runs = 0
    for name in captures():
        verdict.begin()
        capture = Pcap(unpack(name))
        count = len(capture.frames)
        full = visible(program.rows("pdus", packed_path(name)))
        full.sort(key=lambda p: (p["time_ns"], p["frame"]))
        sums = [0, 0, 0]
        cuts = sorted({n for n in (*STARTS, *(int(s * count) for s in SHARES)) if 0 < n < count})
        for removed in cuts:
            for i, value in enumerate(check(program, verdict, name, capture, full, removed)):
                sums[i] += value
        totals = [a + b for a, b in zip(totals, sums)]
        runs += len(cuts)
        figure(f"{name}: {len(cuts)} starts, {sums[0] - sums[1]} of {sums[0]} later PDUs found, {sums[2]} false")
    figure(f"mid-stream: {runs} starts, {totals[0] - totals[1]} of {totals[0]} later PDUs found, {totals[2]} false, "
           f"{verdict.failures} differences")
    verdict.finish()


main()
