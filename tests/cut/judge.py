#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts whole captures, joins their segments, removes packets, and compares what the program reports of the result
with what it reports of the whole one. Prints a table by length."""
import argparse
import concurrent.futures
import glob
import os
import sys
import tempfile

import compare
import frames

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.normpath(os.path.join(HERE, "..", ".."))
GIVEN = os.environ.get("ISCSISCOPE_CAPTURES", os.path.join(SOURCE, "..", "shared", "captures"))
BARS = {96: 0.97, 128: 0.99, 160: 0.99, 256: 0.99}  # reads and writes that must be the same; no PDU may be false
# The same of the bundled captures alone: 28 tasks of three of them are more than 1 % of theirs.
BARS_OF_BUNDLE = BARS | {128: 0.985}
BAR_WITH_DROPS = 0.95


def captures():
    """The given captures, if they are there, and the bundled ones."""
    bundle = os.path.join(SOURCE, "sample-captures", "bundle")
    return sorted(glob.glob(GIVEN + "/*.pcap.zst") + glob.glob(GIVEN + "/zoo/*.pcap.zst") +
                  glob.glob(bundle + "/*/*.pcapng.zst"))


def judge(program, path, snaps, joins, drops, start, details):
    link, all_frames = frames.read(path)
    if frames.is_cut(all_frames):
        return None
    all_frames = all_frames[int(len(all_frames) * start):]
    out = {}
    with tempfile.TemporaryDirectory(prefix="iscsiscope-cut-") as folder:
        for most in joins:
            joined = all_frames if most == 1 else frames.joined(link, all_frames, abs(most), most < 0)
            for drop in drops:
                kept = frames.kept_of(joined, drop, 1)
                plain = os.path.join(folder, "whole.pcap")
                frames.write(plain, link, joined)
                whole = compare.whole(program, plain, kept)
                for snap in snaps:
                    cut = os.path.join(folder, "cut.pcap")
                    frames.write(cut, link, [joined[i] for i in kept], snap)
                    differences = [] if details else None
                    out[snap, most, drop] = compare.compare(program, whole, cut, kept, differences)
                    for kind, row, mine in differences or []:
                        print(os.path.basename(path), snap, most, drop, kind, row, mine, sep="\t", file=details)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("captures", nargs="*")
    parser.add_argument("--snap", type=int, nargs="+", default=[96, 128, 160, 256])
    parser.add_argument("--join", type=int, nargs="+", default=[1, 2, 8, -8],
                        help="so many segments, as receive offload joins them; negative: of any length, as segmentation "
                        "offload has them")
    parser.add_argument("--drop", type=float, nargs="+", default=[0.0])
    parser.add_argument("--start", type=float, default=0, help="leave out this share of the frames at the beginning, so "
                        "that the capture, whole and cut, begins within its connections")
    parser.add_argument("--details", help="file for every difference")
    parser.add_argument("--bars", action="store_true", help="fail where less is the same than must be (not with --start), "
                        "or a PDU is false")
    parser.add_argument("--each", action="store_true", help="a line for each capture too")
    arguments = parser.parse_args()
    details = open(arguments.details, "w") if arguments.details else None
    total, read = {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = arguments.captures or captures()
        for path, counts in zip(paths, pool.map(
                lambda p: judge(arguments.program, p, arguments.snap, arguments.join, arguments.drop, arguments.start,
                                details), paths)):
            if counts is None:
                continue
            read += 1
            for key, count in counts.items():
                total[key] = total.get(key, compare.Count()) + count
                if arguments.each:
                    print(os.path.basename(path), *key, count.same, count.tasks, count.false, count.wrong, sep="\t")
    print(f"{read} whole captures")
    failed = False
    print("snap  joined  missing     tasks      same             PDUs     found  inferred  false  wrong")
    for (snap, most, drop), c in sorted(total.items(), key=lambda kv: (kv[0][2], kv[0][1], kv[0][0])):
        share = f"{100 * c.same / c.tasks:.2f} %" if c.tasks else "-"
        print(f"{snap:4d}  {most:6d}  {100 * drop:5.1f} %  {c.tasks:8d}  {c.same:8d} {share:>9s}  {c.pdus:8d}  {c.found:8d}"
              f"  {c.inferred:8d}  {c.false:5d}  {c.wrong:5d}")
        print(f"FIGURE: cut to {snap}, {most} joined: {share} of {c.tasks} reads and writes the same, {c.inferred} PDUs "
              f"predicted, {c.false} false")
        bars = BARS if arguments.captures or os.path.isdir(GIVEN) else BARS_OF_BUNDLE
        bar = 0 if arguments.start > 0 else BAR_WITH_DROPS if drop > 0 else bars.get(snap, 0)
        failed = failed or c.same < bar * c.tasks or c.false > 0 or c.wrong > 0
    return 1 if arguments.bars and failed else 0 if read else 77


if __name__ == "__main__":
    sys.exit(main())
