# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own events beside the captures of a run, for a kernel that has trace events.

In: a folder and the run's name. Out: NAME.events, the pages of the kernel's ring buffer as they are, and NAME.formats.json,
what is needed to read them: {"page": bytes of a page's header, "formats": texts of events/*/format, "timer": address of TCP's
retransmission timer}. Times are those of the captures: the trace clock `tai` is CLOCK_REALTIME while no leap seconds are
set. A buffer that ran over is an error, never a hole."""

import json
import os

from shell import read, run, write

ROOT = "/sys/kernel/tracing"
BUFFER_KIB = 300_000
EVENTS = ("tcp/tcp_probe", "tcp/tcp_retransmit_skb", "tcp/tcp_cong_state_set", "tcp/tcp_send_reset",
          "timer/timer_expire_entry", "timer/timer_expire_exit", "iscsi/iscsi_dbg_session",
          "scsi/scsi_dispatch_cmd_start", "scsi/scsi_dispatch_cmd_done", "scsi/scsi_dispatch_cmd_timeout",
          "target/target_sequencer_start", "target/target_cmd_complete", "block/block_bio_queue",
          "block/block_bio_complete", "skb/kfree_skb")
TIMER = "tcp_write_timer"    # all of a socket's: retransmission, tail loss, reordering, window probe


def address_of(name):
    with open("/proc/kallsyms", encoding="ascii") as symbols:
        return next(int(line.split()[0], 16) for line in symbols if line.split()[2] == name)


class Events:
    def __init__(self):
        run(["mount", "-t", "tracefs", "tracefs", ROOT], check=False)
        write(ROOT + "/tracing_on", 0)
        write(ROOT + "/trace_clock", "tai")
        write(ROOT + "/buffer_size_kb", BUFFER_KIB)
        self.timer = address_of(TIMER)
        write(ROOT + "/events/timer/timer_expire_entry/filter", f"function == {self.timer:#x}")
        # What is freed because it is not needed any more is not a drop, nor is what the programs' own sockets free.
        write(ROOT + "/events/skb/kfree_skb/filter", "reason > 2 && protocol != 0")
        for event in EVENTS:
            write(f"{ROOT}/events/{event}/enable", 1)
        write(ROOT + "/tracing_on", 1)

    def stop(self, folder, name):
        """Ends the tracing and writes both files. Returns the names of both."""
        write(ROOT + "/tracing_on", 0)
        for event in EVENTS:
            write(f"{ROOT}/events/{event}/enable", 0)
        stats = dict(line.split(": ") for line in read(ROOT + "/per_cpu/cpu0/stats").split("\n"))
        if int(stats["overrun"]) or int(stats["dropped events"]):
            raise RuntimeError(f"the buffer of the kernel's events ran over: {stats}")
        formats = {event: read(f"{ROOT}/events/{event}/format") for event in EVENTS}
        with open(f"{folder}/{name}.formats.json", "w", encoding="utf-8") as file:
            json.dump({"page": read(ROOT + "/events/header_page"), "timer": self.timer, "formats": formats}, file)
        source = os.open(ROOT + "/per_cpu/cpu0/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
        with open(f"{folder}/{name}.events", "wb") as file:
            while page := self.page(source):
                file.write(page)
        os.close(source)
        return [f"{name}.events", f"{name}.formats.json"]

    @staticmethod
    def page(source):
        try:
            return os.read(source, 4096)
        except BlockingIOError:
            return b""
