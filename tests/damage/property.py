#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damages captures at random, one to three ways one after the other (ways.py), and looks for figures that cannot be
(figures.py) in the JSON report and in all tables, and with --gui in what the views of the desktop program show. Prints
how many it looked at, and the captures with such a figure; fails if there are any."""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "cut"))

import frames  # noqa: E402
import judge  # noqa: E402
import ways  # noqa: E402
from figures import Checker  # noqa: E402


def run(program, *arguments):
    done = subprocess.run([program, "report", "--quiet", *arguments], capture_output=True, check=False, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments}: exit {done.returncode}: {done.stderr[-300:].decode(errors='replace')}")
    return done.stdout


def damaged(link, all_frames, chance):
    """The frames, and the names of what was done to them."""
    names = []
    chosen = chance.sample(list(ways.WAYS), chance.randint(1, 3))
    for name in sorted(chosen, key=lambda n: ways.WAYS[n][1] == "steps"):  # the others write in order of time
        made = ways.WAYS[name][0](link, all_frames)
        if made:
            all_frames = made
            names.append(name)
    return all_frames, names


def shown(gui, capture):
    """How many figures of the views were looked at, and what is wrong with them."""
    done = subprocess.run([gui, "[given]"], capture_output=True, check=False, timeout=300, text=True,
                          env={**os.environ, "ISCSISCOPE_GIVEN": capture, "QT_QPA_PLATFORM": "offscreen"})
    count = re.search(r"looked at in the views: (\d+)", done.stdout)
    if done.returncode == 0 and count:
        return int(count.group(1)), []
    return 0, ["views: " + " ".join(done.stdout.split())[-1500:]]


def check(program, gui, path, seeds):
    link, whole = frames.read(path)
    looked_at = 0
    for seed in range(seeds):
        chance = random.Random(zlib.crc32(os.path.basename(path).encode()) + seed)
        some, names = damaged(link, whole, chance)
        with tempfile.TemporaryDirectory(prefix="iscsiscope-damage-") as folder:
            capture, tables = os.path.join(folder, "capture.pcap"), os.path.join(folder, "tables")
            frames.write(capture, link, some)
            found = json.loads(run(program, "--format", "json", capture))
            if found["capture"]["first_time"] is None:
                continue
            run(program, "--format", "csv", "-o", tables, capture)
            checker = Checker(found)
            checker.json(found)
            checker.tables(tables)
            if gui:
                count, wrong = shown(gui, capture)
                checker.looked_at += count
                checker.wrong += wrong
        looked_at += checker.looked_at
        if checker.wrong:
            return looked_at, f"{os.path.basename(path)}, {', '.join(names) or 'whole'}: " + "; ".join(
                checker.wrong[:5])
    return looked_at, None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("captures", nargs="*")
    parser.add_argument("--gui", help="test_gui of a build")
    parser.add_argument("--every", type=int, default=1, help="only every so manieth capture")
    parser.add_argument("--seeds", type=int, default=1, help="damages of each capture")
    arguments = parser.parse_args()
    paths = arguments.captures or judge.captures(arguments.every)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda p: check(arguments.program, arguments.gui, p, arguments.seeds), paths))
    wrong = [text for _, text in results if text]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"FIGURE: damaged at random: {sum(n for n, _ in results)} figures of {len(paths) * arguments.seeds} captures, "
          f"{len(wrong)} captures with one that cannot be")
    sys.exit(1 if wrong or not paths else 0)


if __name__ == "__main__":
    main()
