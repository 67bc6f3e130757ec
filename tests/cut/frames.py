# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of a capture: read, cut, joined as GRO joins them, some removed, written as a pcap file of nanoseconds."""
import dataclasses
import random
import struct
import subprocess
import tempfile

ETHERNET, LINUX_SLL, LINUX_SLL2, RAW = 1, 113, 276, 101
MAGIC_NS = 0xA1B23C4D


@dataclasses.dataclass
class Frame:
    time_ns: int
    data: bytes
    length: int  # on the wire


def read(path):
    """Returns link type and frames of a capture that editcap can read; .zst is unpacked first."""
    with tempfile.TemporaryDirectory(prefix="iscsiscope-cut-") as folder:
        plain = path
        if path.endswith(".zst"):
            plain = folder + "/capture"
            with open(plain, "wb") as out:
                subprocess.run(["zstd", "-dcq", path], stdout=out, check=True)
        subprocess.run(["editcap", "-F", "nsecpcap", plain, folder + "/ns"], check=True, capture_output=True)
        with open(folder + "/ns", "rb") as f:
            content = f.read()
    magic, _, _, _, _, _, link = struct.unpack_from("<IHHiIII", content)
    assert magic == MAGIC_NS, hex(magic)
    frames, at = [], 24
    while at + 16 <= len(content):
        s, ns, kept, length = struct.unpack_from("<IIII", content, at)
        frames.append(Frame(s * 10**9 + ns, content[at + 16:at + 16 + kept], length))
        at += 16 + kept
    return link, frames


def write(path, link, frames, snap=262144):
    """Writes the frames, each cut to its first `snap` bytes."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", MAGIC_NS, 2, 4, 0, 0, 262144, link))
        for frame in frames:
            kept = frame.data[:snap]
            f.write(struct.pack("<IIII", frame.time_ns // 10**9, frame.time_ns % 10**9, len(kept), frame.length))
            f.write(kept)


def is_cut(frames):
    return any(len(f.data) < f.length for f in frames)


@dataclasses.dataclass
class Segment:
    flow: bytes
    ip: int  # offset of the IP header in the frame
    version: int
    tcp: int
    payload: int
    sequence: int
    acknowledgment: int
    flags: int
    length: int  # of the payload


def segment_of(link, data):
    """The TCP segment of a frame, or None."""
    at = {ETHERNET: 12, LINUX_SLL: 14, LINUX_SLL2: 0}.get(link)
    if link == RAW:
        ip = 0
    elif at is None or len(data) < at + 2:
        return None
    else:
        kind = struct.unpack_from("!H", data, at)[0]
        ip = {ETHERNET: 14, LINUX_SLL: 16, LINUX_SLL2: 20}[link]
        while kind == 0x8100 and link == ETHERNET:
            kind = struct.unpack_from("!H", data, ip + 2)[0]
            ip += 4
        if kind not in (0x0800, 0x86DD):
            return None
    if len(data) < ip + 20:
        return None
    version = data[ip] >> 4
    if version == 4:
        if data[ip + 9] != 6 or struct.unpack_from("!H", data, ip + 6)[0] & 0x3FFF:
            return None
        tcp = ip + 4 * (data[ip] & 15)
        total = struct.unpack_from("!H", data, ip + 2)[0] or len(data) - ip
        addresses = data[ip + 12:ip + 20]
    elif version == 6:
        if data[ip + 6] != 6:
            return None
        tcp = ip + 40
        total = 40 + struct.unpack_from("!H", data, ip + 4)[0]
        addresses = data[ip + 8:ip + 40]
    else:
        return None
    ports, sequence, acknowledgment, offset, flags = struct.unpack_from("!4sIIBB", data, tcp)
    payload = tcp + 4 * (offset >> 4)
    return Segment(addresses + ports, ip, version, tcp, payload, sequence, acknowledgment, flags,
                   ip + total - payload)


def joined(link, frames, most, any_length=False):
    """Consecutive segments of a sender joined, up to `most`, as generic receive offload does: same acknowledgment,
    same flags, equal lengths but for the last, which may be shorter and then ends the group, as does PSH. any_length:
    as a sender's segmentation offload does, which holds whatever is to be sent, and PSH only if there is no more. The
    joined frame comes when its last segment came."""
    out, group, last = [], [], None

    def flush():
        nonlocal group
        if len(group) > 1:
            first, s = group[0]
            data = bytearray(first.data[:s.payload + s.length])
            for frame, t in group[1:]:
                data += frame.data[t.payload:t.payload + t.length]
            total = sum(g.length for _, g in group)
            if s.version == 4:
                struct.pack_into("!H", data, s.ip + 2, s.payload - s.ip + total)
                struct.pack_into("!H", data, s.ip + 10, 0)
                struct.pack_into("!H", data, s.ip + 10, checksum(data[s.ip:s.tcp]))
            else:
                struct.pack_into("!H", data, s.ip + 4, s.payload - s.ip - 40 + total)
            data[s.tcp + 13] |= group[-1][1].flags & 0x08
            struct.pack_into("!H", data, s.tcp + 16, 0)
            struct.pack_into("!H", data, s.tcp + 16, checksum(pseudo_header(data, s, total) + data[s.tcp:]))
            out.append(Frame(group[-1][0].time_ns, bytes(data), len(data)))
        else:
            out.extend(frame for frame, _ in group)
        group = []

    for frame in frames:
        s = segment_of(link, frame.data)
        if s is None or s.length <= 0 or s.flags & 0x27:
            flush()
            out.append(frame)
            continue
        if group:
            _, g = group[-1]
            fits = (s.flow == g.flow and s.sequence == (g.sequence + g.length) & 0xFFFFFFFF
                    and s.acknowledgment == g.acknowledgment and (any_length or not g.flags & 0x08)
                    and (g.length == group[0][1].length and s.length <= g.length or any_length) and len(group) < most
                    and sum(t.length for _, t in group) + s.length < 65000)
            if not fits:
                flush()
        group.append((frame, s))
    flush()
    return out


def pseudo_header(data, s, total):
    length = s.payload - s.tcp + total
    if s.version == 4:
        return data[s.ip + 12:s.ip + 20] + struct.pack("!HH", 6, length)
    return data[s.ip + 8:s.ip + 40] + struct.pack("!II", length, 6)


def checksum(content):
    """RFC 1071."""
    content = bytes(content) + b"\0" * (len(content) % 2)
    total = sum(struct.unpack(f"!{len(content) // 2}H", content))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def kept_of(frames, share, seed):
    """The indexes of the frames without a share of them, as a capture drops them."""
    chance = random.Random(seed)
    return [i for i in range(len(frames)) if chance.random() >= share]
