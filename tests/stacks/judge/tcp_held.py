# SPDX-License-Identifier: GPL-2.0-or-later
"""The time in which the data of one direction waited for an ACK, from the captures at both ends of a connection.

In: a Flow, that is one direction of a connection as the taps at its sender and at its receiver show it.
Out: `held(flow, due)` gives a Held. Units: nanoseconds, bytes, packets.

The evidence is judged for each interval between two first transmissions of this direction at its sender's tap. The data
waited for an ACK, up to its arrival, if the data left within the reaction time (200 µs or an eighth of the least round
trip, whichever is longer) after that arrival, and if one of these holds, all but the first only with data in flight:
1. The data lay beyond the receive window that the receiver had advertised before.
2. A loss was being repaired: a first transmission had not reached the receiver's tap, and no ACK covered it yet.
3. The congestion window may have been full: at least ten packets were in flight, which is the initial window (RFC
   6928), and at least 60 % of the most that were in flight since the last silence of 200 ms (without a loss or a
   silence a congestion window does not shrink). After the first repeat of the direction two packets are enough,
   because a loss makes the window small.
4. At least ten packets were in flight, or the data is the rest of a PDU whose beginning had left before: the sender had
   it, and its send buffer or its window held it.
5. Nagle's algorithm held it: it is less than a full segment, a segment of that kind was in flight, and the sender never
   sends such a segment while another one is not acknowledged (less than one time in twenty).
None of it counts if the packet with that ACK, or a later one, brought what the PDU answers: the data did not exist
before. After the last first transmission the data waits until the end if a loss is never repaired.
The receiver's part of such a wait lies between the last arrival of data at its tap and the leaving of the ACK that let
the sender go on. It counts if the receive window was closed (1) and it is longer than the reaction time, or if it is
longer than 20 ms, which an ACK that is not held back does not take.
"""

import bisect
import itertools
import typing

import spans

REACTION, REACTION_SHARE = 200_000, 8
INITIAL_WINDOW = 10  # packets
SILENCE, FULL_SHARE = 200_000_000, 0.6
HELD_ACK = 20_000_000
EXCEPTIONS = 20  # one in so many small segments may be sent against Nagle's algorithm
END = 1 << 63  # later than every packet


class Flow(typing.NamedTuple):
    """One direction. `sent` is the stream at its sender's tap and `answers` the opposite stream there; `arrived` is the
    stream at its receiver's tap. `left`: frame at the sender's tap → when that packet of the receiver left its tap.
    `there` and `back`: the least one-way delays of this direction and of the opposite one, by the taps' own clocks."""

    sent: typing.Any
    answers: typing.Any
    arrived: typing.Any
    left: dict
    there: int
    back: int

    @property
    def reaction(self):
        return max(REACTION, (self.there + self.back) // REACTION_SHARE)


class Held(typing.NamedTuple):
    """`waits`: spans on the clock of the sender's tap in which data waited for an ACK; `own`: those of them that rest
    on 4 or 5 alone, which are the sender's settings. `by_receiver`: spans on the clock of the receiver's tap in which
    it kept its window closed or the ACK to itself."""

    waits: list
    own: list
    by_receiver: list


class Heard(typing.NamedTuple):
    """A packet of the receiver at the sender's tap, and what was known there before it came."""

    frame: int
    time: int
    acked: int
    edge: int  # the end of the receive window


def packets_of(flow):
    """The receiver's packets at the sender's tap, each with the highest ACK and the window end known before it."""
    rises = {frame: offset for frame, _, offset in flow.answers.facts.acks}
    found, acked, edge = [], 0, None
    for frame, time, window in flow.answers.facts.windows:
        found.append(Heard(frame, time, acked, edge if edge is not None else END))
        acked = rises.get(frame, acked)
        edge = acked + window
    return found


def transmissions(flow):
    """[(start, end, [times])] of the segments that were sent again."""
    found = {}
    for segment in flow.sent.facts.segments:
        if segment.first is not None and segment.size > 1:
            first = segment.first
            sent = found.setdefault((first.start, first.end), [(first.time, first.ident)])
            sent.append((segment.time, segment.ident))
    return [(start, end, sent) for (start, end), sent in found.items()]


def arrived_first(flow, end, sent):
    """Whether the first of the transmissions `sent` of the bytes before `end` is the one that reached the receiver."""
    piece = flow.arrived.seen_first(end - 1)
    if piece is None:
        return False
    idents = [ident for _, ident in sent]
    if all(idents) and len(set(idents)) == len(idents) and piece.segment.ident in idents:
        return piece.segment.ident == idents[0]
    return piece.time < sent[1][0] + flow.there


def repairs(flow):
    """The spans at the sender's tap from the first transmission of lost data to the ACK that covers it."""
    acks, again = flow.answers.facts.acks, transmissions(flow)
    offsets = [offset for _, _, offset in acks]
    lost = [(sent[0][0], end) for _, end, sent in again if not arrived_first(flow, end, sent)]
    once = {(start, end) for start, end, _ in again}
    lost += [(segment.time, segment.end) for segment in flow.sent.facts.segments
             if segment.new and (segment.start, segment.end) not in once
             and flow.arrived.seen_first(segment.end - 1) is None and (not offsets or offsets[-1] < segment.end)]

    def acked(end):
        place = bisect.bisect_left(offsets, end)
        return acks[place][1] + 1 if place < len(acks) else END
    return spans.merged((since, acked(end)) for since, end in lost)


class Flight:
    """Packets in flight before each of the receiver's packets: `before`, and `most` since the last silence."""

    def __init__(self, segments, heard, full):
        self.before, self.most = [], []
        top = low = count = most = 0
        for one in heard:
            while low < top and segments[low].end <= one.acked:
                count -= -(-segments[low].size // full)
                low += 1
            while top < len(segments) and segments[top].frame < one.frame:
                if top and segments[top].time - segments[top - 1].time > SILENCE:
                    most = 0
                count += -(-segments[top].size // full)
                top += 1
                most = max(most, count)
            while low < top and segments[low].end <= one.acked:
                count -= -(-segments[low].size // full)
                low += 1
            self.before.append(count)
            self.most.append(most)


def full_size(flow):
    """The payload of a full segment."""
    sizes = [facts.mss for facts in (flow.sent.facts, flow.answers.facts) if facts.mss]
    timestamps = flow.sent.facts.timestamps and flow.answers.facts.timestamps
    return max(1, min(sizes, default=1460) - (12 if timestamps else 0))


def lies_in(found, time):
    """Whether one of the spans holds the moment, ends included."""
    place = bisect.bisect_right(found, (time, END)) - 1
    return place >= 0 and time <= found[place][1]


def follows_nagle(flow, segments, full):
    """Whether the sender keeps less than a full segment back while another such segment is not acknowledged."""
    acks, place, acked, small, against, last = flow.answers.facts.acks, 0, 0, 0, 0, 0
    for segment in segments:
        while place < len(acks) and acks[place][0] < segment.frame:
            acked = acks[place][2]
            place += 1
        if segment.size % full:
            small += 1
            against += last > acked
            last = segment.end
    return against * EXCEPTIONS < small


class Judge:
    """Decides for each interval between first transmissions whether the data waited for an ACK, and why."""

    def __init__(self, flow, due):
        self.flow, self.due, self.full = flow, due, full_size(flow)
        self.segments = [segment for segment in flow.sent.facts.segments if segment.new]
        self.heard, self.lost = packets_of(flow), repairs(flow)
        self.frames = [one.frame for one in self.heard]
        self.first_repeat = min((repeat.frame for repeat in flow.sent.facts.repeats), default=END)
        self.flight = Flight(self.segments, self.heard, self.full)
        self.nagle = follows_nagle(flow, self.segments, self.full)

    def released_by(self, before, segment):
        """The places in `heard` (first, last) of the packets after which the segment left at once; None without one,
        or if they brought what the segment answers."""
        low = bisect.bisect_right(self.frames, before.frame)
        high = bisect.bisect_right(self.frames, segment.frame)
        while low < high and self.heard[low].time < segment.time - self.flow.reaction:
            low += 1
        if low == high or self.due.get(segment.start, -1) >= self.frames[low]:
            return None
        return low, high - 1

    def reason(self, place, before, segment):
        """The number of the evidence that the segment waited for the packet at `place`, None without any."""
        one, packets = self.heard[place], self.flight.before[place]
        enough = 2 if one.frame > self.first_repeat else max(INITIAL_WINDOW, FULL_SHARE * self.flight.most[place])
        small = segment.size % self.full and before.size % self.full
        evidence = {1: segment.end > one.edge, 2: packets and lies_in(self.lost, one.time), 3: packets >= enough,
                    4: packets >= INITIAL_WINDOW or packets and segment.start not in self.due,
                    5: packets and self.nagle and small}
        return next((number for number, holds in evidence.items() if holds), None)


def held(flow, due):
    """The Held of a flow. `due`: offset of each PDU of this direction → frame at the sender's tap that brought the
    last of what this PDU answers (-1: nothing)."""
    judge, found = Judge(flow, due), Held([], [], [])
    arrivals = [segment.time for segment in flow.arrived.facts.segments]
    for before, segment in itertools.pairwise(judge.segments):
        places = judge.released_by(before, segment)
        reason = places and judge.reason(places[0], before, segment)
        if not reason:
            continue
        last = judge.heard[places[1]]
        found.waits.append((before.time, last.time))
        if reason > 3:
            found.own.append((before.time, last.time))
        left = flow.left.get(last.frame, last.time - flow.back)
        place = bisect.bisect_right(arrivals, left) - 1
        if place >= 0 and left - arrivals[place] > (flow.reaction if reason == 1 else max(HELD_ACK, flow.reaction)):
            found.by_receiver.append((arrivals[place], left))
    if judge.lost and judge.lost[-1][1] == END:
        found.waits.append((judge.segments[-1].time, END))
    return Held(*map(spans.merged, found))
