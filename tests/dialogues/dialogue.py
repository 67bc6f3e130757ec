# SPDX-License-Identifier: GPL-2.0-or-later
"""A dialogue: what the two ends of some sessions do, as a script; its capture; and its truth.

    d = Dialogue(Path(rate=10e9, to_tap=us(20), to_target=us(80)))
    s = d.session(depth=2)
    s.read(lun=0, size=65536, service=ms(2), lose=[("data", 30000, "behind")])
    s.think(ms(5))
    s.write(lun=1, size=262144, immediate=8192, burst=65536, service=ms(1), late=[us(300)])
    d.run()
    d.write("x.pcap"); d.truth()
"""
import dataclasses

import ledger
import pdus
import wire
from ends import Initiator, Target
from tcp import End, Link, Loop


def us(n):
    return round(n * 1_000)


def ms(n):
    return round(n * 1_000_000)


@dataclasses.dataclass
class Path:
    """One-way delays in nanoseconds: initiator to tap, tap to target, and back; the rate of either end's link."""
    rate: float = 10e9
    to_tap: int = us(20)
    to_target: int = us(80)
    target_to_tap: int = None
    tap_to_initiator: int = None

    def __post_init__(self):
        if self.target_to_tap is None:
            self.target_to_tap = self.to_target
        if self.tap_to_initiator is None:
            self.tap_to_initiator = self.to_tap


@dataclasses.dataclass
class Task:
    type: str
    lun: int = 0
    lba: int = 0
    size: int = 0              # bytes
    service: int = 0           # the target's time until the first data, of a Write until the status
    pauses: list = ()          # (offset, time): the sender of the data waits before that byte
    lose: list = ()            # (command, data, r2t or status; offset of the data; before or behind), of the tap
    status_after: int = None   # of a Read: the status is a PDU of its own, so long after the data
    immediate: int = 0
    unsolicited: int = 0
    burst: int = 65536         # bytes that one R2T asks for
    outstanding: int = 1       # R2Ts
    r2t_service: int = 0       # the target's time before R2Ts
    late: list = (0,)          # the host's time before it answers each R2T; the last one holds for the rest
    sense: bytes = b""         # the command ends with CHECK CONDITION and this, without data (a Write: immediate data only)
    gives: int = None          # bytes that a Read gets; the residual says so
    closes: int = 0            # after the status the target does not raise MaxCmdSN for so long
    # What happens:
    tag: int = 0
    since: int = 0             # the target has had everything that it asked for since then
    asked: int = 0
    answered: int = 0
    r2ts: int = 0
    due: set = None
    answer_there: int = None   # when the status reached the initiator
    left: int = None           # when the command left it
    begins: int = None         # when the command passed the tap, and the status did, in order
    ends: int = None


    @property
    def comes(self):
        """The bytes of the Data-In of a Read."""
        return self.size if self.gives is None else self.gives

    @property
    def residual(self):
        return 0 if self.type == pdus.WRITE and not self.sense else self.size - (0 if self.sense else self.comes)


class Session:
    def __init__(self, dialogue, number, depth, acks, stamps, mss, window, pdu_size, turnaround, start, hosts, cwnd):
        self.dialogue, self.number, self.depth, self.acks, self.stamps = dialogue, number, depth, acks, stamps
        self.mss = mss - 12 if stamps else mss
        self.window, self.pdu_size, self.turnaround = window, pdu_size, turnaround
        self.start, self.hosts, self.cwnd = start, hosts, cwnd
        self.spacing, self.login_time, self.first_cmd_sn = us(2), us(300), 1
        self.round_trip = sum(dataclasses.astuple(dialogue.path)[1:])
        self.isid = bytes((0x80, 0, 0, 0, 0, number))
        self.items, self.frames = [], []

    def read(self, **what):
        self.items.append(Task(pdus.READ, **what))

    def write(self, **what):
        self.items.append(Task(pdus.WRITE, **what))

    def control(self, **what):
        self.items.append(Task(pdus.CONTROL, **what))

    def think(self, time):
        """The host gives no work for so long once nothing is open."""
        self.items.append(time)

    def tasks(self):
        return [x for x in self.items if isinstance(x, Task)]

    def _keys(self, more):
        keys = ("HeaderDigest=None", "DataDigest=None", "InitialR2T=No", "ImmediateData=Yes", "MaxBurstLength=16776192",
                "FirstBurstLength=262144", "MaxOutstandingR2T=16", "MaxConnections=1", "ErrorRecoveryLevel=0",
                "MaxRecvDataSegmentLength=%d" % self.pdu_size, *more)
        return "".join(k + "\0" for k in keys).encode()

    def initiator_keys(self):
        return self._keys(("InitiatorName=iqn.2001-04.com.example:host", "SessionType=Normal",
                           "TargetName=iqn.2001-04.com.example:disk%d" % self.number))

    def target_keys(self):
        return self._keys(("TargetPortalGroupTag=1",))


class Dialogue:
    def __init__(self, path):
        self.path, self.sessions = path, []

    def session(self, depth=1, acks="push", stamps=True, mss=1460, window=32, pdu_size=65536, turnaround=us(10),
                start=0, hosts=0, cwnd=None):
        """hosts: sessions of one number are between the same two hosts and share their links. acks: "each" segment,
        "push" (each second one and each that ends what was given to TCP), or "second" (each second one, else after
        40 ms). cwnd: what becomes of the congestion window after idleness (tcp.Window); None: there is none."""
        self.sessions.append(Session(self, len(self.sessions), depth, acks, stamps, mss, window, pdu_size, turnaround,
                                     start, hosts, cwnd))
        return self.sessions[-1]

    def run(self):
        loop = Loop()
        links = {}
        for s in self.sessions:
            mine = links.setdefault(s.hosts, (Link(loop, self.path.rate), Link(loop, self.path.rate)))
            self._connect(loop, mine, s)
        loop.run()

    def _connect(self, loop, links, s):
        path = self.path
        ends = []

        def cross(frame):
            near, far = ((path.target_to_tap, path.tap_to_initiator) if frame.from_target
                         else (path.to_tap, path.to_target))
            frame.tap = frame.left + near
            s.frames.append(frame)
            if not frame.lose:
                loop.after(frame.tap + far - loop.now, arrive, frame)

        def arrive(frame):
            if not frame.flags & wire.SYN:
                ends[0 if frame.from_target else 1].receive(frame)
            elif frame.from_target:
                ends[0].control(wire.ACK)
                ends[0].send([pdus.login_request(s, s.initiator_keys())])
            else:
                ends[1].control(wire.SYN | wire.ACK)

        for side in (0, 1):
            ends.append(End(loop, links[side], cross, s, 0x10000000 * (3 + 5 * side) + 7919 * s.number, side == 1))
        for side in (0, 1):
            ends[side].peer = ends[1 - side]
            ends[side].peer_isn = ends[1 - side]._isn
        s.initiator, s.target = Initiator(loop, ends[0], s), Target(loop, ends[1], s)
        loop.after(s.start, ends[0].control, wire.SYN)

    def seen(self):
        """What the tap sees: (session, frame) in order of time."""
        frames = [(f.tap, n, i, s, f) for n, s in enumerate(self.sessions) for i, f in enumerate(s.frames)
                  if f.lose != "before"]
        return [(s, f) for _, _, _, s, f in sorted(frames, key=lambda x: x[:3])]

    def packets(self):
        """What the tap sees: (time, bytes) in order of time."""
        return ((f.tap, wire.packet(f, *self._addresses(s, f))) for s, f in self.seen())

    def write(self, name):
        wire.write_pcap(name, self.packets())

    @staticmethod
    def _addresses(session, frame):
        """Of the sender and of the receiver: MAC, address, port."""
        ends = [(bytes((2, 0, 0, 0, 0, n)), bytes((192, 0, 2, n)), port)
                for n, port in ((1 + 2 * session.hosts, 40000 + session.number), (2 + 2 * session.hosts, 3260))]
        return ends[::-1] if frame.from_target else ends

    def truth(self):
        return ledger.of_dialogue(self)
