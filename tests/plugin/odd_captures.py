# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that Wireshark's own reassembly gets wrong, made out of clean ones: segments swapped, frames lost by the
capture, packets cut at 128 bytes, an unknown port, a start in the middle. (A PDU above 256 KiB: large-pdus.toml.)"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "differential"))
from pcap import ETHERNET, Pcap  # noqa: E402

SOURCES = ("a_read_4MiB_512K_1ms.ini", "b_write_4MiB_256K_5ms_r2t64k.ini")


def payload_frames(capture):
    return [s.frame - 1 for s in capture.segments() if s.length > 0]


def swapped(capture):
    """Every twentieth segment passes behind its successor of the same direction."""
    bodies = [(f.record[8:16], f.data) for f in capture.frames]
    keys = {s.frame - 1: s.key for s in capture.segments() if s.length > 0}
    frames = sorted(keys)
    for i in range(20, len(frames) - 1, 20):
        one, two = frames[i], frames[i + 1]
        if keys[one] == keys[two]:
            bodies[one], bodies[two] = bodies[two], bodies[one]
    return capture.header + b"".join(f.record[:8] + lengths + data
                                     for f, (lengths, data) in zip(capture.frames, bodies))


def lost(capture):
    """Three frames with payload are not in the file."""
    frames = payload_frames(capture)
    gone = {frames[len(frames) * k // 4] for k in (1, 2, 3)}
    return capture.header + b"".join(f.record for i, f in enumerate(capture.frames) if i not in gone)


def moved_port(capture):
    """13260 instead of 3260. Nobody checks the TCP checksum, which does not fit any more."""
    parts = [capture.header]
    for f in capture.frames:
        data = bytearray(f.data)
        if capture.link == ETHERNET and data[12:14] == b"\x08\x00" and data[23] == 6:
            tcp = 14 + (data[14] & 15) * 4
            for at in (tcp, tcp + 2):
                if struct.unpack_from(">H", data, at)[0] == 3260:
                    struct.pack_into(">H", data, at, 13260)
        parts.append(f.record[:16] + bytes(data))
    return b"".join(parts)


WAYS = {"swapped": swapped, "lost": lost, "cut": lambda c: c.cut_to(128), "port-13260": moved_port,
        "mid-stream": lambda c: c.without_first(len(c.frames) * 37 // 100)}


def make(folder, captures):
    """Path by name of what was made out of the captures (path by name)."""
    made = {}
    for source in SOURCES:
        path = next((p for name, p in captures.items() if source in name), None)
        if path is None:
            continue
        with open(path, "rb") as file:
            capture = Pcap(file.read())
        for way, work in WAYS.items():
            name = way + "." + os.path.basename(path)
            made[name] = os.path.join(folder, name)
            with open(made[name], "wb") as file:
                file.write(work(capture))
    return made
