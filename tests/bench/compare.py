#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU, time and memory of whole programs over one capture, side by side.

  compare.py [--runs N] [--history FILE --mix NAME] CAPTURE NAME[:RUNS]=COMMAND...

The first program is the yardstick. {} in a COMMAND stands for the capture. Programs run in turn, N times (or RUNS);
printed are the least CPU (user + system, of the kernel's own count) and the least elapsed time, each with its ratio to
the yardstick's, and the greatest resident set. The resident set counts from this script's own at the fork, about
10 MB. FILE gets a line a program, tab-separated: time, commit, mix, program, the two ratios, seconds of CPU and
elapsed, peak bytes; where it has earlier lines of this mix and program, the last one's ratios are printed beside."""

import argparse
import datetime
import os
import re
import shlex
import subprocess
import sys
import time


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


def last_ratios(history, mix, name):
    """Of the last line of this mix and program: its commit and two ratios; None if there is none."""
    found = None
    if history and os.path.exists(history):
        with open(history, encoding="utf-8") as lines:
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                if fields[2:4] == [mix, name]:
                    found = fields[1], float(fields[4]), float(fields[5])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--history")
    parser.add_argument("--mix", default="")
    parser.add_argument("capture")
    parser.add_argument("programs", nargs="+", metavar="NAME[:RUNS]=COMMAND")
    given = parser.parse_args()
    entries = []  # name, runs, command, results
    for text in given.programs:
        name, count, command = re.fullmatch(r"([^=:]+)(?::(\d+))?=(.*)", text).groups()
        words = [w.replace("{}", given.capture) for w in shlex.split(command)]
        entries.append((name, int(count or given.runs), words, []))
    for turn in range(max(e[1] for e in entries)):
        for _, count, command, results in entries:
            if turn < count:
                results.append(run(command))
    size = os.path.getsize(given.capture)
    least = [tuple(min(r[i] for r in results) for i in (0, 1)) for *_, results in entries]
    print(f"{'program':<28}{'runs':>5}{'CPU s':>9}{'ratio':>8}{'elapsed s':>11}{'ratio':>8}{'MB/s CPU':>10}{'peak MB':>9}")
    lines = []
    for (name, _, _, results), (cpu, elapsed) in zip(entries, least):
        ratios, peak = (cpu / least[0][0], elapsed / least[0][1]), max(r[2] for r in results)
        before = last_ratios(given.history, given.mix, name)
        words = f"   before ({before[0]}): {before[1]:.2f}, {before[2]:.2f}" if before else ""
        print(f"{name:<28}{len(results):>5}{cpu:>9.3f}{ratios[0]:>8.2f}{elapsed:>11.3f}{ratios[1]:>8.2f}"
              f"{size / cpu / 1e6:>10.0f}{peak / 1e6:>9.1f}{words}", flush=True)
        lines.append("\t".join([datetime.datetime.now().isoformat(timespec="seconds"), commit(), given.mix, name,
                                f"{ratios[0]:.3f}", f"{ratios[1]:.3f}", f"{cpu:.3f}", f"{elapsed:.3f}", str(peak)]))
    if given.history:
        with open(given.history, "a", encoding="utf-8") as out:
            out.write("".join(line + "\n" for line in lines))


main()
