#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damages whole captures as captures are damaged (ways.py), and compares the report with that of the capture as it is:
the first finding that is a problem or a notice, and the median response times of reads and writes. Looks for figures
that cannot be: negative times, times longer than the capture, shares above one. Prints a table by way."""
import argparse
import collections
import concurrent.futures
import glob
import json
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
# Share of captures whose first finding and medians stay, by group: what is wanted, and what must hold by now.
BARS = {"order": 0.98, "copies": 0.98, "carriers": 0.98, "steps": 0.98, "missing": 0.95}
HELD = BARS | {"steps": 0.93, "missing": 0.70}  # and one capture less, since a share of few captures is coarse


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


def medians(found):
    out = {}
    for kind in ("read", "write"):
        times = found["cycles"][kind]["times"]["response_time"]
        if found["cycles"][kind]["complete"] >= 20 and times["quantiles_ns"]:
            out[kind] = times["quantiles_ns"].get("0.5")
    return {k: v for k, v in out.items() if v is not None}


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


def same(whole, damaged, name):
    times = 10 if "divided by ten" in name else 1
    tick = (damaged["capture"]["order"]["clock_resolution_ns"] or 0)
    differences = []
    if first_finding(whole) != first_finding(damaged):
        differences.append(f"first {first_finding(whole)} -> {first_finding(damaged)}")
    before, after = medians(whole), medians(damaged)
    for kind, value in before.items():
        if kind in after and not close(value / times, after[kind], tick):
            differences.append(f"{kind} p50 {value / times:.0f} -> {after[kind]}")
    return differences


def judge(program, path, chosen):
    link, all_frames = frames.read(path)
    if frames.is_cut(all_frames) or len(all_frames) < 200:
        return None
    out = {}
    with tempfile.TemporaryDirectory(prefix="iscsiscope-damage-") as folder:
        plain = os.path.join(folder, "capture.pcap")
        frames.write(plain, link, all_frames)
        whole = report(program, plain)
        if not whole["tasks"]["count"]:
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
                    faster = report(program, plain)
                compared = faster
            frames.write(plain, link, made)
            damaged = report(program, plain)
            out[name] = same(compared, damaged, "" if compared is faster else name), impossible(damaged)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("captures", nargs="*")
    parser.add_argument("--ways", nargs="+", choices=ways.WAYS, default=list(ways.WAYS))
    parser.add_argument("--every", type=int, default=1, help="only every so manieth capture")
    parser.add_argument("--bars", action="store_true",
                        help="fail below what must hold by now, and at a figure that cannot be")
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
        failed = failed or (bar is not None and good < HELD[ways.WAYS[name][1]] * all_of - 1)
        print(f"{name:38} {good:4} of {all_of:4}  {100 * good / all_of:5.1f} %" +
              (f"  (bar {100 * bar:.0f} %{', missed' if below else ''})" if bar is not None else ""))
    print(f"figures that cannot be: {strange}")
    sys.exit(1 if arguments.bars and (failed or strange) else 0)


if __name__ == "__main__":
    main()
