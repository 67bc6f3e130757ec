#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds for the libFuzzer targets out of the captures: fuzz_seeds.py FOLDER makes FOLDER/<target>/<hash>.
Without captures it makes none."""

import hashlib
import os
import re
import sys

import header_walker
from common import capture_folder, captures, packed_path, unpack
from pcap import ETHERNET, Pcap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from wrappings import WRAPPINGS  # noqa: E402

SMALL = 40_000   # bytes of a capture taken whole
SEGMENTS = 120   # of the beginning of a connection
IN_ONE_PIECE = b"\0"  # tests/fuzz/capture_file.cpp: the first byte says in what pieces the file comes
KEY = re.compile(rb"[A-Z][A-Za-z0-9]+=[^\0]*\0")


def records(segments, ports):
    """tests/fuzz/engine_input.h: control, step, length, ACK step, flags, payload."""
    parts = []
    for s in segments:
        side = s.key[1] in ports
        for at in range(0, len(s.payload), 255):
            piece = s.payload[at:at + 255]
            parts.append(bytes([side << 2, 0, len(piece), 0, 9]) + piece)
    return b"".join(parts)


def wrapped_frames(capture):
    """tests/fuzz/frame_decode.cpp: link type's index, length, bytes missing, frame. One seed for each encapsulation, of
    the beginning of a capture of Ethernet frames."""
    frames = [f.data[:120] for f in capture.frames[:12] if f.data[12:14] in (b"\x08\x00", b"\x86\xdd")]
    for wrap in WRAPPINGS.values():
        made = (wrap(f, int.from_bytes(f[12:14], "big"), f[14:], n)[:255] for n, f in enumerate(frames))
        yield b"".join(bytes([0, len(f), 0]) + f for f in made)


def seeds(name):
    packed = packed_path(name)
    content = unpack(name)
    capture = Pcap(content)
    ports = header_walker.listening_ports(capture)
    if os.path.getsize(packed) < SMALL:
        with open(packed, "rb") as file:
            yield "capture_file", IN_ONE_PIECE + file.read()
    beginning = capture.header + b"".join(f.record for f in capture.frames[:SEGMENTS])
    if capture.link == ETHERNET:
        for seed in wrapped_frames(capture):
            yield "frame_decode", seed
    for target in ("capture_file", "report"):  # of both the first byte 0 says: a file, in one piece
        yield target, IN_ONE_PIECE + beginning
    for h in header_walker.walk(capture, ports)[0][:400]:
        yield "pdu_header", h.raw
        if h.opcode == 0x01:
            yield "cdb", h.raw[32:48]
    segments = [s for s in capture.segments() if s.payload and (s.key[1] in ports or s.key[3] in ports)][:SEGMENTS]
    for target in ("tcp_stream", "pdu_stream"):
        yield target, records(segments, ports)
    yield "report", b"\1" + records(segments, ports)  # tests/fuzz/report.cpp: segments, not a file
    yield "batches", b"\7\2\x55" + records(segments, ports)  # tests/fuzz/batches.cpp
    for s in segments:
        found = KEY.search(s.payload[:64])
        if found:
            yield "login_text", b"\x40\x00" + s.payload[found.start():]
        elif s.key[1] in ports and len(s.payload) <= 512:
            yield "scsi_data", s.payload[48:] or s.payload


def main():
    folder = sys.argv[1]
    capture_folder()  # ends here, with a line that says so, where there are none
    count = 0
    for name in captures():
        for target, seed in seeds(name):
            os.makedirs(os.path.join(folder, target), exist_ok=True)
            path = os.path.join(folder, target, hashlib.sha1(seed).hexdigest())
            if not os.path.exists(path):
                count += 1
                with open(path, "wb") as file:
                    file.write(seed)
    print(f"{count} seeds out of the captures in {folder}")


main()
