#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture grown from copies of a small one (tests/bench/grow) has the PDUs and times of each copy, on connections
of its own, also where many run at the same time, and then no two neighbouring frames are of one connection: so the
benchmarks measure what they say."""

import collections
import struct
import subprocess
import sys

from common import Program, Verdict, captures, figure, packed_path, unpack

COPIES = 5
ABREAST = 64
SAME = ("direction", "opcode", "itt", "data_length", "cmd_sn", "stat_sn", "header_digest", "data_digest")


def shape(rows):
    """Per stream, the PDUs with their times counted from the stream's first."""
    streams = collections.defaultdict(list)
    for row in rows:
        streams[row["stream"]].append(row)
    return [[(*(r[c] for c in SAME), r["delivered_ns"] - rows[0]["time_ns"]) for r in rows]
            for _, rows in sorted(streams.items())]


def initiator_ports(capture):
    """Of each TCP frame of a pcap file without VLAN tags, the higher port."""
    with open(capture, "rb") as file:
        content, at = file.read(), 24
    while at < len(content):
        length = struct.unpack_from("=I", content, at + 8)[0]
        frame = content[at + 16:at + 16 + length]
        if frame[12:14] == b"\x08\0" and frame[23] == 6:
            yield max(struct.unpack_from(">HH", frame, 14 + 4 * (frame[14] & 15)))
        at += 16 + length


def abreast(grow, program, verdict):
    """Two small captures, many copies of both at the same time."""
    names = captures("z06_r2t_pingpong.ini", "z19_application_think_time.ini",
                     bundled=("plain-read.initiator", "r2t-ping-pong.initiator"))
    small = [program.file(unpack(name), f"{name}.pcap") for name in names]
    grown = program.file(b"", "abreast.pcap")
    subprocess.run([grow, "--abreast", str(ABREAST), "--groups", "2", "--copies", str(ABREAST // 2), grown, *small],
                   check=True, stdout=subprocess.DEVNULL)
    ones = [tuple(stream) for name in names for stream in shape(program.rows("pdus", packed_path(name)))]
    many = [tuple(stream) for stream in shape(program.rows("pdus", grown))]
    verdict.expect(collections.Counter(many) == collections.Counter(ones * (ABREAST // 2)),
                   f"abreast: {len(ones)} streams became {len(many)}, or their PDUs differ")
    ports = list(initiator_ports(grown))
    frames = sum(1 for name in small for _ in initiator_ports(name)) * (ABREAST // 2)
    verdict.expect(len(ports) == frames, f"abreast: {len(ports)} frames, not {frames}")
    again = sum(a == b for a, b in zip(ports, ports[1:]))
    verdict.expect(again == 0 and len(set(ports)) == ABREAST, f"abreast: {again} of {len(ports)} frames follow one of "
                   f"their own connection, of which there are {len(set(ports))}")
    figure(f"grow {ABREAST} at a time: {len(ports)} frames, {again} after one of their own connection")


def main():
    grow = sys.argv.pop()
    program, verdict = Program(), Verdict()
    for name in captures("a_read_4MiB_512K_1ms.ini", "e_", "g_", "k_vlan100",
                         bundled=("plain-read", "digests", "mcs-unequal")):
        small = program.file(unpack(name), "small.pcap")
        grown = program.file(b"", "grown.pcap")
        subprocess.run([grow, "--copies", str(COPIES), grown, small], check=True, stdout=subprocess.DEVNULL)
        one, many = shape(program.rows("pdus", packed_path(name))), shape(program.rows("pdus", grown))
        verdict.expect(many == one * COPIES, f"{name}: {len(one)} streams became {len(many)}, or their PDUs differ")
        figure(f"grow {name}: {COPIES} x {len(one)} streams, {sum(map(len, many))} PDUs")
    abreast(grow, program, verdict)
    verdict.finish()


main()
