# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes out of a cut capture against what comes out of the whole one: tasks and PDUs."""
import collections
import dataclasses
import json
import subprocess

TASK = ("stream", "command_frame", "start_ns", "end_frame", "response_time_ns", "bytes_moved", "outcome",
        "first_data_wait_ns", "data_ns", "unsolicited_ns", "r2t_wait_ns", "burst_response_ns", "burst_data_ns",
        "status_wait_ns")
PDU = ("stream", "direction", "stream_offset", "opcode", "data_length")


def rows(program, command, capture):
    done = subprocess.run([program, command, capture, "--format", "jsonl"], capture_output=True, timeout=600,
                          check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


# Of a capture with packets missing: how long the phases lasted may be in the missing ones.
ENDS = TASK[:TASK.index("first_data_wait_ns")]


def whole(program, capture, kept):
    """The tasks that count, completed reads and writes of which command and status are in the kept frames (given by
    index), and the PDUs of a whole capture."""
    frames = {i + 1 for i in kept}
    tasks = [c for c in rows(program, "cycles", capture) if c["type"] in ("read", "write") and c["outcome"] == "good"]
    pdus = rows(program, "pdus", capture)
    ends = {(p["stream"], p["delivered_frame"]): p["frame"] for p in pdus if p["status"] is not None}
    there = [c for c in tasks if c["command_frame"] in frames and
             {c["end_frame"], ends.get((c["stream"], c["end_frame"]))} <= frames]
    return there, pdus, len(frames) == max(frames, default=0)


@dataclasses.dataclass
class Count:
    tasks: int = 0      # reads and writes of the whole capture
    same: int = 0       # with the same end, times, bytes and outcome
    pdus: int = 0       # of the whole capture
    found: int = 0      # of them found in the cut one
    inferred: int = 0   # of those, marked as inferred
    false: int = 0      # PDUs marked as inferred that the whole capture does not have
    wrong: int = 0      # other PDUs that the whole capture does not have

    def __add__(self, o):
        return Count(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(o))))


def original(row, kept):
    """A row with the frame numbers of the whole capture."""
    return {k: kept[v - 1] + 1 if v and k.endswith("frame") else v for k, v in row.items()}


def compare(program, truth, cut, kept, details=None):
    """truth: what whole() returned. details: a list that takes what differs."""
    tasks, pdus, complete = truth
    must_be_same = TASK if complete else ENDS
    count = Count()
    have = collections.defaultdict(list)
    for c in (original(row, kept) for row in rows(program, "cycles", cut)):
        have[(c["stream"], c["itt"], c["command_frame"])].append(c)
    for c in tasks:
        count.tasks += 1
        # The tag of a task may be in no packet of the cut capture: then its times must show it.
        mine = have.get((c["stream"], c["itt"], c["command_frame"]), []) + \
            have.get((c["stream"], None, c["command_frame"]), [])
        if any(all(m[k] == c[k] for k in must_be_same) for m in mine):
            count.same += 1
        elif details is not None:
            details.append(("task", c, mine))
    left = collections.Counter(tuple(p[k] for k in PDU) for p in pdus)
    count.pdus = len(pdus)
    for p in (original(row, kept) for row in rows(program, "pdus", cut)):
        key = tuple(p[k] for k in PDU)
        inferred = bool(p.get("inferred"))
        if left[key] > 0:
            left[key] -= 1
            count.found += 1
            count.inferred += inferred
        else:
            count.false += inferred
            count.wrong += not inferred
            if details is not None:
                details.append(("false" if inferred else "wrong", p, None))
    return count
