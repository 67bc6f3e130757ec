# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios for the testbed, made up and run: what the fault matrix and the check of predictions share."""

import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import time

top = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(top / "tests" / "support"))
from live import longest_wait  # noqa: E402


def tools(build):
    """The testbed's program and print_findings, or None with a line that says why."""
    found = []
    for name, place in (("iscsiscope-testbed", "sample-captures/testbed"), ("print_findings", "tests/unit/findings")):
        path = pathlib.Path(os.environ.get("ISCSISCOPE_" + name.upper().replace("-", "_"), build / place / name))
        if not path.exists():
            print(f"SKIPPED: {path} is not built")
            return None
        found.append(str(path))
    return found


def value(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, dict):
        return "{ " + ", ".join(f'"{k}" = {value(x)}' for k, x in v.items()) + " }"
    if isinstance(v, list):
        return "[" + ", ".join(value(x) for x in v) + "]"
    return str(v) if isinstance(v, (int, float)) else f'"{v}"'


def table(name, members):
    return f"[[{name}]]\n" + "".join(f"{k} = {value(v)}\n" for k, v in members.items()) + "\n"


class Scenario:
    """One initiator and one target on one link, to begin with; every part may be changed."""

    def __init__(self, **initiator):
        self.seed, self.duration = 1, "20s"
        self.link = {"delay": "1ms", "rate": "100Mbit/s"}
        self.forward, self.backward = {}, {}
        self.hosts = {"initiator": {}, "target": {}}
        self.target = {"portal": "{target}:3260", "name": "iqn.2026-11.example:disk", "lun": ["ram:64MiB"]}
        self.programs = [dict({"workload": "seq-read", "block": "64KiB", "depth": 8}, **initiator)]
        self.more_targets = []  # (name, link)
        self.more_addresses = []  # (address of the target, link to it): ways of their own
        self.lose_frames = 0.0  # share that the initiator's capture misses, in runs, as when a buffer overflows

    @property
    def initiator(self):
        return self.programs[0]

    def text(self):
        t = f'description = "made up"\nseed = {self.seed}\nduration = "{self.duration}"\nstall_bound = "80ms"\n\n'
        names = list(self.hosts) + [n for n, _ in self.more_targets]
        for name in names:
            t += table("host", dict({"name": name}, **self.hosts.get(name, {})))
        links = [("wan", self.link)] + [(n + "-wan", link) for n, link in self.more_targets]
        links += [(f"way-{i}", link) for i, (_, link) in enumerate(self.more_addresses)]
        first = "target@" + self.hosts["target"]["addresses"][0] if self.more_addresses else "target"
        ends = [first] + [n for n, _ in self.more_targets] + ["target@" + a for a, _ in self.more_addresses]
        for (name, link), host in zip(links, ends):
            t += table("link", dict({"name": name}, **link))
            if name == "wan":
                for direction, members in (("forward", self.forward), ("backward", self.backward)):
                    if members:
                        t += f"[link.{direction}]\n" + "".join(f"{k} = {value(v)}\n" for k, v in members.items())
            t += "\n" + table("path", {"between": ["initiator", host], "links": [name]})
        for host in ["target"] + [n for n, _ in self.more_targets]:
            portal = "0.0.0.0:3260" if self.more_addresses else "{%s}:3260" % host
            options = dict(self.target, portal=portal)
            t += table("program", {"host": host, "run": "target", "options": options})
        for i, program in enumerate(self.programs):
            options = dict(program)
            start = options.pop("start", None)
            luns = options.pop("lun", 0)
            urls = ["iscsi://{%s}/iqn.2026-11.example:disk/%s" % (h, luns)
                    for h in ["target"] + [n for n, _ in self.more_targets]]
            members = {"name": f"guest-{i}", "host": "initiator", "run": "initiator", "arguments": urls,
                       "options": options}
            t += table("program", dict(members, start=start) if start else members)
        return t


# A program that waits for a processor reads late, answers late, idles: its captures are true of it, and not of the
# fault. From this share of the run on, which as lost time would be a problem, the run is made again.
LONGEST_WAIT = 0.05
CROWDED = "a program waited for a processor"
CROWDED_TRIES = 3  # on a machine that is always so busy the last run counts, whatever it shows


def run(testbed, scenario, folder, name, tries=6, failing=False):
    """Captures by host, or None: no valid run in so many tries. By then nothing has looked at the captures: what makes
    a run not valid is the testbed's own truth. failing: its programs are expected to fail, which the testbed counts as a
    reason; the others (the machine was too busy, the clock was set, packets lost outside the links) still hold."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + ".toml")
    path.write_text(scenario.text())
    for attempt in range(1, tries + 1):
        done = subprocess.run([testbed, "run", str(path), "-o", str(folder), "--progress", "none"],
                              capture_output=True, text=True, timeout=120)
        if done.returncode == 2:
            sys.exit(f"{path}:\n{done.stderr}")
        captures = {h: str(p) for h in scenario.hosts for p in folder.glob(f"{name}.{h}.pcapng*")}
        truth = folder / f"{name}.truth.jsonl"
        rows = [json.loads(line) for line in truth.read_text().splitlines()] if truth.exists() else []
        reasons = [r for r in rows[0]["reasons"] if not failing or r.startswith("the ")] if rows else ["no truth file"]
        waited = longest_wait(rows) if rows else 0
        if captures and not reasons and (waited <= LONGEST_WAIT or attempt >= CROWDED_TRIES):
            run.waits.append(waited)
            if scenario.lose_frames > 0:
                lose_frames(captures["initiator"], scenario.lose_frames, scenario.seed)
            return captures
        run.repeated.append(f"{name}: " + (reasons + [f"{CROWDED} for {waited:.1%} of it"])[0])
        time.sleep(attempt - 1)
    return None


run.repeated = []  # runs made again, and why
run.waits = []  # longest_wait of each that counts


def lose_frames(path, share, seed):
    """Takes that share of the packets out of a pcapng file, in runs of eight on average."""
    data = pathlib.Path(path).read_bytes()
    rng = random.Random(seed)
    kept, at, losing, packets = [], 0, False, 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:  # Enhanced Packet Block
            packets += 1
            losing = rng.random() >= 1 / 8 if losing else packets > 60 and rng.random() < share / 8 / (1 - share)
        if kind != 6 or not losing:
            kept.append(data[at:at + length])
        at += length
    pathlib.Path(path).write_bytes(b"".join(kept))


def found_in(print_findings, capture):
    """(first finding, first problem, all findings)"""
    out = subprocess.run([print_findings, capture], capture_output=True, text=True, timeout=120).stdout
    found = re.search(r"first (\w+), problem (\w+), all ([\w,]+)", out)
    return found.group(1), found.group(2), found.group(3).split(",")


def prediction(print_findings, capture, changes):
    """(measured, modelled, predicted, low, high) in bytes a second."""
    arguments = [a for c in changes for a in ("--set", c)]
    out = subprocess.run([print_findings, *arguments, capture], capture_output=True, text=True, timeout=120).stdout
    found = re.search(r"measured (\d+) modelled (\d+) predicted (\d+) low (\d+) high (\d+)", out)
    return tuple(float(x) for x in found.groups())
