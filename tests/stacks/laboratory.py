#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes labelled captures of other people's initiators and targets.

In: the laboratory that build.sh has built, and which runs are wanted. Out, in a folder: NAME.ini.pcap.zst,
NAME.tgt.pcap.zst, with --virtual NAME.truth.jsonl.zst (truth/kernel_rows.py), and NAME.json for each run: the plan and
what was drawn for it, the label (`want`, `allowed`, `want_severity`), the outcome, the evidence of the walker, and
`shown`, whether that evidence shows the fault. A label is the experiment's, never the program's output. Everything that
varies is drawn anew from the seed; the same seed draws the same plans. Needs root. Exit code 1 if no run could be made,
130 after Ctrl-C (finished runs stay)."""

import argparse
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, HERE + "/walker"]

import archive  # noqa: E402
from catalogue import access, healthy, keys, loss, pair, part, path, people, session, target, windows, work  # noqa: E402,F401  they fill FAULTS
from catalogue import evidence as ev  # noqa: E402
from catalogue.fault import FAULTS, cells  # noqa: E402
from catalogue.controls import draw_control  # noqa: E402
from catalogue.plan import Plan  # noqa: E402
from evidence import evidence  # noqa: E402
from guests import Guest, GuestFailed  # noqa: E402
from virtual_guest import VirtualGuest  # noqa: E402
from truth import make  # noqa: E402
import views  # noqa: E402

PRIMARY = ("open-iscsi", "lio")
ONLY_IN_REAL_TIME = ("rust",)    # initiators that poll in a loop: each round costs a guest in virtual time a system call


def choose(count, seed, only, virtual=False):
    """Cells to run: all of the stack that knows most, then the others in random order, so that each fault and each
    stack has its share; all again with other draws once every cell has been taken."""
    chooser = random.Random(seed)
    entries = [cell for cell in cells() if only.search(cell_name(cell))
               and not (virtual and cell[1][0] in ONLY_IN_REAL_TIME)]
    first = [cell for cell in entries if cell[1] == PRIMARY]
    others = [cell for cell in entries if cell[1] != PRIMARY]
    chooser.shuffle(others)
    ordered = first + others
    if not ordered:
        return []
    count = count or len(ordered)
    return [(ordered[i % len(ordered)], i // len(ordered)) for i in range(count)]


def cell_name(cell):
    entry, stack, strength, loop = cell
    return f"{entry.name}.{stack[0]}.{stack[1]}.{strength}.{loop}"


def with_jitter(words, microseconds):
    """tc's words with a delay that varies by up to so much. netem keeps the order of packets where it has a rate, so one that
    takes next to no time is given to a delay without."""
    rate = "" if " rate " in words else " rate 100gbit"
    return re.sub(r"\bdelay (\S+)", rf"delay \1 {microseconds}us{rate}", words)


def add_jitter(plan, microseconds):
    """Lets the delays of a plan vary, by the kernel's seed."""
    network = plan["network"]
    network |= {way: with_jitter(words, microseconds) for way, words in network.items() if way.startswith("to_")}
    plan["during"] = {path: [words and with_jitter(words, microseconds) for words in ways]
                      for path, ways in plan["during"].items()}


def shown(run, found):
    """(ok, sentence): whether the evidence shows what the label states."""
    entry = FAULTS[run["fault"]]
    if run["outcome"].get("error"):
        return False, "the run failed: " + run["outcome"]["error"][:200]
    dropped = [tap["dropped"] for tap in run["outcome"]["captures"].values()]
    if any(dropped):
        return False, f"the taps dropped packets: {dropped}"
    if run["strength"] == "clean":
        return ev.healthy(found, run.get("errors_belong", False))
    return entry.check(found, run)


def part_of(run):
    """{"from", "to"} in unix seconds: when the fault began and ended, as the guest did it; the work's own where it was there
    from the begin on or stayed. None where a run has no such fault."""
    if not run.get("in_part") or not run["want"] or run["outcome"].get("error"):
        return None
    marks = {event["marks"]: event["at"] for event in run["outcome"]["events"] if "marks" in event}
    return {"from": marks.get("begin", run["outcome"].get("work_start")), "to": marks.get("end", run["outcome"].get("work_end"))}


def finish(run, folder, share):
    """Evidence, label and compressed captures of a run that the guest has made. Returns the label."""
    outcome = run["outcome"]
    name, stack = run["name"], run["stack"]
    captures = {tap: value["file"] for tap, value in outcome.get("captures", {}).items()}
    label = {"name": name, "stack": f"{stack['initiator']}+{stack['target']}"}
    label |= {key: run[key] for key in ("fault", "strength", "loop", "seed", "drawn", "what_was_done", "want", "allowed",
                                        "want_severity", "severity_also_ok")}
    label |= {"work_start": outcome.get("work_start"), "work_end": outcome.get("work_end")}
    label |= {key: value for key, value in (("part", part_of(run)), ("which", run.get("which")), ("pair", run.get("pair")),
                                            ("kinds", run.get("kinds"))) if value}
    found = None
    if captures and "work_end" in outcome:
        found = evidence(f"{share}/out/{captures['ini']}", f"{share}/out/{captures['tgt']}",
                         (outcome["work_start"], outcome["work_end"])).json()
    try:
        ok, sentence = shown(run, found)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        ok, sentence = False, f"the evidence lacks what the check asks for ({type(error).__name__}: {error})"
    label["shown"] = {"ok": bool(ok), "sentence": sentence}
    label["captures"] = {}
    if run.get("view") and captures:
        tap, view = run["view"]
        file = f"{name}.{tap}-{view}.pcap"
        views.make(f"{share}/out/{captures[tap]}", f"{share}/out/{file}", view)
        captures[f"{tap}-{view}"] = file
    if outcome.get("kernel_events"):
        truth = make.of_run(run, f"{share}/out")
        archive.compress(truth, folder)
        label["truth"] = os.path.basename(truth) + ".zst"
    for tap, file in captures.items():
        archive.compress(f"{share}/out/{file}", folder)
        label["captures"][tap] = file + ".zst"
    label["evidence"] = found
    kept = ("stack", "network", "sysctl", "during", "rules", "events", "work", "target", "initiator", "multipath", "paths")
    label["plan"] = {key: run[key] for key in kept if run.get(key)}
    label["outcome"] = outcome
    with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
        json.dump(label, file, indent=1)
    return label


class Laboratory:
    """Some guests that take runs from one queue."""

    def __init__(self, folder, out, guests, since, virtual=False):
        self.folder, self.out = folder, out
        self.guests = [(VirtualGuest if virtual else Guest)(folder, i) for i in range(guests)]
        self.wall_s = self.virtual_s = 0.0    # of the runs of guests in virtual time
        self.left, self.stopping = queue.Queue(), threading.Event()
        self.lock, self.done, self.begin = threading.Lock(), [], since
        self.first = None

    def make(self, plans):
        for plan in plans:
            self.left.put(plan)
        self.total = self.left.qsize()
        threads = [threading.Thread(target=self.serve, args=(guest,)) for guest in self.guests]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                threads[0].join(0.2)
        except KeyboardInterrupt:
            self.stopping.set()
            raise
        finally:
            self.stopping.set()
            for guest in self.guests:
                guest.stop(2)
            for thread in threads:
                thread.join()

    def serve(self, guest):
        while not self.stopping.is_set():
            try:
                plan = self.left.get_nowait()
            except queue.Empty:
                break
            try:
                label = self.one(guest, plan)
            except OSError as error:  # no room for captures or labels: nothing more can be made
                if not self.stopping.is_set():
                    print(f"laboratory: {error}", file=sys.stderr)
                self.stopping.set()
                break
            self.tell(label)
        guest.stop()

    def one(self, guest, plan):
        """The label of one run; of a guest that failed, a label without captures, which counts as discarded."""
        try:
            run = guest.run(plan)
            if "wall_s" in run:
                with self.lock:
                    self.wall_s += run["wall_s"]
                    self.virtual_s += run["outcome"]["seconds"]
            return finish(run, self.out, guest.share)
        except (GuestFailed, subprocess.SubprocessError) as error:
            if self.stopping.is_set():
                raise OSError("stopped") from error
            return finish({**plan, "outcome": {"error": f"{type(error).__name__}: {error}"}}, self.out, guest.share)

    def tell(self, label):
        with self.lock:
            self.done.append(label)
            now = time.time() - self.begin
            if self.first is None:
                self.first = now
            mark = "" if label["shown"]["ok"] else "DISCARDED: "
            print(f"{len(self.done):4} of {self.total}  {now:6.0f} s  {label['name']}: {mark}{label['shown']['sentence']}",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--laboratory", required=True, metavar="FOLDER", help="what build.sh built")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where captures and labels go")
    parser.add_argument("--runs", type=int, default=0, help="how many (default: every cell of the catalogue once)")
    parser.add_argument("--only", default=".", metavar="REGEX", help="of FAULT.INITIATOR.TARGET.STRENGTH.LOOP")
    parser.add_argument("--seed", type=int, default=None, help="draws the same plans again (default: a new one)")
    parser.add_argument("--guests", type=int, default=max(1, min(4, os.cpu_count() or 1)), help="at once")
    parser.add_argument("--virtual", action="store_true", help="guests in virtual time, one boot a run")
    parser.add_argument("--jitter", type=float, default=0, metavar="US", help="with --virtual: let each packet's delay vary by up "
                        "to so many microseconds, in order; a system without any chance locks into phases")
    parser.add_argument("--since", type=float, default=time.time(), metavar="UNIX_S", help="times are counted from here")
    parser.add_argument("--list", action="store_true", help="print the cells and end")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1, 10**6)
    chosen = choose(options.runs, seed, re.compile(options.only), options.virtual)
    if options.list:
        print("\n".join(cell_name(cell) for cell, _ in chosen))
        return 0
    if not chosen:
        print(f"laboratory: nothing matches {options.only}", file=sys.stderr)
        return 1
    plans = []
    for i, ((entry, stack, strength, loop), again) in enumerate(chosen):
        plan = Plan(entry, strength, loop, stack, seed + 1000003 * again)
        plans.append(plan.finish(f"{entry.name}-{stack[0]}-{stack[1]}-{strength}-{loop}" + (f"-{again}" if again else "")))
        if options.virtual:    # the seed of ports, sequence numbers, loss
            draw_control(plans[-1], plan.random)
            plans[-1] |= {"boot_seed": plan.random.randrange(1, 2**32), "kernel_events": True}
            if options.jitter:
                add_jitter(plans[-1], options.jitter)
    os.makedirs(options.output, exist_ok=True)
    print(f"seed {seed}: {len(plans)} runs, {options.guests} guests at once", flush=True)
    laboratory = Laboratory(os.path.abspath(options.laboratory), os.path.abspath(options.output), options.guests,
                            options.since, options.virtual)
    try:
        laboratory.make(plans)
    except KeyboardInterrupt:
        print(f"laboratory: stopped by hand after {len(laboratory.done)} runs", file=sys.stderr)
        return 130
    good = [label for label in laboratory.done if label["shown"]["ok"]]
    if not laboratory.done:
        return 1
    print(f"FIGURE: stacks: {len(laboratory.done)} runs, {len(laboratory.done) - len(good)} discarded, first capture after "
          f"{laboratory.first:.0f} s, {time.time() - laboratory.begin:.0f} s in all, seed {seed}")
    if options.virtual:
        print(f"FIGURE: stacks: {laboratory.virtual_s:.0f} s of virtual time in {laboratory.wall_s:.0f} s of the guests' boots, runs "
              "and halts")
    reasons = [f"  {label['name']}: {label['shown']['sentence']}" for label in laboratory.done if not label["shown"]["ok"]]
    print("\n".join(["Discarded:"] + reasons) if reasons else "Nothing was discarded.")
    return 0 if good else 1


sys.exit(main())
