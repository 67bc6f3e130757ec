#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damages whole captures as captures are damaged (ways.py), and compares the report with that of the capture as it is:
the first finding that is a problem or a notice, the number of reads and of writes, and the median and the 99th
percentile of their response times. A count may differ by as many as packets are missing, a quantile be any that is left
when as many tasks are taken away as are no longer seen whole, or have no time any more (it would span a step). Looks
for figures that cannot be: negative times, times longer than the capture, shares above one. Prints a table by way."""
import argparse
import collections
import csv
import concurrent.futures
import glob
import io
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "cut"))

import frames  # noqa: E402
import ways  # noqa: E402

GIVEN = os.environ.get("ISCSISCOPE_CAPTURES", os.path.join(SOURCE, "..", "shared", "captures"))
# Share of captures whose first finding and medians stay, by group.
BARS = {"order": 0.98, "copies": 0.98, "carriers": 0.98, "steps": 0.98, "missing": 0.95}


def captures(every):
    """The given captures, if they are there, and the bundled ones."""
    bundle = os.path.join(SOURCE, "sample-captures", "bundle")
    found = (glob.glob(GIVEN + "/*.pcap.zst") + glob.glob(GIVEN + "/zoo/*.pcap.zst") +
             glob.glob(GIVEN + "/../zoo2/*.pcap.zst") + glob.glob(bundle + "/*/*.pcapng.zst"))
    return sorted(found, key=os.path.basename)[::every]


def report(program, path):
    done = subprocess.run([program, "report", "--quiet", "--format", "json", path], capture_output=True, check=False,
                          timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{path}: exit {done.returncode}: {done.stderr[-300:].decode(errors='replace')}")
    return json.loads(done.stdout)


def first_finding(found):
    shown = [f["kind"] for f in found["findings"] if f["severity"] in ("problem", "notice")]
    # That packets are missing is news of the damage.
    shown = [k for k in shown if k != "capture_quality"] or ["none"]
    return shown[0]


def response_times(program, path):
    """The response times of reads and writes, in order, ns."""
    done = subprocess.run([program, "cycles", "--quiet", path], capture_output=True, check=True, timeout=300)
    times = {"read": [], "write": []}
    for row in csv.DictReader(io.StringIO(done.stdout.decode())):
        if row["type"] in times and row["response_time_ns"]:
            times[row["type"]].append(int(row["response_time_ns"]))
    return {kind: sorted(all_times) for kind, all_times in times.items()}


def quantiles(found):
    """By kind: the median and the 99th percentile, and of how many tasks that were seen whole and have a time."""
    out = {}
    for kind in ("read", "write"):
        group = found["cycles"][kind]
        figure = group["times"]["response_time"]
        times, count = figure["quantiles_ns"] or {}, min(group["complete"], figure["count"])
        if count >= 20 and "0.5" in times and "0.99" in times:
            out[kind] = {0.5: times["0.5"], 0.99: times["0.99"]}, count
    return out


def impossible(found):
    """The keys of figures that cannot be."""
    capture = found["capture"]
    if capture["first_time"] is None:
        return []
    span = capture["last_time"] - capture["first_time"]
    wrong = []

    def walk(node, key):
        if isinstance(node, dict):
            for k, v in node.items():
                walk(v, k)
        elif isinstance(node, list):
            for v in node:
                walk(v, key)
        elif isinstance(node, (int, float)) and not isinstance(node, bool):
            if (key.endswith("share") or key == "share") and not -1e-9 <= node <= 1 + 1e-9:
                wrong.append(f"{key} {node}")
            if key in ("min_ns", "max_ns", "mean_ns", "lost_time_ns", "busy_ns") and node < 0:
                wrong.append(f"{key} {node}")
            if key == "max_ns" and node > span:
                wrong.append(f"{key} {node} of {span}")
    for part in ("cycles", "findings", "time_shares", "rates"):
        walk(found[part], part)
    return wrong


def close(a, b, tick):
    return abs(a - b) <= max(0.02 * max(a, b), 2000, tick)


def left(times, whole, share):
    """The least and the largest quantile that is left of these times when all but so many are taken away."""
    gone = max(0, len(times) - whole)
    rank = share * (len(times) - gone)
    return times[max(0, math.floor(rank) - 1)], times[min(len(times) - 1, math.ceil(rank) + gone)]


def same(whole, whole_times, damaged, removed, name):
    times = 10 if "divided by ten" in name else 1
    tick = (damaged["capture"]["order"]["clock_resolution_ns"] or 0)
    differences = []
    if first_finding(whole) != first_finding(damaged):
        differences.append(f"first {first_finding(whole)} -> {first_finding(damaged)}")
    after = quantiles(damaged)
    for kind, (before, _) in quantiles(whole).items():
        more = damaged["cycles"][kind]["count"] - whole["cycles"][kind]["count"]
        if abs(more) > removed:
            differences.append(f"{kind}s {more:+}")
        if kind not in after:
            continue
        values, count = after[kind]
        for share, value in values.items():
            least, largest = left(whole_times[kind], count, share)
            if not (least / times <= value <= largest / times or
                    any(close(v / times, value, tick) for v in (before[share], least, largest))):
                differences.append(f"{kind} p{100 * share:.0f} {before[share] / times:.0f} -> {value}")
    return differences


def judge(program, path, chosen):
    link, all_frames = frames.read(path)
    if frames.is_cut(all_frames) or len(all_frames) < 200:
        return None
    out = {}
    with tempfile.TemporaryDirectory(prefix="iscsiscope-damage-") as folder:
        plain = os.path.join(folder, "capture.pcap")
        frames.write(plain, link, all_frames)
        whole = report(program, plain), response_times(program, plain)
        if not whole[0]["tasks"]["count"]:
            return None
        faster = None
        for name in chosen:
            made = ways.WAYS[name][0](link, all_frames)
            if made is None:
                continue
            compared = whole
            if "divided by ten" in name:
                if faster is None:
                    frames.write(plain, link, ways.faster(10)(link, all_frames))
                    faster = report(program, plain), response_times(program, plain)
                compared = faster
            frames.write(plain, link, made)
            damaged = report(program, plain)
            out[name] = same(*compared, damaged, max(0, len(all_frames) - len(made)),
                             "" if compared is faster else name), impossible(damaged)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("captures", nargs="*")
    parser.add_argument("--ways", nargs="+", choices=ways.WAYS, default=list(ways.WAYS))
    parser.add_argument("--every", type=int, default=1, help="only every so manieth capture")
    parser.add_argument("--bars", action="store_true",
                        help="fail below what is wanted, less one capture, and at a figure that cannot be")
    parser.add_argument("--each", action="store_true", help="a line for each difference")
    arguments = parser.parse_args()
    kept, read, strange = collections.defaultdict(lambda: [0, 0]), 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = arguments.captures or captures(arguments.every)
        for path, result in zip(paths, pool.map(lambda p: judge(arguments.program, p, arguments.ways), paths)):
            if result is None:
                continue
            read += 1
            for name, (differences, wrong) in result.items():
                kept[name][0] += not differences
                kept[name][1] += 1
                strange += len(wrong)
                if arguments.each and (differences or wrong):
                    print(os.path.basename(path), name, *differences, *wrong[:3], sep="\t", flush=True)
    print(f"captures: {read}")
    failed = read == 0
    for name in arguments.ways:
        good, all_of = kept[name]
        if not all_of:
            continue
        bar = BARS.get(ways.WAYS[name][1])
        below = bar is not None and good < bar * all_of
        failed = failed or (bar is not None and good < bar * all_of - 1)  # a share of few captures is coarse
        print(f"{name:38} {good:4} of {all_of:4}  {100 * good / all_of:5.1f} %" +
              (f"  (bar {100 * bar:.0f} %{', missed' if below else ''})" if bar is not None else ""))
    print(f"figures that cannot be: {strange}")
    sys.exit(1 if arguments.bars and (failed or strange) else 0)


if __name__ == "__main__":
    main()
