# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of tables share: the captures, the program, its description of the columns, the readers."""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ["ISCSISCOPE"]
SOURCE = os.environ["ISCSISCOPE_SOURCE_DIR"]
SKIP_CODE = 77  # tests/CMakeLists.txt
BUNDLED = ("plain-read.initiator", "r2t-ping-pong.initiator", "loss-timeout.target", "mcs-unequal.initiator",
           "mirror-unequal.initiator", "tgt-qemu", "unsolicited-data.initiator")
REAL = ("e_read_2MiB_digests.ini", "h_read_4MiB_snap128.ini", "g_4sessions_write_20mbit_drops.ini",
        "zoo/z03_one_slow_lun.ini", "zoo/z13_check_condition_lba_range.ini", "zoo/z13_reservation_conflict.ini",
        "zoo/z14_target_not_found.ini")


def use_environment():
    """Starts the test again with the interpreter of install.sh's environment, if that exists."""
    python = os.path.join(os.environ.get("ISCSISCOPE_QUERY_VENV", ""), "bin", "python")
    if os.path.exists(python) and os.path.abspath(sys.prefix) != os.path.dirname(os.path.dirname(python)):
        os.execv(python, [python, *sys.argv])


def module(name, needed_for):
    try:
        return __import__(name)
    except ImportError:
        print(f"SKIPPED: {name} is not installed (tests/packages.sh, tests/query/install.sh): {needed_for}", flush=True)
        return None


def captures():
    """Paths: bundled ones and some of ISCSISCOPE_CAPTURES, or with ISCSISCOPE_ALL_CAPTURES=1 all of these."""
    folder = os.environ.get("ISCSISCOPE_CAPTURES") or os.path.join(SOURCE, "..", "shared", "captures")
    bundle = os.path.join(SOURCE, "sample-captures", "bundle")
    if os.environ.get("ISCSISCOPE_ALL_CAPTURES"):
        return sorted(os.path.join(path, name) for top in (bundle, folder) for path, _, names in os.walk(top)
                      for name in names if name.endswith((".pcap.zst", ".pcapng.zst")))
    found = [os.path.join(bundle, name.split(".")[0], name + ".pcapng.zst") for name in BUNDLED]
    found += [os.path.join(folder, name + ".pcap.zst") for name in REAL]
    return [path for path in found if os.path.exists(path)]


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=600)
    if done.returncode != 0:
        print(f"iscsiscope {' '.join(arguments)}: exit {done.returncode}\n{done.stderr.decode()[-2000:]}")
        sys.exit(1)
    return done.stdout.decode()


def described():
    """Table -> its description by `iscsiscope columns`."""
    return {t["table"]: t for t in json.loads(run("columns", "--format", "json"))}


def types(table):
    return {c["name"]: c["type"] for c in table["columns"]}


class Verdict:
    LIMIT = 40

    def __init__(self):
        self.failures = self.checks = 0

    def expect(self, truth, text):
        self.checks += 1
        if not truth:
            self.failures += 1
            if self.failures <= self.LIMIT:
                print(f"  DIFFERENT: {text}", flush=True)
        return truth

    def finish(self, figure):
        print(f"FIGURE: {figure}, {self.checks} checks, {self.failures} failed", flush=True)
        sys.exit(1 if self.failures else 0)


def folder():
    return tempfile.TemporaryDirectory(prefix="iscsiscope-query-")
