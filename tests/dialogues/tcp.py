# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP as far as a tap sees it: one end of a connection, the links of hosts, and the events of a dialogue.

An end cuts what it is given into segments, acknowledges in one of three ways, and repairs losses (RFC 5681, 6675,
6298): after three duplicate ACKs, else after a timeout. It has a congestion window only where the session has one
(RFC 5681, RFC 6928), and always room to receive.
All offsets are those of the stream; wire_seq and wire_ack are what the frame says.
"""
import dataclasses
import heapq

from wire import ACK, PSH, SYN

DELAYED_ACK = 40_000_000  # nanoseconds
MIN_TIMEOUT = 200_000_000
INITIAL_WINDOW = 10  # segments


class Window:
    """A congestion window in segments. It doubles in a round trip while it is full, and begins anew after idleness
    as the session has it: "anew" (RFC 5681 section 4.1), "halved" for each timeout (RFC 2861, Linux), or "kept". None:
    there is no window."""

    def __init__(self, after_idle, timeout):
        self._after_idle, self._timeout, self._last = after_idle, timeout, None
        self._size, self._filled = INITIAL_WINDOW, False

    def room(self, in_flight):
        if self._after_idle is None or in_flight < self._size:
            return True
        self._filled = True
        return False

    def sent(self, now):
        self._last = now

    def idle_until(self, now):
        """Nothing is in flight, and something will be sent."""
        self._filled = False
        timeouts = 0 if self._last is None else (now - self._last) // self._timeout
        if timeouts and self._after_idle == "anew":
            self._size = INITIAL_WINDOW
        elif self._after_idle == "halved":
            self._size = max(INITIAL_WINDOW, self._size >> min(timeouts, 30))

    def acknowledged(self, segments):
        """It grows if it has been full since something is in flight (RFC 7661, as Linux does)."""
        self._size += segments if self._filled else 0

    def lost(self):
        self._size = max(2, self._size // 2)


class Loop:
    """Events in order of time; those of one time in the order in which they were made."""

    def __init__(self):
        self.now, self._made, self._events = 0, 0, []

    def after(self, delay, call, *args):
        self._made += 1
        heapq.heappush(self._events, (self.now + delay, self._made, call, args))

    def run(self):
        while self._events:
            self.now, _, call, args = heapq.heappop(self._events)
            call(*args)


class Link:
    """What one host sends: one frame after another at the rate of the link."""

    def __init__(self, loop, rate):
        self._loop, self._rate, self._free = loop, rate, 0

    def send(self, frame):
        frame.left = max(self._loop.now, self._free)
        frame.wire = round((len(frame.data) + 90 + (12 if frame.stamps else 0)) * 8e9 / self._rate)
        self._free = frame.left + frame.wire


@dataclasses.dataclass(slots=True)
class Frame:
    seq: int
    data: bytes
    handed: int                # when its bytes were given to TCP
    pdu: object = None         # that of its first byte
    starts_pdu: bool = False   # its first byte is the first one of that PDU
    flags: int = ACK
    lose: str = ""             # before or behind the tap
    repeat: bool = False
    sacked: bool = False
    ack: int = 0
    sack: tuple = ()
    stamps: tuple = ()
    mss: int = 0
    ident: int = 0
    wire_seq: int = 0
    wire_ack: int = 0
    left: int = 0              # when it left its sender
    wire: int = 0              # how long it needs on the link
    tap: int = 0
    from_target: bool = False

    @property
    def end(self):
        return self.seq + len(self.data)


class End:
    def __init__(self, loop, link, cross, settings, isn, from_target):
        """cross(frame): takes a frame to the tap and to the peer."""
        self._loop, self._link, self._cross, self._settings = loop, link, cross, settings
        self._isn, self.peer_isn, self.from_target = isn, 0, from_target
        self._ident = isn >> 8
        self.next = self.una = 0          # of what it sends
        self._flight, self._timer, self._duplicates, self._recover = [], 0, 0, -1
        self._wait = 0
        self._window, self._held = Window(settings.cwnd, MIN_TIMEOUT + settings.round_trip), []
        self.received = 0                 # in order
        self._ahead, self._due, self._ack_timer = {}, 0, 0
        self._pdus, self.deliver, self._echo = [], None, 0
        self.sent = []                    # (first offset, end, PDU)
        self.peer = None

    # Sending.
    def send(self, pdus):
        """Gives PDUs to TCP; they leave at once, as far as the link is free."""
        data = b"".join(p.data for p in pdus)
        starts, at = [], self.next
        for p in pdus:
            starts.append((at, p))
            at += len(p.data)
            self.peer._pdus.append((at, p))
            self.sent.append((starts[-1][0], at, p))
        lost = [x for start, p in starts for x in _losses(p, start)]
        holder, filled = 0, 0
        if self._held:  # the last segment that waits is filled up
            last = self._held[-1]
            filled = min(len(data), self._settings.mss - len(last.data))
            last.data += data[:filled]
            if filled == len(data):
                last.flags |= PSH
        for first in range(filled, len(data), self._settings.mss):
            piece = data[first:first + self._settings.mss]
            seq = self.next + first
            while holder + 1 < len(starts) and starts[holder + 1][0] <= seq:
                holder += 1
            frame = Frame(seq, piece, self._loop.now, starts[holder][1], starts[holder][0] == seq,
                          ACK | (PSH if first + len(piece) == len(data) else 0))
            for at, place in lost:
                if seq <= at < seq + len(piece):
                    frame.lose = place
            self._held.append(frame)
        self.next += len(data)
        if not self._flight:
            self._window.idle_until(self._loop.now)
        self._release()

    def _release(self):
        """What the congestion window has room for leaves."""
        while self._held and self._window.room(len(self._flight)):
            frame = self._held.pop(0)
            if not self._flight:
                self._start_timer()
            self._flight.append(frame)
            self._window.sent(self._loop.now)
            self._transmit(frame)

    def control(self, flags):
        """A frame without payload."""
        frame = Frame(self._held[0].seq if self._held else self.next, b"", self._loop.now, flags=flags, mss=self._settings.mss + self._settings.stamps * 12)
        self._transmit(frame)

    def _transmit(self, frame):
        syn = bool(frame.flags & SYN)
        frame.ack, frame.from_target = self.received, self.from_target
        frame.wire_seq = self._isn + (0 if syn else 1 + frame.seq)
        frame.wire_ack = self.peer_isn + 1 + frame.ack if frame.flags & ACK else 0
        if self._settings.stamps:
            frame.stamps = (self._loop.now // 1_000_000 + (self._isn & 0xFFFF), self._echo)
        if not frame.data and not syn:
            # The range that grew last comes first (RFC 2018); the others follow.
            ranges = self._ranges()
            frame.sack = tuple((self.peer_isn + 1 + a, self.peer_isn + 1 + b) for a, b in ranges[:3])
        self._ident += 1
        frame.ident = self._ident
        self._due, self._ack_timer = 0, self._ack_timer + 1
        self._link.send(frame)
        self._cross(frame)

    def _ranges(self):
        ranges = []
        for seq in sorted(self._ahead):
            end = seq + self._ahead[seq]
            if ranges and ranges[-1][1] >= seq:
                ranges[-1][1] = end
            else:
                ranges.append([seq, end])
        return sorted(ranges, key=lambda r: not r[0] <= self._newest < r[1])

    # Repair.
    def _start_timer(self, factor=1):
        self._timer += 1
        self._wait = factor * (MIN_TIMEOUT + self._settings.round_trip)
        self._loop.after(self._wait, self._timeout, self._timer, factor)

    def _timeout(self, timer, factor):
        if timer == self._timer and self._flight:
            self._recover = self._sent_to()
            self._window.lost()
            self._repair()
            self._start_timer(2 * factor)

    def _sent_to(self):
        return self._held[0].seq if self._held else self.next

    def _repair(self):
        old = next(f for f in self._flight if not f.sacked)
        again = dataclasses.replace(old, lose="", repeat=True)
        self._flight[self._flight.index(old)] = again
        self._transmit(again)

    def _acknowledged(self, frame):
        for first, end in frame.sack:
            for f in self._flight:
                f.sacked = f.sacked or first <= self._isn + 1 + f.seq and self._isn + 1 + f.end <= end
        if frame.ack > self.una:
            self.una, self._duplicates = frame.ack, 0
            was = len(self._flight)
            self._flight = [f for f in self._flight if f.end > self.una]
            if self.una >= self._recover:
                self._window.acknowledged(was - len(self._flight))
            self._timer += 1
            if self._flight:
                self._start_timer()
            head = self._flight[0] if self._flight else None
            if head and self.una < self._recover and not head.repeat and any(f.sacked for f in self._flight):
                self._repair()
            self._release()
        elif frame.sack and self._flight:
            self._duplicates += 1
            if self._duplicates == 3 and self.una >= self._recover:
                self._recover = self._sent_to()
                self._window.lost()
                self._repair()

    # Receiving.
    def receive(self, frame):
        if frame.stamps:
            self._echo = frame.stamps[0]
        self._acknowledged(frame)
        if not frame.data:
            return
        if frame.seq > self.received:
            self._ahead[frame.seq], self._newest = len(frame.data), frame.seq
            self.control(ACK)
            return
        filled = bool(self._ahead)
        self.received = max(self.received, frame.end)
        while self.received in self._ahead:
            self.received += self._ahead.pop(self.received)
        self._due += 1
        way = self._settings.acks
        if filled or frame.repeat or way == "each" or self._due >= 2 or way == "push" and frame.flags & PSH:
            self.control(ACK)
        else:
            self._ack_timer += 1
            self._loop.after(DELAYED_ACK, self._late_ack, self._ack_timer)
        while self._pdus and self._pdus[0][0] <= self.received:
            self.deliver(self._pdus.pop(0)[1])

    def _late_ack(self, timer):
        if timer == self._ack_timer and self._due:
            self.control(ACK)


def _losses(pdu, start):
    """The stream offsets of a PDU that its task's script loses, with the place."""
    if pdu.task is None:
        return
    for what, at, place in pdu.task.lose:
        if what == pdu.what == "data" and pdu.at <= at < pdu.at + pdu.size:
            yield start + 48 + at - pdu.at, place
        elif what == pdu.what != "data":
            yield start, place
