# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that Wireshark's own reassembly gets wrong, made out of clean ones: segments swapped, frames lost by the
capture, packets cut at 128 bytes, an unknown port, a start in the middle. (A PDU above 256 KiB: large-pdus.toml.)
And IP packets that do not simply follow the Ethernet header: fragments, a tunnel (of all: tests/support/wrappings.py)."""

import os
import struct
import sys

for folder in ("differential", "support"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
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


def other_traffic(port):
    """A capture of one TCP connection to that port that carries no iSCSI."""
    frames, at = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, ETHERNET)], 0
    ends, sequence = [(b"\n\0\0\1", 40000), (b"\n\0\0\2", port)], [1000, 5000]
    for side, flags, text in ((0, 2, b""), (1, 18, b""), (0, 16, b""), (0, 24, b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
                              (1, 24, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), (0, 17, b""), (1, 17, b"")):
        (source, source_port), (destination, target_port) = ends[side], ends[1 - side]
        tcp = struct.pack(">HHIIBBHHH", source_port, target_port, sequence[side], sequence[1 - side], 80, flags, 65535,
                          0, 0) + text
        ip = struct.pack(">BBHHHBBH4s4s", 69, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, destination)
        data = bytes(12) + b"\x08\0" + ip + tcp
        at += 1000
        frames.append(struct.pack("<IIII", 1_700_000_000, at, len(data), len(data)) + data)
        sequence[side] += len(text) + (flags & 3 != 0)
    return b"".join(frames)


def packed(capture, frame, data):
    return frame.record[:8] + struct.pack(capture.order + "II", len(data), frame.length + len(data) - len(frame.data)) + data


def fragmented(capture):
    """Every seventh frame with payload comes as two IP fragments, the second one first at times."""
    parts, chosen = [capture.header], set(payload_frames(capture)[::7])
    for i, f in enumerate(capture.frames):
        if i not in chosen:
            parts.append(f.record)
            continue
        ethernet, ip = f.data[:14], f.data[14:34]
        body = f.data[34:14 + struct.unpack_from(">H", ip, 2)[0]]
        half = len(body) // 16 * 8
        pieces = [packed(capture, f, ethernet + ip[:2] + struct.pack(">H", 20 + len(piece)) + ip[4:6] +
                         struct.pack(">H", field) + ip[8:] + piece)
                  for field, piece in ((0x2000, body[:half]), (half // 8, body[half:]))]
        parts += reversed(pieces) if i % 2 else pieces
    return b"".join(parts)


def tunnelled(capture, protocol, header, inner_from):
    """Each frame within an IP packet of that protocol, behind that header, from its own byte inner_from on."""
    parts = [capture.header[:16] + struct.pack(capture.order + "I", 65535) + capture.header[20:]]
    for f in capture.frames:
        inner = header(len(f.data) - inner_from) + f.data[inner_from:]
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(inner), 0, 0, 64, protocol, 0, b"\xc0\0\2\1", b"\xc0\0\2\2")
        parts.append(packed(capture, f, f.data[:12] + b"\x08\x00" + ip + inner))
    return b"".join(parts)


def vxlan(capture):
    """RFC 7348."""
    return tunnelled(capture, 17, lambda size: struct.pack(">HHHHII", 50000, 4789, 16 + size, 0, 8 << 24, 5 << 8), 0)


WAYS = {"swapped": swapped, "lost": lost, "cut": lambda c: c.cut_to(128), "cut-54": lambda c: c.cut_to(54),
        "cut-80": lambda c: c.cut_to(80), "port-13260": moved_port,
        "mid-stream": lambda c: c.without_first(len(c.frames) * 37 // 100), "fragmented": fragmented, "vxlan": vxlan}


def make(folder, captures, ways=None):
    """Path by name of what was made out of the captures (path by name)."""
    made = {}
    for source in SOURCES:
        path = next((p for name, p in captures.items() if source in name), None)
        if path is None:
            continue
        with open(path, "rb") as file:
            capture = Pcap(file.read())
        for way, work in (ways or WAYS).items():
            name = way + "." + os.path.basename(path)
            made[name] = os.path.join(folder, name)
            with open(made[name], "wb") as file:
                file.write(work(capture))
    return made
