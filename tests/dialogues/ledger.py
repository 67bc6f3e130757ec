# SPDX-License-Identifier: GPL-2.0-or-later
"""The truth ledger of a dialogue: whose each nanosecond of busy time is, from what the script's ends did.

README.md, "Truth", states the definition that this file carries out. All sets of times are on the time line of the
tap: what an end did at t is there at t + its way to the tap.
"""
import bisect

OWNERS = ("transfer", "network", "target", "host")


class Times:
    """A union of intervals."""

    def __init__(self, intervals):
        self.starts, self.ends = [], []
        for first, end in sorted(i for i in intervals if i[0] < i[1]):
            if self.ends and first <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], end)
            else:
                self.starts.append(first)
                self.ends.append(end)

    def __contains__(self, time):
        i = bisect.bisect_right(self.starts, time) - 1
        return i >= 0 and time < self.ends[i]

    def edges(self):
        return self.starts + self.ends

    def length(self):
        return sum(self.ends) - sum(self.starts)


class Line:
    """What happened on one connection, on the time line of the tap."""

    def __init__(self, path, session):
        self._ways = path.to_tap, path.target_to_tap  # of the initiator, of the target
        every = [f for f in session.frames if f.data]
        self.frames = sorted((f for f in every if f.lose != "before"), key=lambda f: f.tap)
        self.tasks = session.tasks()
        self._find_lives(every, session)
        self.active = min(t.begins for t in self.tasks), max(t.ends for t in self.tasks)
        self.busy = Times((max(self.active[0], t.left + self._ways[0]),
                           min(self.active[1], t.answer_there + self._ways[0])) for t in self.tasks)
        self.work = [[(a + way, b + way, task) for a, b, task in end.work]
                     for end, way in zip((session.initiator, session.target), self._ways)]
        self.has_work = [Times((a, b) for a, b, _ in work) for work in self.work]
        self.transfer = [self._passing(every, side) for side in (False, True)]

    def _find_lives(self, every, session):
        """Of each task when its command left the initiator and passed the tap, and when its status did, in order."""
        for side, sent in ((False, session.initiator.sent), (True, session.target.sent)):
            left, passed = {}, {}
            for f in every:
                if f.from_target == side:
                    left.setdefault(f.seq, f.left)
                    if f.lose != "before":
                        passed.setdefault(f.seq, f.tap)
            all_starts, starts, in_order = sorted(left), sorted(passed), []
            for seq in starts:
                in_order.append(max(passed[seq], in_order[-1] if in_order else 0))
            for start, end, pdu in sent:
                if pdu.what == "command":
                    pdu.task.left = left[all_starts[bisect.bisect_right(all_starts, start) - 1]]
                    pdu.task.begins = passed[starts[bisect.bisect_right(starts, start) - 1]]
                elif pdu.meaning.get("status"):
                    pdu.task.ends = in_order[bisect.bisect_left(starts, end) - 1]

    def _passing(self, every, side):
        """When bytes of this connection were on the link of one end while further ones waited for it."""
        way = self._ways[side]
        mine = [f for f in every if f.from_target == side]
        waits = Times((f.handed + way, f.left + way) for f in mine if not f.repeat)
        link = Times((f.left + way, f.left + f.wire + way) for f in mine)
        edges = sorted(set(waits.edges() + link.edges()))
        return Times((a, b) for a, b in zip(edges, edges[1:]) if a in waits and a in link)

    def oldest(self, time):
        """The oldest task that is open at the tap, or None."""
        return next((t for t in self.by_begin if t.begins <= time < t.ends), None)

    def awaited_of(self, task, time):
        """The end that a task awaits: that which has its work outstanding, or will have it first."""
        later = [(end, side) for side in (0, 1) for _, end, t in self.work[side] if t is task and end > time]
        return min(later)[1] if later else 1

    @property
    def by_begin(self):
        return sorted(self.tasks, key=lambda t: t.begins)


def owner_at(line, time, frame, handed):
    """Whose the instant is, in a wait that `frame` ends, whose bytes its sender gave to TCP at `handed`."""
    if time in line.transfer[0] or time in line.transfer[1]:
        return "transfer"
    if time >= handed:
        return "network"
    side = int(frame.from_target)
    if answers_nothing(frame):
        task = line.oldest(time)
        side = line.awaited_of(task, time) if task else 1
    return ("host", "target")[side] if time in line.has_work[side] else "network"


def answers_nothing(frame):
    """A command, or a PDU of no task: no task awaited it."""
    return frame.pdu.task is None or frame.starts_pdu and frame.pdu.what == "command"


def of_connection(path, session):
    """{"busy_ns", "unasked_ns", "owners": {owner: ns}, "rows": {(type, lun): {owner: ns}}} of one connection."""
    line = Line(path, session)
    edges = sorted({t for times in (line.busy, *line.has_work, *line.transfer) for t in times.edges()}
                   | {f.handed + line._ways[f.from_target] for f in line.frames}
                   | {t for task in line.tasks for t in (task.begins, task.ends)})
    rows, last = {}, None
    for before, frame in zip(line.frames, line.frames[1:]):
        if before.tap == frame.tap or frame.tap <= line.active[0] or before.tap >= line.active[1]:
            continue
        handed = frame.handed + line._ways[frame.from_target]
        inner = edges[bisect.bisect_right(edges, before.tap):bisect.bisect_left(edges, frame.tap)]
        points = [before.tap, *inner, frame.tap]
        for first, end in zip(points, points[1:]):
            if first not in line.busy:
                continue
            last = (None if answers_nothing(frame) else frame.pdu.task) or line.oldest(first) or last or line.tasks[0]
            row = rows.setdefault((last.type, last.lun), dict.fromkeys(OWNERS, 0))
            row[owner_at(line, first, frame, handed)] += end - first
    return {"busy_ns": line.busy.length(), "unasked_ns": line.active[1] - line.active[0] - line.busy.length(),
            "owners": total(rows.values()), "rows": rows}


def total(parts):
    return {owner: sum(p[owner] for p in parts) for owner in OWNERS}


def of_dialogue(dialogue):
    """The truth of each connection, and of all together."""
    each = [of_connection(dialogue.path, s) for s in dialogue.sessions]
    return {"busy_ns": sum(c["busy_ns"] for c in each), "unasked_ns": sum(c["unasked_ns"] for c in each),
            "owners": total([c["owners"] for c in each]), "connections": each}
