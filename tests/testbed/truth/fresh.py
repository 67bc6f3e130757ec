#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario end to end on this machine: target, initiator and links in namespaces, captures against truth;
once as root (TUN) and once as an ordinary user (veth), as far as this machine lets. SIGINT in the middle
leaves no file, process, namespace or device.

Environment: ISCSISCOPE, ISCSISCOPE_TESTBED (the programs), ISCSISCOPE_SOURCE_DIR."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is written into the source tree
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import live
import truth_check

ISCSISCOPE, TESTBED = os.environ["ISCSISCOPE"], os.environ["ISCSISCOPE_TESTBED"]
SCENARIOS = os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "sample-captures", "scenarios")
ROOT = os.geteuid() == 0


def become_ordinary():
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)


class Place:
    """A folder with the program and a scenario that an ordinary user can read and write."""

    def __init__(self, scenario, ordinary):
        self.name = scenario
        self.before = become_ordinary if ordinary and ROOT else None
        self.folder = tempfile.mkdtemp(prefix="iscsiscope-fresh-")
        os.chmod(self.folder, 0o777)
        shutil.copy(TESTBED, self.folder + "/testbed")
        shutil.copy(f"{SCENARIOS}/{scenario}.toml", self.folder)
        self.out = self.folder + "/out"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def start(self):
        # How long the links stalled is no matter here: only the order of events counts.
        return subprocess.Popen([self.folder + "/testbed", "run", f"{self.folder}/{self.name}.toml", "-o", self.out,
                                 "--progress", "none", "--set", "stall_bound=1min"], text=True, cwd="/",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=self.before)

    def processes(self):
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            try:
                if self.folder.encode() in open(path + "/cmdline", "rb").read():
                    found.append(path)
            except OSError:
                pass  # it has ended meanwhile
        return found

    def namespaces(self):
        return {link for path in self.processes() for link in links([path + "/ns/net"])}

    def files(self):
        return [os.path.join(d, f) for d, _, files in os.walk(self.out) for f in files]


def links(paths):
    for path in paths:
        try:
            yield os.readlink(path)
        except OSError:
            pass


def tun_for_all():
    """udev gives /dev/net/tun to everybody (mode 0666); without it the node is root's alone."""
    try:
        return os.stat("/dev/net/tun").st_mode & 0o006 == 0o006
    except OSError:
        return False


def forbidden(who, code, text):
    """True, told with the reason, if this machine does not let `who` make a private network."""
    if code == 2 and "private network" in text:
        print(f"SKIPPED: {who}: {text.strip()}")
        return True
    return False


def one_run(who, scenario, carrier, ordinary, watch):
    """None: such a run is forbidden here; else (what is wrong, by what measure the run was starved). What a starved run
    does not explain is no matter of judging: the order of events, and what the captures hold."""
    with Place(scenario, ordinary) as place:
        process = place.start()
        text, _ = process.communicate(timeout=600)
        if forbidden(who, process.returncode, text):
            return None
        truth = f"{place.out}/{scenario}.truth.jsonl"
        rows = live.truth_rows(truth) if os.path.exists(truth) else []
        if process.returncode == 1 and rows:  # its own truth does not let it count: a program failed, or the machine
            return [f"exit code 1: {text.strip()}"], live.starved_by_truth(rows, watch)
        if process.returncode != 0:
            return [f"exit code {process.returncode}: {text.strip()}"], None
        if carrier and rows[0]["carrier"] != carrier:
            return [f"the carrier is {rows[0]['carrier']}, not {carrier}"], None
        comparisons = truth_check.compare_run(ISCSISCOPE, place.out, scenario)
        mistakes = truth_check.report(f"{who} ({rows[0]['carrier']}), {scenario}", comparisons)
        return ["mistakes"] * (mistakes + (len(comparisons) != 2)), None


def end_to_end(who, scenario, carrier, ordinary):
    """The number of mistakes; None if such a run is forbidden here."""
    let = []

    def attempt(watch):
        found = one_run(who, scenario, carrier, ordinary, watch)
        let.append(found is not None)
        return found or []

    wrong = live.judge(f"{who}: {scenario}", attempt)
    for what in wrong:
        print(f"FAILED: {who}: {scenario}: {what}")
    return len(wrong) if let[-1] else None


eventually = live.at_its_time


def interrupted(who, ordinary, seconds):
    devices = set(os.listdir("/sys/class/net"))
    own = os.readlink("/proc/self/ns/net")
    with Place("slow-target", ordinary) as place:
        process = place.start()
        eventually(lambda: len(place.namespaces() - {own}) >= 2)  # the programs run
        time.sleep(seconds)
        seen = place.namespaces() - {own}
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=600)
        if forbidden(who, process.returncode, text):
            return None
        checks = {
            f"exit code 130 (it is {process.returncode}: {text.strip()})": process.returncode == 130,
            "there were namespaces to leave behind": len(seen) >= 2,
            "no process": eventually(lambda: not place.processes()),
            "no file": eventually(lambda: not place.files()),
            "no namespace": eventually(lambda: not seen & set(links(
                glob.glob("/proc/[0-9]*/ns/net") + glob.glob("/proc/[0-9]*/fd/*")))),
            "no mounted namespace": not any(s in open("/proc/self/mountinfo").read() for s in seen),
            "no device": eventually(lambda: set(os.listdir("/sys/class/net")) <= devices),
        }
    wrong = [what for what, good in checks.items() if not good]
    print(f"{'FAILED' if wrong else 'ok'}: {who}: SIGINT {seconds} s after the start:", "; ".join(wrong or ["nothing is left"]))
    return len(wrong)


def main():
    results = []
    if ROOT:
        tun = os.path.exists("/dev/net/tun")
        if not tun:
            print("SKIPPED: root with TUN: there is no /dev/net/tun (the run below is by veth)")
        for scenario in ["digests", "r2t-ping-pong"]:
            results.append(end_to_end("root", scenario, "tun" if tun else None, False))
        results += [interrupted("root", False, s) for s in (0.0, 0.7)]
    else:
        print("SKIPPED: as root: this is an ordinary user")
    for scenario in ["digests", "r2t-ping-pong"]:
        results.append(end_to_end("ordinary user", scenario, "tun" if tun_for_all() else "veth", True))
    results += [interrupted("ordinary user", True, s) for s in (0.0, 0.7)]
    done = [r for r in results if r is not None]
    print(f"{sum(done)} failures; {len(done)} of {len(results)} parts ran")
    return (1 if sum(done) else 0) if done else 77


if __name__ == "__main__":
    sys.exit(main())
