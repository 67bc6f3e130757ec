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


def main():
    captures = []
    with tempfile.TemporaryDirectory(prefix="iscsiscope-sessions-") as folder:
        for policy in ("round-robin", "least-loaded", "first-free"):
            path = f"{folder}/{policy}.toml"
            with open(path, "w", encoding="utf-8") as f:
                f.write(scenario(policy))
            run = subprocess.run([os.environ["ISCSISCOPE_TESTBED"], "run", path, "-o", folder, "--progress", "none",
                                  "--set", "stall_bound=1min"], text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            made = glob.glob(f"{folder}/{policy}.*.pcapng*")
            if not made:
                print(f"SKIPPED: no capture could be made here: {run.stdout.strip().splitlines()[-1:]}")
                return SKIP
            captures += made
        for side in ("initiator", "target"):
            of_side = sorted(c for c in captures if f".{side}." in c)
            done = subprocess.run([os.environ["CHECK_SESSIONS"], *of_side], text=True, stdout=subprocess.PIPE)
            print(done.stdout.replace(folder + "/", ""), end="")
            if done.returncode != 0:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
