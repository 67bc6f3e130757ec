# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP connections and the byte streams of their two directions.

In: the list of packets of one capture (packets.capture).
Out: `connections(packets, servers)` gives a list of Connection, each with `.client` and `.server`, the Direction that
this side sends. Damaged packets are not taken. Where a repeat carries other bytes, the first bytes are kept.
Units: stream offsets in bytes, 0 is the first byte after the SYN; times in integer nanoseconds.
"""
from bisect import bisect_right

from packets import ACK, RST, SYN
from tcpfacts import Facts, Segment

HALF, FULL = 1 << 31, 1 << 32


class Piece:
    """Bytes [start, end) of a stream that this tap saw first in one frame."""
    __slots__ = ('start', 'end', 'frame', 'time', 'payload', 'segment')

    def __init__(self, start, end, packet, payload, segment):
        self.start, self.end, self.payload, self.segment = start, end, payload, segment
        self.frame, self.time = packet.frame, packet.time


class Direction:
    """What one side of a connection sent, as this tap saw it."""

    def __init__(self, address, port):
        self.address, self.port = address, port
        self.base = None        # Sequence number of offset 0.
        self.isn = None         # Of this side's own SYN.
        self.begins = False     # The start of the stream is known.
        self.top = 0            # Highest end of the segments seen.
        self.acked = 0          # Highest offset that the other side acknowledged.
        self.cut = 0            # Bytes of new data that the file does not hold.
        self.pieces, self.starts = [], []
        self.facts = Facts()
        self._reached = None

    def offset(self, number):
        """The offset of a sequence number, counted on beyond 2^32."""
        distance = (number - self.base - self.top) % FULL
        return self.top + (distance - FULL if distance >= HALF else distance)

    def set_base(self, number, begins):
        if self.base is None or (begins and not self.begins and not self.pieces):
            self.base, self.begins = number % FULL, begins

    def overlaps(self, start, end):
        """The pieces that hold bytes of [start, end)."""
        at = max(bisect_right(self.starts, start) - 1, 0)
        found = []
        while at < len(self.pieces) and self.pieces[at].start < end:
            if self.pieces[at].end > start:
                found.append(self.pieces[at])
            at += 1
        return found

    def add(self, packet):
        """Takes the payload of a packet: returns its Segment."""
        start = self.offset(packet.seq)
        end = start + packet.length
        segment = Segment(packet, start, end)
        low, gaps = max(start, 0), []
        old = self.overlaps(low, end) if low < self.top else []
        for piece in old:
            if piece.start > low:
                gaps.append((low, piece.start))
            low = piece.end
        if low < end:
            gaps.append((low, end))
        for first, last in gaps:
            piece = Piece(first, last, packet, packet.payload[first - start:last - start], segment)
            self.cut += last - first - len(piece.payload)
            at = bisect_right(self.starts, first)
            self.pieces.insert(at, piece)
            self.starts.insert(at, first)
        segment.new = sum(last - first for first, last in gaps)
        segment.late = bool(gaps) and end <= self.top
        if old:
            segment.first = old[0].segment
            for piece in old:
                if piece.segment.size != segment.size:
                    piece.segment.mixed = segment.mixed = True
        self.top = max(self.top, end)
        return segment

    def holes(self):
        """Ranges [start, end) that this tap never saw although the other side acknowledged them."""
        found, low = [], 0
        for piece in self.pieces:
            if piece.start > low and low < self.acked:
                found.append((low, min(piece.start, self.acked)))
            low = max(low, piece.end)
        if self.begins and low < self.acked - 1:         # The FIN counts as one.
            found.append((low, self.acked))
        return found if self.begins else []

    def joined(self):
        """The bytes of the stream up to its first hole that was not acknowledged; acknowledged holes are zeros."""
        parts, at = [], 0
        for piece in self.pieces:
            if piece.start > at:
                if piece.start > self.acked:
                    break
                parts.append(bytes(piece.start - at))
            parts.append(piece.payload)
            missing = piece.end - piece.start - len(piece.payload)
            if missing:
                parts.append(bytes(missing))
            at = piece.end
        return b''.join(parts)

    def seen_first(self, offset):
        """The piece that holds the byte at `offset`; None if none does."""
        found = self.overlaps(offset, offset + 1)
        return found[0] if found else None

    def seen_whole(self, start, end):
        """The last of the pieces, in capture order, that hold bytes of [start, end)."""
        return max(self.overlaps(start, end), key=lambda piece: piece.frame)

    def delivered(self, end):
        """The piece with whose arrival the stream reached `end` in order (capture order, acknowledged holes ignored)."""
        if self._reached is None:
            self._reached, latest = [], None
            for piece in self.pieces:
                if latest is None or piece.frame > latest.frame:
                    latest = piece
                self._reached.append(latest)
        return self._reached[bisect_right(self.starts, end - 1) - 1]


class Connection:
    """One TCP connection. `client` and `server` are what each side sent."""

    def __init__(self, client, server, packet):
        self.client, self.server = Direction(*client), Direction(*server)
        self.first_frame, self.first_time = packet.frame, packet.time
        self.last_frame, self.last_time = packet.frame, packet.time
        self.strays = 0         # Packets whose numbers do not belong to this connection.

    @property
    def name(self):
        def end(side):
            return f'[{side.address}]:{side.port}' if ':' in side.address else f'{side.address}:{side.port}'
        return f'{end(self.client)}>{end(self.server)}'

    def take(self, packet):
        """Takes one packet of this connection."""
        self.last_frame, self.last_time = packet.frame, packet.time
        own, other = self.client, self.server
        if (packet.src, packet.sport) != (own.address, own.port):
            own, other = other, own
        if packet.flags & SYN:
            own.isn = packet.seq
            own.set_base(packet.seq + 1, True)
            if packet.flags & ACK:
                other.set_base(packet.ack, True)
        elif own.base is None and not packet.flags & RST:
            own.set_base(packet.seq, False)
        if packet.flags & ACK and other.base is None and not packet.flags & RST:
            other.set_base(packet.ack, False)
        segment = None
        if packet.length and own.base is not None and not packet.flags & (SYN | RST):
            if abs(own.offset(packet.seq) - own.top) > 1 << 30:
                self.strays += 1
                return
            segment = own.add(packet)
        own.facts.see(packet, segment, own, other)


def connections(packets, servers=frozenset({3260})):
    """The connections of a capture in the order of their first packets."""
    latest, found = {}, []
    for packet in packets:
        if packet.kind != 'tcp' or packet.damaged:
            continue
        source, target = (packet.src, packet.sport), (packet.dst, packet.dport)
        key = (source, target) if source < target else (target, source)
        connection = latest.get(key)
        if connection and packet.flags & (SYN | ACK) == SYN:
            side = connection.client if source == (connection.client.address, connection.client.port) \
                else connection.server
            if side.isn != packet.seq:
                connection = None
        if connection is None:
            if packet.dport in servers or packet.sport in servers:
                to_server = packet.dport in servers
            elif packet.flags & SYN:
                to_server = not packet.flags & ACK
            else:
                to_server = packet.dport < packet.sport
            pair = (source, target) if to_server else (target, source)
            connection = latest[key] = Connection(*pair, packet)
            found.append(connection)
        connection.take(packet)
    return found
