#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture grown from copies of a small one (tests/bench/grow) has the PDUs and times of each copy, on connections
of its own: so the benchmarks measure what they say."""

import collections
import subprocess
import sys

from common import Program, Verdict, captures, figure, packed_path, unpack

COPIES = 5
SAME = ("direction", "opcode", "itt", "data_length", "cmd_sn", "stat_sn", "header_digest", "data_digest")


def shape(rows):
    """Per stream, the PDUs with their times counted from the stream's first."""
    streams = collections.defaultdict(list)
    for row in rows:
        streams[row["stream"]].append(row)
    return [[(*(r[c] for c in SAME), r["delivered_ns"] - rows[0]["time_ns"]) for r in rows]
            for _, rows in sorted(streams.items())]


def main():
    grow = sys.argv.pop()
    program, verdict = Program(), Verdict()
    for name in captures("a_read_4MiB_512K_1ms.ini", "e_", "g_", "k_vlan100"):
        small = program.file(unpack(name), "small.pcap")
        grown = program.file(b"", "grown.pcap")
        subprocess.run([grow, "--copies", str(COPIES), grown, small], check=True, stdout=subprocess.DEVNULL)
        one, many = shape(program.rows("pdus", packed_path(name))), shape(program.rows("pdus", grown))
        verdict.expect(many == one * COPIES, f"{name}: {len(one)} streams became {len(many)}, or their PDUs differ")
        figure(f"grow {name}: {COPIES} x {len(one)} streams, {sum(map(len, many))} PDUs")
    verdict.finish()


main()
