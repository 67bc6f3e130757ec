# SPDX-License-Identifier: GPL-2.0-or-later
"""Carries out one run, as README.md ("A run") describes it: network, target, both taps, login, work with its events,
logout. In: the description, a plain dict. Out: the same dict with "outcome": work_start, work_end (unix seconds of the
captures' clock), what the programs said, when each event happened, the keys in force, drops of the taps, the files of the
kernel's events if the description has "kernel_events", or "error".
Nothing of a run stays: the next one finds the network, the devices and the targets as they were."""

import importlib
import shutil
import time
import traceback

import network as net
from backing import Backing
from capture import Capture
from events import Events
from initiators import open_iscsi, programs
from shell import run as execute

INITIATORS = {"open-iscsi": open_iscsi.Initiator, "qemu": programs.Qemu, "libiscsi": programs.Libiscsi,
              "jscsi": programs.Jscsi, "rust": programs.Rust}
PORT = 3260


class Run:
    def __init__(self, description, wires, folder):
        self.d, self.wires, self.folder = description, wires, folder
        self.backing = Backing()
        self.daemon = self.initiator = self.capture = self.events = None
        self.outcome = {"events": [], "said": [], "steps": {}}
        self.clock = time.time()

    def carry_out(self):
        """Returns the outcome; never raises."""
        try:
            self.prepare()
            self.work()
        except Exception as error:
            self.outcome["error"] = f"{type(error).__name__}: {error}"
            self.outcome["trace"] = traceback.format_exc()[-1500:]
        self.clear()
        return self.outcome

    def step(self, name):
        """Notes how many seconds the step that ends here took."""
        now = time.time()
        self.outcome["steps"][name] = round(now - self.clock, 2)
        self.clock = now

    def prepare(self):
        d = self.d
        version, port = d["network"].get("ip", 4), d["network"].get("port", PORT)
        self.wires.apply(d["network"], d.get("sysctl", {}))
        target = dict(d["target"])
        module = importlib.import_module(f"targets.{d['stack']['target']}")
        target["first_lun"] = module.FIRST_LUN
        self.outcome["versions"] = {"target": module.VERSION}
        devices = [self.backing.make(i, lun) for i, lun in enumerate(target["luns"])]
        if target.get("listens", True):
            self.daemon = module.Target(target, devices, port, version)
        self.step("target")
        kind = INITIATORS[d["stack"]["initiator"]]
        self.outcome["versions"]["initiator"] = getattr(kind, "VERSION", open_iscsi.VERSION)
        asked = {**target, "name": d["initiator"].get("asks_for", target["name"])}
        if d.get("kernel_events"):
            self.events = Events()
        self.capture = Capture(self.folder, d["name"], d.get("paths", 1))
        self.step("taps")
        self.outcome["capture_start"] = time.time()
        self.initiator = kind(d["initiator"], asked, version, port)
        if d["initiator"].get("logins_fail"):
            return
        if d["initiator"].get("discovers"):
            self.outcome["said"].append(self.initiator.discover())
        self.initiator.login()
        self.step("login")
        self.outcome["negotiated"] = self.initiator.negotiated()

    def work(self):
        d = self.d
        time.sleep(0.2)
        self.outcome["work_start"] = time.time()
        if d["initiator"].get("logins_fail"):
            self.outcome["said"] += self.initiator.try_login(d["initiator"]["logins_fail"])
        else:
            for path, (to_target, to_initiator) in d.get("during", {}).items():
                self.wires.shape(int(path), to_target, to_initiator)
            for rule in d.get("rules", []):
                self.wires.rule(rule)
            device = self.multipath() if d.get("multipath") else None
            if d.get("before_work"):
                for words in d["before_work"]:
                    self.outcome["said"].append(execute(self.fill(words), check=False)[-300:])
                self.outcome["work_start"] = time.time()
            begun = []
            for item in d["work"]:
                if item.get("after"):
                    self.finish(begun)
                begun.append(self.initiator.begin({**item, "device": device} if device else item))
            self.play_events(d.get("events", []))
            self.finish(begun)
        self.outcome["work_end"] = time.time()
        self.step("work")
        self.outcome["queues"] = self.wires.counters()
        # What was done to the network belongs to the work; the logout is clean.
        self.wires.clear_rules()
        self.restore_paths()

    def finish(self, begun):
        for process in begun:
            self.outcome["said"].append(self.initiator.end(process))
        begun.clear()

    def restore_paths(self):
        for k in net.PATHS:
            suffix = "" if k == 1 else str(k)
            self.wires.shape(k, self.d["network"].get(f"to_target{suffix}", ""),
                             self.d["network"].get(f"to_initiator{suffix}", ""))

    def fill(self, words):
        """{diskN}: the path of disk N of the first session, {disk1-0}: disk 0 of the second."""
        for s, disks in enumerate(getattr(self.initiator, "disks", [])):
            for n, disk in enumerate(disks):
                words = words.replace("{disk%d-%d}" % (s, n), disk)
                if s == 0:
                    words = words.replace("{disk%d}" % n, disk)
        return words

    def play_events(self, events):
        """Events in the order of their times, in seconds from the start of the work."""
        begin = time.time()
        for event in events:
            time.sleep(max(0.0, begin + event["at"] - time.time()))
            done = {"at": time.time(), **{k: v for k, v in event.items() if k != "at"}}
            kind = event["do"]
            if kind == "shape":
                self.wires.shape(event.get("path", 1), event.get("to_target"), event.get("to_initiator"))
            elif kind == "rule":
                self.wires.rule(event["rule"])
            elif kind == "clear_rules":
                self.wires.clear_rules()
            elif kind == "router_mtu":
                self.wires.narrow(event["mtu"])
            elif kind == "hold":
                self.backing.hold(event["lun"])
            elif kind == "let_go":
                self.backing.let_go(event["lun"])
            elif kind == "storage":
                self.backing.delay(event["lun"], event["read_ms"], event["write_ms"])
            elif kind == "port_group":
                self.daemon.set_state(event["group"], event["state"])
            elif kind == "command":
                done["said"] = execute(self.fill(event["words"]), check=False)[-200:]
            else:
                raise ValueError(f"unknown event {kind}")
            done["done"] = time.time()
            self.outcome["events"].append(done)

    def multipath(self):
        """A device over the first disk of every session, in turns (device mapper, round robin)."""
        disks = [disks[0] for disks in self.initiator.disks]
        run_length = self.d["multipath"]["run_length"]
        size = execute(f"blockdev --getsz {disks[0]}").strip()
        table = (f"0 {size} multipath 0 0 1 1 round-robin 0 {len(disks)} 1 "
                 + " ".join(f"{disk} {run_length}" for disk in disks) + "\n")
        return self.backing.table("paths", table)

    def clear(self):
        for name, step in (("rules", self.wires.clear_rules), ("paths", self.restore_paths), ("devices", self.no_multipath),
                           ("logout", lambda: self.initiator and self.initiator.logout()),
                           ("taps' end", self.stop_capture), ("events' end", self.stop_events), ("target's end", lambda: self.daemon and self.daemon.stop()),
                           ("backing's end", self.backing.remove), ("network's end", self.wires.restore)):
            try:
                step()
                self.step(name)
            except Exception as error:
                self.outcome.setdefault("clearing", []).append(f"{type(error).__name__}: {error}")

    def no_multipath(self):
        if self.d.get("multipath"):
            execute("dmsetup remove --noudevsync paths", check=False)

    def stop_capture(self):
        if not self.capture:
            return
        self.outcome["captures"] = self.capture.stop()

    def stop_events(self):
        if self.events:
            self.outcome["kernel_events"] = self.events.stop(self.folder, self.d["name"])


def carry_out(description, wires, share):
    """Runs the description; moves its captures to share/out. Returns it with its outcome."""
    begin = time.time()
    outcome = Run(description, wires, "/tmp").carry_out()
    for file in [tap["file"] for tap in outcome.get("captures", {}).values()] + outcome.get("kernel_events", []):
        shutil.move(f"/tmp/{file}", f"{share}/out/{file}")
    outcome["seconds"] = round(time.time() - begin, 1)
    return {**description, "outcome": outcome}
