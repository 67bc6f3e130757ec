#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundled captures against their truth, and proof that the comparison sees what is wrong.

Environment: ISCSISCOPE (the program), ISCSISCOPE_SOURCE_DIR."""
import copy
import glob
import os
import shutil
import sys

sys.dont_write_bytecode = True  # nothing is written into the source tree
import truth_check

ISCSISCOPE = os.environ["ISCSISCOPE"]
FOLDER = os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "sample-captures")


def spoil(what, commands, capture):
    """Changes one thing; the comparison must object."""
    one = commands[len(commands) // 2]
    cycle = capture.cycles[len(capture.cycles) // 2]
    if what == "a command is missing from the truth":
        commands.remove(one)
    elif what == "a cycle is missing":
        capture.cycles.remove(cycle)
    elif what == "a cycle is there twice":
        capture.cycles.append(cycle)
    elif what == "bytes differ":
        cycle["bytes_moved"] += 1
    elif what == "a command is seen before it was sent":
        one["handed_ns"] += 10**9
    elif what == "a status is known before it was seen":
        one["status_ns"] -= 10**9
    elif what == "an R2T is missing":
        one["r2ts"].pop()
    elif what == "an R2T differs":
        one["r2ts"][0]["length"] += 1


def check_comparison():
    name, host = "r2t-ping-pong", "initiator"
    rows = truth_check.truth_rows(f"{truth_check.bundled(name)}/{name}.truth.jsonl.zst")
    commands = [r for r in rows if r["row"] == "command" and r["host"] == host and r["write"]]
    capture = truth_check.Capture(ISCSISCOPE, truth_check.captures_of(truth_check.bundled(name), name)[host])
    capture.cycles = [c for c in capture.cycles if c["type"] == "write"]
    failures = 0
    for what in ["nothing", "a command is missing from the truth", "a cycle is missing", "a cycle is there twice",
                 "bytes differ", "a command is seen before it was sent", "a status is known before it was seen",
                 "an R2T is missing", "an R2T differs"]:
        changed, seen = copy.deepcopy((commands, capture))
        spoil(what, changed, seen)
        objected = bool(truth_check.compare_host(changed, seen).mistakes)
        good = objected == (what != "nothing")
        print(f"{'ok' if good else 'FAILED'}: {what}: {'an' if objected else 'no'} objection")
        failures += not good
    return failures


def main():
    if shutil.which("zstd") is None:
        print("SKIPPED: the zstd program is needed to read the compressed truth")
        return 77
    names = sorted(os.path.basename(p)[:-len(".truth.jsonl.zst")] for p in glob.glob(FOLDER + "/bundle/*/*.truth.jsonl.zst"))
    scenarios = sorted(os.path.basename(p)[:-len(".toml")] for p in glob.glob(FOLDER + "/scenarios/*.toml"))
    failures = 0
    if names != scenarios:
        print("FAILED: scenarios without a bundled truth, or the reverse:", *sorted(set(names) ^ set(scenarios)))
        failures += 1
    for name in names:
        failures += truth_check.report(name, truth_check.compare_run(ISCSISCOPE, truth_check.bundled(name), name))
    failures += check_comparison()
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
