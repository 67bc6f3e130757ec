# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture frame by frame, as a script: hosts, TCP connections, silence, ends.

    c = Capture()
    host, disk = c.host("192.0.2.10"), c.host("192.0.2.50", ttl=63)
    t = c.connect(host, disk, rtt=us(200))
    t.send("initiator", b"...")
    c.wait(seconds(2))
    t.fin("target"); t.rst("initiator")
    c.write("x.pcap")

What an end sends passes the tap at the capture's clock, and not before that end can have answered what passed before:
each step of a script moves the clock. Steps of several connections are in the order in which the script has them.
Nothing here knows iSCSI (iscsi_script.py does), and nothing decides by itself: losses, silence and repeats are steps.
Times are in nanoseconds.
"""
import dataclasses
import ipaddress

import wire

MSS = 1460
TURNAROUND = 10_000  # of an end that answers at once


def us(n):
    return round(n * 1_000)


def ms(n):
    return round(n * 1_000_000)


def seconds(n):
    return round(n * 1_000_000_000)


@dataclasses.dataclass
class Host:
    address: bytes
    mac: bytes
    ttl: int
    ident: int = 0


@dataclasses.dataclass
class Frame:
    """What wire.packet needs."""
    flags: int
    wire_seq: int
    wire_ack: int
    data: bytes = b""
    ident: int = 0
    mss: int = MSS
    sack: tuple = ()
    stamps: tuple = ()


class Capture:
    def __init__(self):
        self.now, self._hosts, self._frames, self._ports = 0, 0, [], 40000

    def host(self, address, mac=None, ttl=64):
        self._hosts += 1
        return Host(ipaddress.ip_address(address).packed, mac or bytes((2, 0, 0, 0, 0, self._hosts)), ttl)

    def wait(self, time):
        self.now += time

    def connect(self, initiator, target, **how):
        """A connection with its handshake (see Connection)."""
        connection = self.connection(initiator, target, **how)
        connection.handshake()
        return connection

    def connection(self, initiator, target, **how):
        """One of which nothing has passed yet; its port is a new one unless `source_port` names it."""
        self._ports += 1
        how.setdefault("source_port", self._ports)
        return Connection(self, initiator, target, **how)

    def add(self, time, data):
        """A frame as bytes, at any time."""
        self._frames.append((time, len(self._frames), data))

    def frames(self):
        return [(time, data) for time, _, data in sorted(self._frames)]

    def write(self, name):
        wire.write_pcap(name, self.frames())


class Connection:
    """rtt: of the whole way; tap: where on it the capture is, 0 at the initiator, 1 at the target. rate: of the links,
    bit/s. acks: False: the ends send no ACKs without data."""

    def __init__(self, capture, initiator, target, rtt=us(200), tap=0.5, port=3260, source_port=0, rate=10e9,
                 acks=True, mss=MSS):
        self.capture, self.hosts = capture, {"initiator": initiator, "target": target}
        self.ports = {"initiator": source_port, "target": port}
        self.round_trip_to = {"initiator": round(rtt * tap), "target": round(rtt * (1 - tap))}
        self.rate, self.acks, self.mss = rate, acks, mss
        self.next = {"initiator": 0x30000000 + 7919 * source_port, "target": 0x80000000 + 7919 * source_port}
        self.acked = {"initiator": 0, "target": 0}   # what that end has received: the ACK that it sends
        self.heard = {"initiator": None, "target": None}  # when the last frame towards that end passed
        self.last = {"initiator": [], "target": []}  # the segments of that end's last data

    def handshake(self):
        self.syn("initiator")
        self.syn("target")
        self.ack("initiator")

    @staticmethod
    def other(side):
        return "target" if side == "initiator" else "initiator"

    def syn(self, side):
        """Of the initiator a SYN, of the target a SYN with ACK."""
        self.can_answer(side)
        self._frame(side, wire.SYN | (wire.ACK if side == "target" else 0), self.capture.now)
        self.next[side] += 1
        self.acked[self.other(side)] = self.next[side]

    def refuse(self):
        """The target's RST for a SYN."""
        self.can_answer("target")
        self.acked["target"] = self.next["initiator"]
        self._frame("target", wire.RST | wire.ACK, self.capture.now, seq=0)

    def ack(self, side):
        self.can_answer(side)
        self._frame(side, wire.ACK, self.capture.now)

    def send(self, side, data, lost=False, acks=None):
        """Data of that end in segments. lost: they pass the tap and never arrive. acks: whether the other end
        acknowledges each."""
        self.can_answer(side)
        self.last[side] = []
        pieces = [data[at:at + self.mss] for at in range(0, len(data), self.mss)]
        for i, piece in enumerate(pieces):
            flags = wire.ACK | (wire.PSH if i + 1 == len(pieces) else 0)
            self.last[side].append((self.next[side], flags, piece))
            self._frame(side, flags, self.capture.now, data=piece)
            self.next[side] += len(piece)
            if not lost:
                self._arrived(side, self.acks if acks is None else acks)
            self.capture.now += round((len(piece) + 66) * 8e9 / self.rate)

    def skip(self, side, data, pure_acks=True):
        """Data that the capture does not have although it arrived."""
        self.next[side] += len(data)
        self._arrived(side, pure_acks)

    def resend(self, side, lost=False):
        """The segments of that end's last data once more, now."""
        for seq, flags, piece in self.last[side]:
            self._frame(side, flags, self.capture.now, data=piece, seq=seq)
            self.capture.now += round((len(piece) + 66) * 8e9 / self.rate)
        if not lost:
            self._arrived(side, self.acks)

    def fin(self, side, lost=False):
        self.can_answer(side)
        self._frame(side, wire.FIN | wire.ACK, self.capture.now)
        self.next[side] += 1
        if not lost:
            self._arrived(side, self.acks)

    def rst(self, side, mac=None, ttl=None, at_once=False):
        """An RST with the address of that end. mac, ttl: those of another machine; at_once: sooner than that end can
        have answered."""
        if at_once:
            self.capture.now += us(1)
        else:
            self.can_answer(side)
        self._frame(side, wire.RST | wire.ACK, self.capture.now, mac=mac, ttl=ttl)

    def close(self, first="initiator"):
        """Both FINs."""
        self.fin(first)
        self.fin(self.other(first))

    def can_answer(self, side):
        """Moves the clock to where this end's answer to what it heard last can pass."""
        if self.heard[side] is not None:
            self.capture.now = max(self.capture.now, self.heard[side] + self.round_trip_to[side] + TURNAROUND)

    def _arrived(self, side, acks):
        other = self.other(side)
        self.acked[other] = self.next[side]
        if acks:
            self._frame(other, wire.ACK, self.capture.now + self.round_trip_to[other] + TURNAROUND // 2,
                        answers=False)

    def _frame(self, side, flags, time, data=b"", seq=None, mac=None, ttl=None, answers=True):
        host, other = self.hosts[side], self.other(side)
        host.ident += 1
        frame = Frame(flags, self.next[side] if seq is None else seq, self.acked[side] if flags & wire.ACK else 0, data,
                      host.ident, self.mss)
        ends = [(self.hosts[s].mac if s == other or mac is None else mac, self.hosts[s].address, self.ports[s])
                for s in (side, other)]
        self.capture.add(time, wire.packet(frame, *ends, ttl=host.ttl if ttl is None else ttl))
        if answers:
            self.heard[other] = time
