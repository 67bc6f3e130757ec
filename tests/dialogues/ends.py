# SPDX-License-Identifier: GPL-2.0-or-later
"""The initiator and the target of one session. What they do is triggered by what reached them; each writes down when
it had work outstanding: (from, until, task), on its side of the path."""
import pdus
from pdus import READ, WRITE


def pieces(first, end, pauses):
    """The parts of a range of data, each with the time for which its sender waits before it."""
    wait, at = 0, first
    for where, time in sorted(pauses):
        if first <= where < end:
            if where > at:
                yield at, where, wait
                at, wait = where, 0
            wait += time
    yield at, end, wait


class Initiator:
    def __init__(self, loop, tcp, session):
        self._loop, self._tcp, self._session = loop, tcp, session
        self._items, self._open = list(session.items), {}
        self._cmd_sn, self._max_cmd_sn = session.first_cmd_sn, session.first_cmd_sn + session.window - 1
        self._stat_sn, self._busy, self._thinking, self._tag = 2, False, False, 0
        self.work, self.sent = [], tcp.sent
        tcp.deliver = self._delivered

    def _delivered(self, pdu):
        if pdu.what == "login":
            self._loop.after(self._session.turnaround, self._step)
            return
        if pdu.meaning.get("status") or pdu.what == "nop":
            self._stat_sn += 1
        self._max_cmd_sn = max(self._max_cmd_sn, pdu.meaning["window"])
        if pdu.what == "r2t":
            task, r2t = pdu.task, pdu.meaning
            late = task.late[min(task.answered, len(task.late) - 1)]
            task.answered += 1
            self._send_data(task, r2t["tag"], r2t["at"], r2t["at"] + r2t["size"], late)
        elif pdu.meaning.get("status"):
            pdu.task.answer_there = self._loop.now
            del self._open[pdu.task.tag]
            self._loop.after(self._session.turnaround, self._step)
        elif pdu.what == "nop":
            self._step()

    def _step(self):
        """Sends the next command of the script, if it may."""
        while self._items and not self._busy and not self._thinking:
            item = self._items[0]
            if isinstance(item, int):
                if self._open:
                    return
                self._items.pop(0)
                self._thinking = True
                self._loop.after(item, self._thought)
            elif len(self._open) < self._session.depth and self._cmd_sn <= self._max_cmd_sn:
                self._items.pop(0)
                self._begin(item)
                self._busy = True
                self._loop.after(self._session.spacing, self._sent)
            else:
                return

    def _thought(self):
        self._thinking = False
        self._step()

    def _sent(self):
        self._busy = False
        self._step()

    def _begin(self, task):
        self._tag += 1
        task.tag = self._tag
        self._open[task.tag] = task
        self._tcp.send([pdus.command(task, self._cmd_sn, self._stat_sn)])
        self._cmd_sn += 1
        if task.unsolicited:
            self._send_data(task, pdus.NO_TAG, task.immediate, task.immediate + task.unsolicited, 0)

    def _send_data(self, task, tag, first, end, late):
        since, wait, number = self._loop.now, late, 0
        for at, stop, pause in pieces(first, end, task.pauses):
            wait += pause
            self._loop.after(wait, self._send_piece, task, tag, number, at, stop, stop == end, since)
            number += -(-(stop - at) // self._session.pdu_size)

    def _send_piece(self, task, tag, number, first, stop, final, since):
        size, out = self._session.pdu_size, []
        for at in range(first, stop, size):
            part = min(size, stop - at)
            out.append(pdus.data_out(task, tag, number, at, part, final and at + part == stop, self._stat_sn))
            number += 1
        self._tcp.send(out)
        if final:
            self.work.append((since, self._loop.now, task))


class Target:
    def __init__(self, loop, tcp, session):
        self._loop, self._tcp, self._session = loop, tcp, session
        self._exp_cmd_sn, self._stat_sn = session.first_cmd_sn, 2
        self._frozen, self._said, self._r2t_tag = 0, session.first_cmd_sn + session.window - 1, 0
        self.work, self.sent = [], tcp.sent
        tcp.deliver = self._delivered

    def _window(self):
        if not self._frozen:
            self._said = self._exp_cmd_sn + self._session.window - 1
        return self._exp_cmd_sn, self._said

    def _delivered(self, pdu):
        if pdu.what == "login":
            self._loop.after(self._session.login_time, self._log_in)
            return
        task = pdu.task
        if pdu.what == "command":
            self._exp_cmd_sn += 1
            task.since = self._loop.now
            if task.sense:
                self._loop.after(task.service, self._status, task)
            elif task.type == WRITE:
                task.asked = task.immediate + task.unsolicited
                task.due = {pdus.NO_TAG} if task.unsolicited else set()
                if not task.due:
                    self._go_on(task)
            else:
                self._loop.after(task.service, self._read if task.size else self._status, task)
        elif pdu.meaning["final"]:
            task.due.remove(pdu.meaning["tag"])
            if not task.due:
                task.since = self._loop.now
            self._go_on(task)

    def _go_on(self, task):
        """More R2Ts, or the status."""
        if task.asked < task.size:
            self._loop.after(task.r2t_service, self._ask, task)
        elif not task.due:
            self._loop.after(task.service, self._status, task)

    def _ask(self, task):
        if not task.due:
            self.work.append((task.since, self._loop.now, task))
        while task.asked < task.size and len(task.due) < task.outstanding:
            size = min(task.burst, task.size - task.asked)
            self._r2t_tag += 1
            task.due.add(self._r2t_tag)
            self._tcp.send([pdus.r2t(task, self._r2t_tag, task.r2ts, task.asked, size, self._stat_sn, self._window())])
            task.r2ts += 1
            task.asked += size

    def _read(self, task):
        wait, number = 0, 0
        for at, stop, pause in pieces(0, task.comes, task.pauses):
            wait += pause
            self._loop.after(wait, self._read_piece, task, number, at, stop)
            number += -(-(stop - at) // self._session.pdu_size)

    def _read_piece(self, task, number, first, stop):
        size, out = self._session.pdu_size, []
        for at in range(first, stop, size):
            part = min(size, stop - at)
            last = at + part == task.comes
            joined = last and task.status_after is None
            out.append(pdus.data_in(task, number, at, part, last, joined, self._stat_sn, self._window()))
            number += 1
            if joined:
                self._stat_sn += 1
        self._tcp.send(out)
        if stop == task.comes:
            if task.status_after is None:
                self._done(task)
            elif task.status_after == 0:
                self._status(task)
            else:
                self._loop.after(task.status_after, self._status, task)

    def _status(self, task):
        self._tcp.send([pdus.response(task, self._stat_sn, self._window())])
        self._stat_sn += 1
        self._done(task)

    def _done(self, task):
        self.work.append((task.since, self._loop.now, task))
        if task.closes and not self._frozen:
            self._frozen = 1
            self._loop.after(task.closes, self._open_window)

    def _open_window(self):
        self._frozen = 0
        self._tcp.send([pdus.nop_in(self._stat_sn, self._window())])  # it takes no StatSN, RFC 7143 section 11.19.2

    def _log_in(self):
        keys = self._session.target_keys()
        self._tcp.send([pdus.login_response(self._session, keys, self._window()[1])])
