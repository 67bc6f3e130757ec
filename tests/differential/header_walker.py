# SPDX-License-Identifier: GPL-2.0-or-later
"""Walks iSCSI headers through a capture by TCP sequence number, without the engine: for every PDU its header and
whether all its 48 bytes are in the file. It steps from header to header by their lengths and stops where a header
is not in the file, unless told how to know another."""

import bisect
import collections
import struct

from pcap import ACK, SYN

BHS = 48
Header = collections.namedtuple("Header", "frame opcode itt data_length raw key to_target offset")


class Direction:
    def __init__(self, start):
        self.start = start      # sequence number of stream offset 0
        self.pieces = []        # (offset, end, frame, bytes) of the payload in the file, in file order
        self.top = 0            # end of what passed

    def add(self, segment):
        offset = (segment.seq - self.start + 0x80000000) % 2**32 - 0x80000000
        base = self.top - self.top % 2**32
        offset += base
        if offset < self.top - 2**31:
            offset += 2**32
        self.pieces.append((offset, offset + len(segment.payload), segment.frame, segment.payload))
        self.top = max(self.top, offset + segment.length)

    def reader(self):
        """A function: stream offset -> (48 bytes of header, frame that first carried its first byte), or None."""
        pieces = sorted(self.pieces, key=lambda p: (p[0], p[2]))
        starts = [p[0] for p in pieces]
        longest = max((p[1] - p[0] for p in pieces), default=0)

        def first_carrier(offset):
            best = None
            for i in range(bisect.bisect_right(starts, offset) - 1, -1, -1):
                piece = pieces[i]
                if piece[0] < offset - longest:
                    break
                if piece[1] > offset and (best is None or piece[2] < best[2]):
                    best = piece
            return best

        def read(offset):
            header, frame, at = b"", None, offset
            while len(header) < BHS:
                piece = first_carrier(at)
                if piece is None:
                    return None
                frame = frame or piece[2]
                take = piece[3][at - piece[0]:][:BHS - len(header)]
                header += take
                at += len(take)
            return header, frame

        return read


def flows(capture, ports):
    """Directions of the connections to one of the ports, in order of their SYN, by address and port."""
    found = {}
    for s in capture.segments():
        if not (s.key[1] in ports or s.key[3] in ports):
            continue
        if s.flags & SYN:
            found[s.key] = Direction((s.seq + 1) % 2**32)
        elif s.length > 0 and s.key in found:
            found[s.key].add(s)
    return found


def listening_ports(capture):
    return {s.key[3] for s in capture.segments() if s.flags & (SYN | ACK) == SYN}


def walk(capture, ports, header_digest=False, data_digest=False, resume=None):
    """(headers, stops): the headers of every connection that begins with its SYN, and where the walk of a direction
    stopped because a header is not in the file: (key, offset). With `resume`, a function of a Header, it goes on
    behind a stop at the next header for which the function is true. Digests, where in
    use, are taken to be so from the first PDU behind the login."""
    headers, stops = [], []
    for key, flow in flows(capture, ports).items():
        read, offset = flow.reader(), 0
        # PDUs are padded, so they begin at multiples of 4 of the stream.
        candidates = sorted({at for p in flow.pieces for at in range(p[0] + -p[0] % 4, p[1] - BHS + 1, 4)}) \
            if resume else []
        while offset < flow.top:
            found = read(offset)
            if found is None:
                stops.append((key, offset))
                offset = next_header(read, key, candidates, offset, ports, resume)
                if offset is None:
                    break
                continue
            header = parse(*found, key, offset, ports)
            headers.append(header)
            login = header.opcode in (0x03, 0x23)
            offset += BHS + header.raw[4] * 4 + (header.data_length + 3) // 4 * 4
            offset += 4 * (not login and header_digest) + 4 * (not login and data_digest and header.data_length > 0)
    return headers, stops


def parse(raw, frame, key, offset, ports):
    return Header(frame, raw[0] & 0x3F, word(raw, 16), int.from_bytes(raw[5:8], "big"), raw, key, key[3] in ports, offset)


def word(raw, at):
    return struct.unpack_from(">I", raw, at)[0]


def next_header(read, key, candidates, offset, ports, resume):
    if resume is None:
        return None
    for at in candidates[bisect.bisect_right(candidates, offset):]:
        found = read(at)
        if found and resume(parse(*found, key, at, ports)):
            return at
    return None
