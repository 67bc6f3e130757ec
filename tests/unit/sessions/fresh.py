#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions without logins, on captures made here and now: a session of three connections and two sessions
of one, at once and from one host, by each dispatch policy; then all of it laid over one another.

Environment: CHECK_SESSIONS, ISCSISCOPE_TESTBED (the programs), ISCSISCOPE_SOURCE_DIR."""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is written into the source tree
sys.path.insert(0, os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "tests", "support"))
import live

SCENARIO = os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "sample-captures", "scenarios", "mcs-unequal.toml")
SKIP = 77


def scenario(policy):
    """mcs-unequal with more and smaller Reads, and two more initiators beside it."""
    text = open(SCENARIO, encoding="utf-8").read()
    options = re.compile(r'options = \{ workload = .*\}')
    assert len(options.findall(text)) == 1
    program = ('[[program]]\nhost = "initiator"\nrun = "initiator"\n'
               'arguments = ["iscsi://{target}/iqn.2026-11.example:disk/0"]\n'
               'options = { workload = "seq-read", block = "16KiB", size = "2MiB", depth = 4 }\n')
    first = options.sub(f'options = {{ workload = "seq-read", block = "16KiB", size = "6MiB", connections = 3, '
                        f'depth = 8, dispatch = "{policy}" }}', text)
    return first + "\n" + program + "\n" + program


class Forbidden(Exception):
    """This machine does not let the testbed run."""


def made(folder, policy):
    """The captures of a run, and its truth."""
    path = f"{folder}/{policy}.toml"
    with open(path, "w", encoding="utf-8") as f:
        f.write(scenario(policy))
    run = subprocess.run([os.environ["ISCSISCOPE_TESTBED"], "run", path, "-o", folder, "--progress", "none",
                          "--set", "stall_bound=1min"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode == 2 and "private network" in run.stdout:
        raise Forbidden(run.stdout.strip())
    captures = glob.glob(f"{folder}/{policy}.*.pcapng*")
    if not captures:
        raise RuntimeError(f"no capture was made: exit code {run.returncode}: {run.stdout}")
    return captures, live.truth_rows(f"{folder}/{policy}.truth.jsonl")


def attempt(watch):
    """What is wrong with three runs; and by the truth of one of them, why they cannot be judged: a program that waits
    for a processor spreads its commands over its connections as no policy does."""
    with tempfile.TemporaryDirectory(prefix="iscsiscope-sessions-") as folder:
        runs = [made(folder, policy) for policy in ("round-robin", "least-loaded", "first-free")]
        wrong = []
        for side in ("initiator", "target"):
            of_side = sorted(c for captures, _ in runs for c in captures if f".{side}." in c)
            done = subprocess.run([os.environ["CHECK_SESSIONS"], *of_side], text=True, stdout=subprocess.PIPE)
            print(done.stdout.replace(folder + "/", ""), end="", flush=True)
            if done.returncode not in (0, 1):
                return [f"exit code {done.returncode}"], None
            if done.returncode != 0:
                wrong.append(f"{side}: {done.stdout.strip().splitlines()[-1]}")
    return wrong, next(filter(None, (live.starved_by_truth(rows, watch) for _, rows in runs)), "")


def main():
    try:
        wrong = live.judge("sessions without logins", attempt)
    except Forbidden as reason:
        print(f"SKIPPED: no capture could be made here: {reason}")
        return SKIP
    for what in wrong:
        print("FAILED:", what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
