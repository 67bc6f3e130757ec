#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the target itself took of each READ and WRITE, from the captures at both ends of a run.

In: the captures at the initiator and at the target, the window of the work (seconds since 1970) and the server ports.
Out: a JSON list with one entry per answered task that both captures hold:
    [kind "read" or "write", frame of the command at the initiator, the same at the target, task tag, service in ns]
The service is counted at the target's tap. It is the sum of the waits for the target, each less the time in which
answers to other tasks of the connection were still passing there. The wait of a Read begins with the delivery of the
command and ends with the first byte of its first answer. The waits of a Write begin with the delivery of the command or
of the last data sent so far, and end with the first byte of the next R2T or of the response; there is none while the
data of an earlier R2T is due. After an R2T that was never answered, the wait for the response begins with the R2T.
"""

import bisect
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "walker"))

import evidence  # noqa: E402

COMMAND, DATA_OUT, RESPONSE, DATA_IN, R2T = 0x01, 0x05, 0x21, 0x25, 0x31


def passages(connection):
    """The spans (from, to, tag) of the target's PDUs at the tap, disjoint and in order. Successive Data-In PDUs of a
    task make one span."""
    spans, reached = [], 0
    sent = sorted((p for p in connection.pdus if p.sender == "target"), key=lambda p: p.offset)
    for (tag, _), group in itertools.groupby(sent, key=lambda p: (p.itt, 0 if p.opcode == DATA_IN else p.offset)):
        group = list(group)
        low, high = max(reached, group[0].time), max(p.delivered_time for p in group)
        if high > low:
            spans.append((low, high, tag))
            reached = high
    return spans


def passing(spans, low, high, tag):
    """The part of (low, high) in which PDUs of other tasks were passing."""
    total = 0
    for begin, end, other in spans[max(0, bisect.bisect_left(spans, (low, 0, 0)) - 1):]:
        if begin >= high:
            break
        if other != tag:
            total += max(0, min(end, high) - max(begin, low))
    return total


def waits(pdus):
    """The waits (from, to) of a task for its target."""
    found, since, due, asked = [], None, 0, 0
    for pdu in pdus:
        if pdu.opcode == COMMAND:
            since = pdu.delivered_time
        elif pdu.opcode == DATA_OUT:
            since = pdu.delivered_time
            if pdu.flags & 0x80 and pdu.ttt != 0xffffffff:
                due = max(0, due - 1)
        elif pdu.opcode == R2T:
            if due == 0:
                found.append((since, pdu.time))
            due, asked = due + 1, pdu.time
        else:
            since = max(since, asked) if due else since
            found.append((since, pdu.time))
            break
    return found


def services(connection):
    """(frame of the command, task tag) → service in ns, of the answered tasks of a connection at the target's tap"""
    spans, current, result = passages(connection), {}, {}
    for pdu in connection.pdus:
        if pdu.opcode == COMMAND:
            current[pdu.itt] = [pdu]
        elif pdu.opcode in (DATA_OUT, RESPONSE, DATA_IN, R2T) and pdu.itt in current:
            own = current[pdu.itt]
            own.append(pdu)
            name = own[0].frame, pdu.itt
            if pdu.opcode in (RESPONSE, DATA_IN) and name not in result:
                result[name] = sum(max(0, high - low) - passing(spans, low, high, pdu.itt) for low, high in waits(own))
    return result


def main():
    ini, tgt, work_start, work_end, ports = sys.argv[1:6]
    both = evidence.Evidence(ini, tgt, (float(work_start), float(work_end)), frozenset(map(int, ports.split(","))))
    at_target = {}
    for connection in both.tgt.connections:
        at_target.update(services(connection))
    rows = [["read" if there.is_read else "write", here.start_frame, there.start_frame, here.itt,
             at_target[there.start_frame, there.itt]]
            for here, there in both.both()
            if here.answered and there.answered and (there.is_read or there.is_write)
            and (there.start_frame, there.itt) in at_target]
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
