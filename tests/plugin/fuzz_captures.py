# SPDX-License-Identifier: GPL-2.0-or-later
"""The fuzz corpus as captures. A seed of the stream targets (tests/fuzz/engine_input.h) becomes four connections of
its own among many in one capture; a seed that is a capture file stays one."""

import glob
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STREAM_TARGETS = ("pdu_stream", "tcp_stream", "engine")
FLAGS = (0x02, 0x12, 0x11, 0x04)  # SYN, SYN+ACK, FIN+ACK, RST; else ACK
SEEDS_A_CAPTURE = 300
PCAP = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)  # nanoseconds, Ethernet


def seeds(source, build):
    """Folder by folder: committed ones, those made of the captures into `build`, those of earlier fuzzing."""
    subprocess.run([sys.executable, os.path.join(HERE, "..", "differential", "fuzz_seeds.py"), build], check=False,
                   stdout=subprocess.DEVNULL)
    folders = [os.path.join(source, "tests", "fuzz", "corpus"), build,
               os.environ.get("ISCSISCOPE_FUZZ_CORPUS", os.path.join(source, "build", "fuzz", "corpus"))]
    found = {}
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "*", "*"))):
            found.setdefault(os.path.basename(os.path.dirname(path)), []).append(path)
    return found


def packets(seed, number):
    """As tests/fuzz/engine_input.h reads a seed."""
    sent = [[0, 0] for _ in range(4)]
    identity = 0
    network = bytes([10, number >> 8 & 255, number & 255])
    at = 0
    while len(seed) - at >= 5:
        control, step, wanted, ack, kind = seed[at:at + 5]
        step = step - 256 if step > 127 else step
        payload = seed[at + 5:at + 5 + min(wanted, len(seed) - at - 5)]
        at += 5 + len(payload)
        connection, side = control & 3, control >> 2 & 1
        length = len(payload) * (4 if control & 0x80 else 1)
        flags = FLAGS[kind] if kind < 4 else 0x10
        identity = identity + 1 & 0xFFFF
        ports = [40000 + connection, 3260 if connection < 2 else 13260]
        ends = [network + b"\x01", network + b"\x02"]
        if side:
            ports.reverse()
            ends.reverse()
        own = sent[connection]
        tcp = struct.pack(">HHIIBBHHH", *ports, own[side] + 16 * step & 0xFFFFFFFF,
                          own[1 - side] + ack & 0xFFFFFFFF, 0x50, flags, ack, 0, 0)
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + length, identity, 0, 64, 6, 0) + ends[0] + ends[1]
        if step == 0:
            own[side] += length + (1 if flags & 2 else 0)
        yield (30_000_000 if control & 0x40 else 1000), b"\0" * 12 + b"\x08\x00" + ip + tcp + payload, length


def stream_captures(paths, folder):
    """Writes captures of all these seeds; their paths."""
    made = []
    for first in range(0, len(paths), SEEDS_A_CAPTURE):
        now, records = 0, [PCAP]
        for number, path in enumerate(paths[first:first + SEEDS_A_CAPTURE]):
            with open(path, "rb") as file:
                seed = file.read()
            for step, data, length in packets(seed, number):
                now += step
                records.append(struct.pack("<IIII", now // 10**9, now % 10**9, len(data), 54 + length) + data)
        made.append(os.path.join(folder, "streams-%d.pcap" % first))
        with open(made[-1], "wb") as file:
            file.write(b"".join(records))
    return made


def file_captures(paths, folder, most):
    """Seeds that are files as they are; the fuzz target's first byte says how it is read and is taken off."""
    made = []
    for i, path in enumerate(paths[::max(1, len(paths) // most)][:most]):
        with open(path, "rb") as file:
            seed = file.read()
        magics = (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1", b"\x0a\x0d\x0d\x0a", b"\x28\xb5\x2f\xfd", b"\x1f\x8b")
        made.append(os.path.join(folder, "file-%d" % i))
        with open(made[-1], "wb") as file:
            file.write(seed if seed.startswith(magics) else seed[1:])
    return made
