#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU, time, memory and instructions of whole programs over one capture, side by side.

  compare.py [--runs N] [--beside NAME] [--count SMALL LARGE] [--history FILE --mix NAME] CAPTURE \\
      NAME[:RUNS]=COMMAND...

The first program is the yardstick. {} in a COMMAND stands for the capture. Programs run in turn, N times (or RUNS);
printed are the least CPU (user + system, of the kernel's own count) and the least elapsed time, each with its ratio to
the yardstick's, the ratio of the CPU to that of the program --beside, and the greatest resident set, which counts from
this script's own at the fork, about 10 MB. With --count, of the first two programs instructions a packet: the
difference between two captures grown in the same way (instructions.py). A line says whether the machine was quiet.

FILE gets a line a program, tab-separated: time, commit, mix, program, the two ratios, seconds of CPU and elapsed, peak
bytes, ratio to the program beside, instructions a packet, processors that other programs kept busy. What is not known
is empty; older lines end earlier. Where FILE has earlier lines of this mix and program, the last one's ratios and
instructions are printed."""

import argparse
import datetime
import os
import re
import shlex
import subprocess
import sys
import time

import instructions
import machine

OLD_NAMES = {"sessions-8": "sessions-headers"}  # of mixes, in older lines of the history


def run(command):
    """(CPU seconds, elapsed seconds, peak resident bytes) of one run."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit {process.returncode}\n{errors.decode(errors='replace')[-1000:]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * 1024


def commit():
    """The short name of the commit, with + if the tree differs from it."""
    here = os.path.dirname(os.path.abspath(__file__))

    def git(*words):
        return subprocess.run(["git", "-C", here, *words], capture_output=True, text=True, check=False).stdout.strip()
    return (git("rev-parse", "--short=10", "HEAD") or "none") + ("+" if git("status", "--porcelain", "-uno") else "")


def last_line(history, mix, name):
    """The words on the last line of this mix and program; none if there is no such line."""
    found = []
    if history and os.path.exists(history):
        with open(history, encoding="utf-8") as lines:
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                if fields[3:4] == [name] and fields[2] in (mix, OLD_NAMES.get(mix)):
                    found = fields
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--history")
    parser.add_argument("--mix", default="")
    parser.add_argument("--beside", metavar="NAME")
    parser.add_argument("--count", nargs=2, metavar=("SMALL", "LARGE"))
    parser.add_argument("capture")
    parser.add_argument("programs", nargs="+", metavar="NAME[:RUNS]=COMMAND")
    given = parser.parse_args()
    entries = []  # name, runs, command, results
    for text in given.programs:
        name, count, command = re.fullmatch(r"([^=:]+)(?::(\d+))?=(.*)", text).groups()
        entries.append((name, int(count or given.runs), shlex.split(command), []))
    watch = machine.Watch()
    for turn in range(max(e[1] for e in entries)):
        for _, count, command, results in entries:
            if turn < count:
                results.append(run([w.replace("{}", given.capture) for w in command]))
    own = sum(r[0] for *_, results in entries for r in results)
    others = watch.others(own)
    print(watch.words(own), flush=True)
    size = os.path.getsize(given.capture)
    least = [tuple(min(r[i] for r in results) for i in (0, 1)) for *_, results in entries]
    beside = next((cpu for (name, *_), (cpu, _) in zip(entries, least) if name == given.beside), None)
    print(f"{'program':<28}{'runs':>5}{'CPU s':>9}{'ratio':>8}"
          + (f"{'to ' + given.beside.split()[0]:>13}" if beside else "")
          + f"{'elapsed s':>11}{'ratio':>8}{'MB/s CPU':>10}{'peak MB':>9}")
    lines = []  # of the history, as words
    for (name, _, _, results), (cpu, elapsed) in zip(entries, least):
        ratios, peak = (cpu / least[0][0], elapsed / least[0][1]), max(r[2] for r in results)
        to_beside = f"{cpu / beside:.3f}" if beside else ""
        before = last_line(given.history, given.mix, name)
        words = f"   before ({before[1]}): {float(before[4]):.2f}, {float(before[5]):.2f}" if before else ""
        print(f"{name:<28}{len(results):>5}{cpu:>9.3f}{ratios[0]:>8.2f}" + (f"{to_beside:>13}" if beside else "")
              + f"{elapsed:>11.3f}{ratios[1]:>8.2f}{size / cpu / 1e6:>10.0f}{peak / 1e6:>9.1f}{words}", flush=True)
        lines.append([datetime.datetime.now().isoformat(timespec="seconds"), commit(), given.mix, name,
                      f"{ratios[0]:.3f}", f"{ratios[1]:.3f}", f"{cpu:.3f}", f"{elapsed:.3f}", str(peak),
                      to_beside, "", f"{others:.2f}"])
    counts = instructions.a_packet([e[2] for e in entries[:2]], *given.count) if given.count else []
    for line, count in zip(lines, counts):
        before = last_line(given.history, given.mix, line[3])[10:11]
        print(f"{line[3]:<28}{count:>9.1f} instructions a packet{count / counts[0]:>8.2f}"
              + (f"   before: {before[0]}" if before and before[0] else ""))
        line[10] = f"{count:.1f}"
    if given.history:
        with open(given.history, "a", encoding="utf-8") as out:
            out.write("".join("\t".join(line) + "\n" for line in lines))


main()
