# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges what runs live on this machine: a wrong run counts only if the machine let it run.

A run is starved by the measure of the run itself (the testbed's truth: how late its packets were, how long it was
stopped, how long its programs waited for a processor), or because others had the processors meanwhile (`Watch`). A
starved run that is wrong is made again, at most twice, and then reported as `NOT JUDGED: <name>: <measure>`; a run that was
not starved and is wrong is wrong. What does not depend on time (exit codes, what is left behind, whether data is
intact) is not for this module: it is held in every run."""
import glob
import json
import os
import re
import resource
import subprocess
import threading
import time

REPEATS = 2
# Bounds of a run's own measure. Of the testbed are the first two: beyond them is no valid run, or a warning.
LONGEST_STALL_NS = 20_000_000
LATENESS_P99_NS = 1_000_000
LONGEST_WAIT = 0.05  # share of the run in which a program waited for a processor
# Bounds of what others take: without anybody else it is some 2 %.
OTHERS = 0.10  # share of all processors
IDLE = 0.25  # so much idle, and what others took is no lack
STOLEN = 0.05  # share of all processors that the host of a virtual machine did not give
LONGEST_GAP = 0.05  # seconds that a thread which sleeps for 2 ms was late
TICK = os.sysconf("SC_CLK_TCK")


def _processors():
    """Seconds of all processors since the start: (used by processes, idle, stolen)."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, waiting, _, _, stolen = map(int, file.readline().split()[1:9])
    return (user + nice + system) / TICK, (idle + waiting) / TICK, stolen / TICK


def _living():
    """Processor seconds of the processes that live and come from this one, with those of their ended children."""
    used, parent = {}, {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                number, fields = path.split("/")[2], file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        parent[number], used[number] = fields[1], sum(map(int, fields[11:15])) / TICK
    own, found = {str(os.getpid())}, 0.0
    while more := {n for n, p in parent.items() if p in own} - own:
        own |= more
        found += sum(used[n] for n in more)
    return found


def _own():
    """Processor seconds of this process and of all that come from it."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both) + _living()


class Watch:
    """What the machine gave to others between `with` and its end, or until starved() is asked."""

    def __enter__(self):
        self.begin, self.end, self.gap = (_processors(), _own()), None, 0.0
        self.over = threading.Event()
        self.sleeper = threading.Thread(target=self._sleep, daemon=True)
        self.sleeper.start()
        return self

    def _sleep(self):
        while not self.over.is_set():
            before = time.monotonic()
            time.sleep(0.002)
            self.gap = max(self.gap, time.monotonic() - before - 0.002)

    def __exit__(self, *_):
        self.end = (_processors(), _own())
        self.over.set()
        self.sleeper.join()

    def shares(self):
        """Of all processors: (taken by others, idle, stolen)."""
        (used, idle, stolen), own = self.end or (_processors(), _own())
        used, idle, stolen = (now - then for now, then in zip((used, idle, stolen), self.begin[0]))
        all_of = max(used + idle + stolen, 1e-9)
        return max(0.0, used - (own - self.begin[1])) / all_of, idle / all_of, stolen / all_of

    def crowded(self):
        """Whether others had what this one may have lacked."""
        others, _, stolen = self.shares()
        return others > OTHERS or stolen > STOLEN

    def starved(self):
        """The measure in words; empty if the machine let the run go."""
        others, idle, stolen = self.shares()
        words = f"others used {others:.0%} of the processors, {stolen:.0%} were stolen, {idle:.0%} idle"
        if stolen > STOLEN or (others > OTHERS and idle < IDLE):
            return words
        return f"{words}, a sleeper was {self.gap * 1e3:.0f} ms late" if others > OTHERS and self.gap > LONGEST_GAP else ""


def truth_rows(path):
    """Rows of a truth file that tell how a run went: `scenario`, `program`, `shim`."""
    if path.endswith(".zst"):
        text = subprocess.run(["zstd", "-qdc", path], check=True, stdout=subprocess.PIPE).stdout.decode()
    else:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    return [json.loads(line) for line in text.splitlines() if re.match(r'\{"row":"(scenario|program|shim)"', line)]


def longest_wait(rows):
    """Of the run's time, the largest share in which one of its programs waited for a processor, as the kernel counted
    it; 0 where the kernel does not say."""
    length = rows[0]["end_ns"] - rows[0]["time_zero_ns"]
    waits = [r.get("waited_for_processor_ns") or 0 for r in rows if r["row"] == "program"]
    return max(waits, default=0) / max(1, length)


def of_the_machine(reasons):
    """Of the reasons why a run is not valid, those that are not a program's: the shim stalled, the kernel dropped
    packets outside the links, the clock was set."""
    return [r for r in reasons if r.startswith("the ")]


def starved_by_truth(rows, watch=None):
    """By a run's own truth, why it cannot be judged; empty if it can. With a watch, the truth counts only if others had
    processors that the run may have lacked: else it was slow by itself, which is no excuse."""
    if not rows or (watch is not None and not watch.crowded()):
        return ""
    shim = next((r for r in rows if r["row"] == "shim"), None)
    said = of_the_machine(rows[0]["reasons"])
    if shim and shim["longest_stall_ns"] > LONGEST_STALL_NS:
        said.append(f"the shim stalled for {shim['longest_stall_ns'] / 1e6:.0f} ms")
    if shim and (shim["lateness"]["p99_ns"] or 0) > LATENESS_P99_NS:
        said.append(f"1 packet in 100 was {shim['lateness']['p99_ns'] / 1e6:.1f} ms late")
    wait = longest_wait(rows)
    if wait > LONGEST_WAIT:
        said.append(f"a program waited for a processor for {wait:.0%} of the run")
    return said[0] if said else ""


def not_judged(name, measure):
    print(f"NOT JUDGED: {name}: {measure}", flush=True)


def judge(name, attempt):
    """What is wrong with a run; empty if nothing is, or nothing can be said.

    attempt(watch): makes the run and returns what is wrong with it as a list of sentences, or (wrong, starved), where
    `starved` says by the run's own measure why it cannot be judged. Empty: the watch decides. None: it is wrong on any
    machine."""
    measure, wrong = "", []
    for number in range(1 + REPEATS):
        with Watch() as watch:
            found = attempt(watch)
        wrong, said = found if isinstance(found, tuple) else (found, "")
        measure = watch.starved() if said == "" else said or ""
        if not wrong or not measure:
            return wrong
        print(f"  {name}: run {number + 1} was starved ({measure}) and is not judged: {wrong[0]}", flush=True)
    not_judged(name, measure)
    return []


def at_its_time(holds, seconds=120):
    """Waits until that holds; false after minutes, in which any machine gets there: a bound of what hangs, and none of
    time."""
    ends = time.monotonic() + seconds
    while not (there := holds()) and time.monotonic() < ends:
        time.sleep(0.02)
    return there


def handles(process, number):
    """Whether the process has begun to handle that signal: before, it would end by it."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def used_processor(process):
    """Processor seconds that a process has used; 0 if it has gone."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / TICK
    except OSError:
        return 0.0


def waited_for_processor(process, thread="*"):
    """Seconds for which the threads of a process, or one of them, stood ready and no processor was free."""
    waited = 0
    for path in glob.glob(f"/proc/{process}/task/{thread}/schedstat"):
        try:
            with open(path, encoding="ascii") as file:
                waited += int(file.read().split()[1])
        except (OSError, IndexError):
            pass  # the thread has ended, or the kernel does not count
    return waited / 1e9
