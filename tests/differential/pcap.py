# SPDX-License-Identifier: GPL-2.0-or-later
"""A small reader and writer of pcap files (either byte order, µs and ns), and TCP segments out of their frames
(Ethernet with 802.1Q, Linux cooked v1 and v2, IPv4). Made for the tests: an eye of its own on the captures."""

import collections
import struct

MAGIC = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
ETHERNET, LINUX_SLL, LINUX_SLL2 = 1, 113, 276

Frame = collections.namedtuple("Frame", "record length captured data")  # record: header and data as in the file
# payload: what is in the file; length: what passed (by the IP header); at: offset of the payload in the frame
Segment = collections.namedtuple("Segment", "frame key seq flags payload length")
SYN, ACK = 0x02, 0x10


class Pcap:
    def __init__(self, content):
        self.order = MAGIC[content[:4]]
        self.header = content[:24]
        self.link = struct.unpack_from(self.order + "I", content, 20)[0] & 0x0FFFFFFF
        self.frames = []
        at = 24
        while at + 16 <= len(content):
            captured, length = struct.unpack_from(self.order + "II", content, at + 8)
            data = content[at + 16:at + 16 + captured]
            self.frames.append(Frame(content[at:at + 16 + captured], length, captured, data))
            at += 16 + captured

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
