#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose the busy time of each iSCSI connection was, from the captures at both ends of a run.

In: the captures at the initiator and at the target, the window of the work (seconds since 1970) and the server ports.
Out: JSON with an object `all`, one `work` (what of it lies in the window of the work), and `connections`, a list; each
has busy_ns, its parts transfer_ns, network_ns, target_ns, host_ns, which add up to it, and unasked_ns. For information,
target_settings_ns and host_settings_ns are parts of network_ns, in which the sender waited for an ACK because of its
own settings (Nagle's algorithm, a small send buffer): they could be called its own time as well. `answered` counts the
answered tasks, `left_out` the connections that carried data and that the two captures do not both hold whole.

Busy time is the union, over the tasks of the connection, of the time from the leaving of the SCSI Command to the
delivery of its status, both at the initiator's tap; a task without a status ends with the task management response that
ended it, else with the connection. The rest of the time from the first command to the end of the last task has no task outstanding.

The target holds a task from the delivery, at the target's tap, of all that its next answer needs until that answer has
left there for the first time. A Read or a command without data needs the command, and the target holds it until the
last byte of the status has left. A Write needs the command and the unsolicited data that is due, or the data of all
R2Ts outstanding, and the next answer is the next R2T or the status. The target's time is the union over its tasks, less
the time in which the target's data waited for an ACK (tcp_held.py), plus the time in which the target kept its receive
window closed or an ACK to itself while the initiator had data to send.

The host holds a task in the same way at the initiator's tap: from the first byte of a command to its last, or to the
last unsolicited byte if such data is due, and from the delivery of an R2T to the leaving of the last byte that it asks
for. The host's time is the union, less the time in which its data waited for an ACK, plus the time in which the host
kept its receive window closed or an ACK to itself while the target had data to send.

Transfer is the time that the payload needs, at its receiver's tap, at the highest rate at which its direction was seen
to carry 64 KiB of consecutive new payload without a pause (of less payload, if there is no such run). It is laid before
the arrival of each segment, and earlier where the segments came faster than that.

Each instant of busy time has one owner, the first of these that applies: transfer, target, host, network. All of it is
laid on the initiator's clock. What was seen at the target's tap is moved later by the least one-way delay of the
connection from the target to the initiator: an answer that left there at t cannot be known at the initiator before. One
constant for a connection keeps the length of every span and of every union of spans, and no span leaves the task that
it belongs to; the propagation of both ways then lies before the target's time, and queues and repairs on the way back
behind it. The constant also contains the difference of the two clocks, which for this reason need not be known.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "walker"))

import evidence  # noqa: E402
import spans  # noqa: E402
import tap  # noqa: E402
import tcp_held  # noqa: E402

COMMAND, DATA_OUT, RESPONSE, DATA_IN, R2T = 0x01, 0x05, 0x21, 0x25, 0x31
FINAL, WRITE, UNSOLICITED = 0x80, 0x20, 0xffffffff
LONGEST_RUN, SHORTEST_RUN = 65536, 2048  # bytes over which a rate is measured
FIGURES = ("busy_ns", "transfer_ns", "network_ns", "target_ns", "host_ns", "unasked_ns",
           "target_settings_ns", "host_settings_ns")


class Held:
    """What is outstanding at one end: `spans`, and `due`: offset of a PDU that it sends → the frame that made it due."""

    def __init__(self):
        self.spans, self.due = [], {}

    def add(self, low, high):
        if low is not None and high > low:
            self.spans.append((low, high))


def task_ends(connection):
    """(frame of the command, task tag) → end of a task that has no status."""
    return {(task.start_frame, task.itt): tap.task_end(task, connection)
            for task in connection.tasks if not task.answered}


class AtTarget:
    """What the target waits for and owes in one task."""

    def __init__(self, pdu):
        self.name = pdu.frame, pdu.itt
        self.open, self.r2ts = True, 0
        waits = pdu.flags & WRITE and not pdu.flags & FINAL
        self.since, self.frame = (None, None) if waits else (pdu.delivered_time, pdu.delivered_frame)

    def take(self, pdu, found):
        """Takes a later PDU of the task."""
        if pdu.opcode == DATA_OUT:
            if pdu.flags & FINAL:
                self.r2ts = max(0, self.r2ts - (pdu.ttt != UNSOLICITED))
                if not self.r2ts:
                    self.since, self.frame = pdu.delivered_time, pdu.delivered_frame
            return
        found.due[pdu.offset] = self.frame if self.frame is not None else -1
        found.add(self.since, pdu.end_time)
        if pdu.opcode == R2T:
            self.r2ts, self.since, self.frame = self.r2ts + 1, None, None
        elif pdu.opcode == DATA_IN and pdu.status is None:
            self.since = pdu.end_time
        else:
            self.open = False


class AtHost:
    """What the host owes in one task."""

    def __init__(self, pdu, found):
        self.name = pdu.frame, pdu.itt
        self.open, self.asked = True, {}
        found.add(pdu.time, pdu.end_time)
        if pdu.flags & WRITE and not pdu.flags & FINAL:
            self.asked[UNSOLICITED] = pdu.end_time, -1

    def take(self, pdu, found):
        """Takes a later PDU of the task."""
        if pdu.opcode == R2T:
            self.asked[pdu.ttt] = pdu.delivered_time, pdu.delivered_frame
        elif pdu.opcode == DATA_OUT:
            since, frame = self.asked.get(pdu.ttt, (None, -1))
            found.due[pdu.offset] = frame
            if pdu.flags & FINAL:
                found.add(since, pdu.end_time)
                self.asked.pop(pdu.ttt, None)
        elif pdu.status is not None:
            self.open = False


def in_hand(connection, at_target):
    """What is outstanding at the target (else: the host), by the PDUs of a connection at its own tap."""
    found, current, everyone = Held(), {}, []
    for pdu in connection.pdus:
        sends = pdu.sender == ("target" if at_target else "initiator")
        task = current.get(pdu.itt)
        if pdu.opcode == COMMAND:
            current[pdu.itt] = AtTarget(pdu) if at_target else AtHost(pdu, found)
            everyone.append(current[pdu.itt])
        elif pdu.opcode in (DATA_OUT, RESPONSE, DATA_IN, R2T) and task is not None and task.open:
            task.take(pdu, found)
        if sends:
            found.due.setdefault(pdu.offset, -1)
    ends = task_ends(connection)
    for task in everyone:
        if task.open and task.name in ends:
            for since in [task.since] if at_target else [since for since, _ in task.asked.values()]:
                found.add(since, ends[task.name])
    found.spans = spans.merged(found.spans)
    return found


def runs(arrivals, pause):
    """The arrivals (time, bytes), cut where nothing came for longer than `pause`."""
    found = []
    for time, size in arrivals:
        if not found or time - found[-1][-1][0] > pause:
            found.append([])
        found[-1].append((time, size))
    return found


def highest_rate(arrivals, pause):
    """The highest rate, in bytes per nanosecond, over the longest spans of payload without a pause that there are."""
    all_runs, least = runs(arrivals, pause), LONGEST_RUN
    while least >= SHORTEST_RUN:
        best = 0
        for run in all_runs:
            low, size = 0, 0
            for time, more in run[1:]:
                size += more
                while size - run[low + 1][1] >= least:
                    size -= run[low + 1][1]
                    low += 1
                if size >= least and time > run[low][0]:
                    best = max(best, size / (time - run[low][0]))
        if best:
            return best
        least //= 2
    return None


def transfer(stream, pause):
    """The spans that the payload of a stream needs at its receiver's tap."""
    arrivals = [(piece.time, piece.end - piece.start) for piece in sorted(stream.pieces, key=lambda piece: piece.frame)]
    rate = highest_rate(arrivals, pause)
    if not rate:
        return []
    found, begin = [], tcp_held.END
    for time, size in reversed(arrivals):
        end = min(time, begin)
        begin = end - round(size / rate)
        found.append((begin, end))
    return spans.merged(found)


def shares_of(hand, flow):
    """Of what is outstanding at the sender: the spans in which it did not wait for an ACK, those in which it did by its own
    settings (both by the clock of its tap), and those of the receiver (by that of the receiver's tap)."""
    held = tcp_held.held(flow, hand.due)
    receiver = spans.common(held.by_receiver, spans.moved(hand.spans, flow.there))
    return spans.without(hand.spans, held.waits), spans.common(hand.spans, held.own), receiver


class Path:
    """The packets of both directions of a run, by connection."""

    def __init__(self, both):
        self.left, self.delays = {}, {}
        for way in (both.to_target, both.to_initiator):
            for sent, arrived in way.pairs:
                ends = (arrived.src, arrived.sport), (arrived.dst, arrived.dport)
                key = ends if way.to_target else ends[::-1], way.to_target
                self.left.setdefault(key, {})[arrived.frame] = sent.time
                self.delays[key] = min(self.delays.get(key, tcp_held.END), arrived.time - sent.time)
            if way.how == "bytes" and way.byte_delays:
                self.delays[way.to_target] = min(way.byte_delays)

    def of(self, connection, to_target):
        """(frame → leaving time, least one-way delay) of one direction; None without a packet that both taps hold."""
        ends = (connection.client.address, connection.client.port), (connection.server.address, connection.server.port)
        key = ends, to_target
        delay = self.delays.get(key, self.delays.get(to_target))
        return None if delay is None else (self.left.get(key, {}), delay)


def divide(here, there, path):
    """name of a figure → spans on the initiator's clock, of one connection at both taps. `unasked` is missing."""
    (to_target, forth), (to_initiator, back) = path.of(here, True), path.of(here, False)
    inward = tcp_held.Flow(there.server, there.client, here.server, to_target, back, forth)
    outward = tcp_held.Flow(here.client, here.server, there.client, to_initiator, forth, back)
    of_target, targets_settings, hosts_receipt = shares_of(in_hand(there, True), inward)
    of_host, hosts_settings, targets_receipt = shares_of(in_hand(here, False), outward)
    targets_settings = spans.moved(targets_settings, back)
    claims = {"transfer": transfer(here.server, inward.reaction)
              + spans.moved(transfer(there.client, outward.reaction), back),
              "target": spans.moved(of_target + targets_receipt, back), "host": of_host + hosts_receipt}
    found = {"busy": spans.merged((task.start, tap.task_end(task, here)) for task in here.tasks)}
    rest = found["busy"]
    for name, claimed in claims.items():
        found[name] = spans.common(rest, spans.merged(claimed))
        rest = spans.without(rest, found[name])
    found["network"] = rest
    found["target_settings"] = spans.common(rest, targets_settings)
    found["host_settings"] = spans.common(spans.without(rest, targets_settings), hosts_settings)
    return found


def figures(found, window=None):
    """The lengths by name, of what lies in the window."""
    def size(one):
        return spans.length(spans.common(one, [window]) if window else one)
    busy = found["busy"]
    life = size([(busy[0][0], busy[-1][1])]) if busy else 0
    sizes = {f"{name}_ns": size(one) for name, one in found.items()} | {"unasked_ns": life - size(busy)}
    return {name: sizes[name] for name in FIGURES}


def total(parts):
    return {name: sum(part[name] for part in parts) for name in FIGURES}


def named(one):
    return {(c.name, c.client.isn, c.server.isn): c for c in one.connections}


def owners(both):
    """The owners of a pair of captures as plain data. `both`: evidence.Evidence"""
    path, at_target, found, left_out, answered = Path(both), named(both.tgt), [], 0, 0
    for name, here in named(both.ini).items():
        there = at_target.pop(name, None)
        whole = there is not None and here.walkable and there.walkable
        if not whole or path.of(here, True) is None or path.of(here, False) is None:
            left_out += bool(here.client.pieces)
        elif here.tasks:
            found.append((here, divide(here, there, path)))
            answered += sum(task.answered for task in here.tasks)
    left_out += sum(bool(there.client.pieces) for there in at_target.values())
    return {"all": total([figures(one) for _, one in found]),
            "work": total([figures(one, both.work) for _, one in found]), "answered": answered, "left_out": left_out,
            "connections": [{"tuple": here.name, "first_frame": here.first_frame} | figures(one)
                            for here, one in found]}


def main():
    ini, tgt, work_start, work_end, ports = sys.argv[1:6]
    both = evidence.Evidence(ini, tgt, (float(work_start), float(work_end)), frozenset(map(int, ports.split(","))))
    json.dump(owners(both), sys.stdout)


if __name__ == "__main__":
    main()
