# SPDX-License-Identifier: GPL-2.0-or-later
"""The time in which TCP, not the sender's program, held the data of one direction back, from the captures at both ends.

In: a Flow, that is one direction of a connection as the taps at its sender and at its receiver show it.
Out: `held(flow, due)` gives the spans (on the clock of the sender's tap) in which TCP held the data back, and those (on
the clock of the receiver's tap) in which the receiver did: it kept its window closed or an ACK to itself.
Units: nanoseconds, bytes, packets.

The evidence is judged for each interval between two first transmissions of this direction at its sender's tap. TCP held
the data back up to the arrival of an ACK if the data left within the reaction time (200 µs or an eighth of the least
round trip, whichever is longer) after that arrival, and one of these holds for the moment before it:
- the data lay beyond the receive window that the receiver had advertised;
- a loss was being repaired: a first transmission had not reached the receiver's tap, and no ACK covered it yet;
- before the first repeat of the direction: at least ten packets were in flight, which is the initial congestion window
  (RFC 6928), so that the congestion window may have been full. A sender that stops with less is held by its own buffer
  or program;
- behind a repeat, which leaves the congestion window unknown: data was in flight, and the data that left is the rest of
  a PDU whose beginning had left before, or at least two packets were in flight.
None of it counts if the packet with that ACK, or a later one, brought what the PDU answers: the data did not exist
before. Behind the last first transmission TCP holds the data until the end if a loss is never repaired.
The receiver's part lies between the last arrival of data at its tap and the leaving of the ACK that let the sender go
on. It counts if it is longer than the reaction time.
"""

import bisect
import itertools
import typing

import spans

REACTION, REACTION_SHARE = 200_000, 8
INITIAL_WINDOW = 10  # packets
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
            found.setdefault((first.start, first.end), [(first.time, first.ident)]).append((segment.time, segment.ident))
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
    acks = flow.answers.facts.acks
    offsets, found = [offset for _, _, offset in acks], []
    again = {(start, end) for start, end, _ in transmissions(flow)}
    for start, end, sent in transmissions(flow):
        if not arrived_first(flow, end, sent):
            place = bisect.bisect_left(offsets, end)
            found.append((sent[0][0], acks[place][1] + 1 if place < len(acks) else END))
    for segment in flow.sent.facts.segments:
        if segment.new and (segment.start, segment.end) not in again and flow.arrived.seen_first(segment.end - 1) is None:
            place = bisect.bisect_left(offsets, segment.end)
            if place == len(acks):
                found.append((segment.time, END))
    return spans.merged(found)


class Flight:
    """Packets in flight before each of a row of moments, which must come in order."""

    def __init__(self, segments, full):
        self.segments, self.full = segments, full
        self.top = self.low = self.count = 0

    def packets(self, segment):
        return -(-segment.size // self.full)

    def at(self, time, acked):
        """The packets sent before `time` and not covered by `acked`."""
        while self.top < len(self.segments) and self.segments[self.top].time < time:
            self.count += self.packets(self.segments[self.top])
            self.top += 1
        while self.low < self.top and self.segments[self.low].end <= acked:
            self.count -= self.packets(self.segments[self.low])
            self.low += 1
        return self.count


def full_size(flow):
    """The payload of a full segment."""
    sizes = [facts.mss for facts in (flow.sent.facts, flow.answers.facts) if facts.mss]
    timestamps = flow.sent.facts.timestamps and flow.answers.facts.timestamps
    return max(1, min(sizes, default=1460) - (12 if timestamps else 0))


def lies_in(found, time):
    """Whether one of the spans holds the moment, ends included."""
    place = bisect.bisect_right(found, (time, END)) - 1
    return place >= 0 and time <= found[place][1]


def held(flow, due):
    """(spans at the sender's tap, spans at the receiver's tap). `due`: offset of a PDU of this direction → frame at the
    sender's tap that brought the last of what this PDU answers."""
    segments = [segment for segment in flow.sent.facts.segments if segment.new]
    if not segments:
        return [], []
    heard, lost = packets_of(flow), repairs(flow)
    frames = [one.frame for one in heard]
    first_repeat = min((repeat.frame for repeat in flow.sent.facts.repeats), default=END)
    flight, arrivals = Flight(segments, full_size(flow)), [segment.time for segment in flow.arrived.facts.segments]
    at_sender, at_receiver = [], []

    def released_by(before, segment):
        """The packets (first, last) of the receiver that let the segment go; None if the sender's program did."""
        low, high = bisect.bisect_right(frames, before.frame), bisect.bisect_right(frames, segment.frame)
        while low < high and heard[low].time < segment.time - flow.reaction:
            low += 1
        if low == high:
            return None
        first = heard[low]
        in_flight = flight.at(first.time, first.acked)
        if due.get(segment.start, -1) >= first.frame or not in_flight:
            return None
        if segment.end <= first.edge and not lies_in(lost, first.time):
            if first.frame < first_repeat:
                if in_flight < INITIAL_WINDOW:
                    return None
            elif segment.start in due and in_flight < 2:
                return None
        return first, heard[high - 1]

    for before, segment in itertools.pairwise(segments):
        found = released_by(before, segment)
        if found is None:
            continue
        last = found[1]
        at_sender.append((before.time, last.time))
        left = flow.left.get(last.frame, last.time - flow.back)
        place = bisect.bisect_right(arrivals, left) - 1
        if place >= 0 and left - arrivals[place] > flow.reaction:
            at_receiver.append((arrivals[place], left, before.time, last.time))
    if lost and lost[-1][1] == END:
        at_sender.append((segments[-1].time, END))
    return spans.merged(at_sender), at_receiver
