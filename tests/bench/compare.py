#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU and memory of whole programs over one capture, side by side.

  compare.py [--runs N] CAPTURE NAME[:RUNS]=COMMAND...

The first program is the yardstick. {} in a COMMAND stands for the capture. Programs run in turn, N times (or RUNS);
printed are the least CPU (user + system, of the kernel's own count), its ratio to the yardstick's, the least elapsed
time, and the greatest resident set. The resident set counts from this script's own at the fork, about 10 MB."""

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


def main():
    arguments = sys.argv[1:]
    runs = 7
    if arguments[:1] == ["--runs"]:
        runs, arguments = int(arguments[1]), arguments[2:]
    capture, *programs = arguments
    entries = []  # name, runs, command, results
    for text in programs:
        name, count, command = re.fullmatch(r"([^=:]+)(?::(\d+))?=(.*)", text).groups()
        words = [w.replace("{}", capture) for w in shlex.split(command)]
        entries.append((name, int(count or runs), words, []))
    for turn in range(max(e[1] for e in entries)):
        for name, count, command, results in entries:
            if turn < count:
                results.append(run(command))
    size = os.path.getsize(capture)
    yardstick = min(r[0] for r in entries[0][3])
    print(f"{'program':<28}{'runs':>5}{'CPU s':>9}{'ratio':>9}{'elapsed s':>11}{'MB/s CPU':>10}{'peak MB':>9}")
    for name, _, _, results in entries:
        cpu, elapsed, peak = min(r[0] for r in results), min(r[1] for r in results), max(r[2] for r in results)
        print(f"{name:<28}{len(results):>5}{cpu:>9.3f}{cpu / yardstick:>9.2f}{elapsed:>11.3f}"
              f"{size / cpu / 1e6:>10.0f}{peak / 1e6:>9.1f}", flush=True)


main()
