#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin adds to tshark in CPU time and memory: the same command with it and without it in turn; the least
CPU of each counts, the medians are told beside it. bench.py [--bytes N] [--runs N] [--keep FOLDER] GROW: GROW makes
large captures (tests/bench)."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from plugin_tools import CAPTURES, Tshark, need_tools, rows, skip

MIX = ("a_read_4MiB_512K_1ms.ini", "b_write_4MiB_256K_5ms_r2t64k.ini", "c_write_4MiB_256K_5ms_unsolicited.ini",
       "z01_clean_read.ini")
COMMANDS = {"-T fields -e frame.number": ["-T", "fields", "-e", "frame.number"],
            "-q -z io,stat,0": ["-q", "-z", "io,stat,0"],
            "-2 -q -z iscsiscope,tree (without: io,stat,0)": None}
BAR = 0.25  # the first two


def usage(command):
    """CPU seconds and peak memory in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("failed: " + " ".join(command))
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=100_000_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--capture", help="measure on this one instead")
    parser.add_argument("grow", nargs="?")
    arguments = parser.parse_args()
    need_tools()
    folder = tempfile.mkdtemp(prefix="iscsiscope-plugin-")
    try:
        capture = arguments.capture
        if not capture:
            if not os.path.isdir(CAPTURES) or not arguments.grow:
                skip("no captures in " + CAPTURES + ", or no program grow")
            small = []
            for name in MIX:
                small.append(os.path.join(folder, name))
                subprocess.run(["zstd", "-qdf", os.path.join(CAPTURES, name + ".pcap.zst"), "-o", small[-1]],
                               check=True)
            capture = os.path.join(folder, "large.pcap")
            subprocess.run([arguments.grow, "--bytes", str(arguments.bytes), capture] + small, check=True,
                           stdout=subprocess.DEVNULL)
        shark = Tshark(folder)
        bare = Tshark(folder, plugin=False)
        cycles = len(rows("cycles", capture))
        listed = subprocess.run(["capinfos", "-c", "-M", "-T", "-r", capture], stdout=subprocess.PIPE, check=True)
        frames = int(listed.stdout.split()[-1])
        print("capture: %.1f MB, %d frames, %d cycles" % (os.path.getsize(capture) / 1e6, frames, cycles), flush=True)
        for name, options in COMMANDS.items():
            with_it = options or ["-2", "-q", "-z", "iscsiscope,tree"]
            without = options or ["-2", "-q", "-z", "io,stat,0"]
            times = [[], []]
            memory = [0, 0]
            for _ in range(arguments.runs):
                for i, command in enumerate((bare.command + ["-n", "-r", capture] + without,
                                             shark.command + ["-n", "-r", capture] + with_it)):
                    cpu, peak = usage(command)
                    times[i].append(cpu)
                    memory[i] = max(memory[i], peak)
            best, middle = [min(t) for t in times], [statistics.median(t) for t in times]
            added = best[1] / best[0] - 1
            bar = "" if options is None else ", bar %.0f %%: %s" % (BAR * 100, "held" if added <= BAR else "MISSED")
            print("FIGURE: plugin, tshark %s: %.2f s without, %.2f s with it: %+.1f %%%s; medians of %d: %.2f and %.2f s, "
                  "%+.1f %%; %.1f MB more at most, %.2f kB a cycle, %.0f bytes a frame" %
                  (name, best[0], best[1], added * 100, bar, arguments.runs, middle[0], middle[1],
                   (middle[1] / middle[0] - 1) * 100, (memory[1] - memory[0]) / 1e6,
                   (memory[1] - memory[0]) / 1e3 / max(1, cycles), (memory[1] - memory[0]) / max(1, frames)),
                  flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
