# SPDX-License-Identifier: GPL-2.0-or-later
"""A small reader and writer of pcap files (either byte order, µs and ns), and TCP segments out of their frames
(Ethernet with 802.1Q, Linux cooked v1 and v2, IPv4); `classic` makes a pcap file of a pcapng file with one interface.
Made for the tests: an eye of its own on the captures."""

import collections
import struct

MAGIC = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
ETHERNET, LINUX_SLL, LINUX_SLL2 = 1, 113, 276

Frame = collections.namedtuple("Frame", "record length captured data")  # record: header and data as in the file
# payload: what is in the file; length: what passed (by the IP header); at: offset of the payload in the frame
Segment = collections.namedtuple("Segment", "frame key seq flags payload length")
SYN, ACK = 0x02, 0x10


NANOSECONDS = (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6  # blocks of pcapng
RESOLUTION = 9  # option of an interface


def resolution(options):
    """Units of time per second of a little-endian pcapng interface with these options."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from("<HH", options, at)
        if code == RESOLUTION:
            value = options[at + 4]
            return 2 ** (value & 127) if value & 128 else 10 ** value
        at += 4 + (length + 3) // 4 * 4
    return 10 ** 6


def classic(content):
    """The content as a pcap file in nanoseconds if it is little-endian pcapng with one interface, else itself."""
    if content[:4] != struct.pack("<I", SECTION):
        return content
    records, at, link, snap, units = [], 0, None, 0, 10 ** 6
    while at + 12 <= len(content):
        kind, length = struct.unpack_from("<II", content, at)
        if kind == INTERFACE:
            if link is not None:
                raise ValueError("more than one interface")
            link, _, snap = struct.unpack_from("<HHI", content, at + 8)
            units = resolution(content[at + 16:at + length - 4])
        elif kind == PACKET:
            high, low, captured, wire = struct.unpack_from("<4I", content, at + 12)
            time = ((high << 32) + low) * 10 ** 9 // units
            records.append(struct.pack("<4I", *divmod(time, 10 ** 9), captured, wire)
                           + content[at + 28:at + 28 + captured])
        at += length
    return struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap, link) + b"".join(records)


class Pcap:
    def __init__(self, content):
        self.order = MAGIC[content[:4]]
        self.nanoseconds = content[:4] in NANOSECONDS
        self.header = content[:24]
        self.link = struct.unpack_from(self.order + "I", content, 20)[0] & 0x0FFFFFFF
        self.frames = []
        at = 24
        while at + 16 <= len(content):
            captured, length = struct.unpack_from(self.order + "II", content, at + 8)
            data = content[at + 16:at + 16 + captured]
            self.frames.append(Frame(content[at:at + 16 + captured], length, captured, data))
            at += 16 + captured

    def time(self, frame):
        """Nanoseconds since 1970."""
        seconds, part = struct.unpack_from(self.order + "II", frame.record)
        return seconds * 10 ** 9 + part * (1 if self.nanoseconds else 1000)

    def without_first(self, count):
        return self.header + b"".join(f.record for f in self.frames[count:])

    def cut_to(self, snap):
        parts = [self.header[:16], struct.pack(self.order + "I", snap), self.header[20:]]
        for f in self.frames:
            data = f.data[:snap]
            parts += [f.record[:8], struct.pack(self.order + "II", len(data), f.length), data]
        return b"".join(parts)

    def segments(self):
        """TCP segments with their frame numbers (from 1). A frame too short for its TCP header is left out."""
        for number, frame in enumerate(self.frames, 1):
            segment = self._segment(number, frame.data)
            if segment:
                yield segment

    def _segment(self, number, d):
        if self.link == ETHERNET:
            at = 12
            while d[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
                at += 4
            kind, ip = d[at:at + 2], at + 2
        elif self.link == LINUX_SLL:
            kind, ip = d[14:16], 16
        elif self.link == LINUX_SLL2:
            kind, ip = d[0:2], 20
        else:
            raise ValueError(f"link type {self.link}")
        if kind != b"\x08\x00" or len(d) < ip + 40 or d[ip + 9] != 6:
            return None
        tcp = ip + (d[ip] & 15) * 4
        total = struct.unpack_from(">H", d, ip + 2)[0]
        sport, dport, seq = struct.unpack_from(">HHI", d, tcp)
        start = tcp + (d[tcp + 12] >> 4) * 4
        length = ip + total - start
        key = d[ip + 12:ip + 16], sport, d[ip + 16:ip + 20], dport
        return Segment(number, key, seq, d[tcp + 13], d[start:ip + total], length)
