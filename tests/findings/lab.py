# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios for the testbed, made up and run: what the fault matrix and the check of predictions share."""

import os
import pathlib
import re
import subprocess
import sys

top = pathlib.Path(__file__).resolve().parents[2]


def tools(build):
    """The testbed's program and print_findings, or None with a line that says why."""
    found = []
    for name, place in (("iscsiscope-testbed", "sample-captures/testbed/run"), ("print_findings", "tests/findings")):
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

    @property
    def initiator(self):
        return self.programs[0]

    def text(self):
        t = f'description = "made up"\nseed = {self.seed}\nduration = "{self.duration}"\nstall_bound = "80ms"\n\n'
        names = list(self.hosts) + [n for n, _ in self.more_targets]
        for name in names:
            t += table("host", dict({"name": name}, **self.hosts.get(name, {})))
        links = [("wan", self.link)] + [(n + "-wan", link) for n, link in self.more_targets]
        for (name, link), host in zip(links, ["target"] + [n for n, _ in self.more_targets]):
            t += table("link", dict({"name": name}, **link))
            if name == "wan":
                for direction, members in (("forward", self.forward), ("backward", self.backward)):
                    if members:
                        t += f"[link.{direction}]\n" + "".join(f"{k} = {value(v)}\n" for k, v in members.items())
            t += "\n" + table("path", {"between": ["initiator", host], "links": [name]})
        for host in ["target"] + [n for n, _ in self.more_targets]:
            options = dict(self.target, portal="{%s}:3260" % host)
            t += table("program", {"host": host, "run": "target", "options": options})
        for i, program in enumerate(self.programs):
            options = dict(program)
            luns = options.pop("lun", 0)
            urls = ["iscsi://{%s}/iqn.2026-11.example:disk/%s" % (h, luns)
                    for h in ["target"] + [n for n, _ in self.more_targets]]
            t += table("program", {"name": f"guest-{i}", "host": "initiator", "run": "initiator",
                                   "arguments": urls, "options": options})
        return t


def run(testbed, scenario, folder, name, tries=3, failing=False):
    """Captures by host, or None: no valid run. failing: its programs are meant to fail."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + ".toml")
    path.write_text(scenario.text())
    for _ in range(tries):
        done = subprocess.run([testbed, "run", str(path), "-o", str(folder), "--progress", "none"],
                              capture_output=True, text=True, timeout=120)
        if done.returncode == 2:
            sys.exit(f"{path}:\n{done.stderr}")
        captures = {h: str(p) for h in scenario.hosts for p in folder.glob(f"{name}.{h}.pcapng*")}
        if captures and (done.returncode == 0 or failing):
            return captures
    return None


def first_finding(print_findings, capture):
    out = subprocess.run([print_findings, capture], capture_output=True, text=True, timeout=120).stdout
    found = re.search(r"first (\w+), problem (\w+)", out)
    return found.group(1), found.group(2)


def prediction(print_findings, capture, changes):
    """(measured, modelled, predicted, low, high) in bytes a second."""
    arguments = [a for c in changes for a in ("--set", c)]
    out = subprocess.run([print_findings, *arguments, capture], capture_output=True, text=True, timeout=120).stdout
    found = re.search(r"measured (\d+) modelled (\d+) predicted (\d+) low (\d+) high (\d+)", out)
    return tuple(float(x) for x in found.groups())
