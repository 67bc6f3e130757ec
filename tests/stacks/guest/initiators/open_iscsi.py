# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's initiator, open-iscsi: iscsid, iscsiadm, and I/O of fio on the disks that appear. In: a run's
"initiator": "settings" (of iscsiadm's node records), "chap", "chap_of_target" (what it expects of the target), "sessions"
(a list of {"path", "name", "dead"}, one login each; of a dead one nothing comes), "queue" (files of the disk's queue folder). Out: what fio and iscsiadm
said."""

import glob
import json
import os
import re
import time

from network import with_port, portal_address
from shell import read, run, start, write

VERSION = "open-iscsi 2.1.8, Linux " + os.uname().release
NAME = "iqn.2026-11.lab.stacks:initiator"


class Initiator:
    def __init__(self, config, target, version, port):
        self.config, self.target, self.version, self.port = config, target, version, port
        self.disks = []   # one list of paths per session, in order of LUN
        self.loose = []   # processes that may have to be killed
        os.makedirs("/etc/iscsi", exist_ok=True)
        write("/etc/iscsi/initiatorname.iscsi", f"InitiatorName={NAME}\n")
        if not run("pgrep -x iscsid", check=False).strip():
            run("iscsid", timeout=20)

    # ---- logging in

    def node(self, session):
        portal = with_port(portal_address(session.get("path", 1), self.version), self.port)
        words = ["iscsiadm", "-m", "node", "-T", session.get("name", self.target["name"]), "-p", portal]
        return words + (["-I", session["interface"]] if session.get("interface") else [])

    def record(self, session):
        node = self.node(session)
        run(node + ["-o", "new"])
        settings = dict(self.config.get("settings", {}))
        chap = self.config.get("chap")
        if chap:
            settings |= {"node.session.auth.authmethod": "CHAP", "node.session.auth.username": chap[0],
                         "node.session.auth.password": chap[1]}
        if self.config.get("chap_of_target"):
            settings |= {"node.session.auth.username_in": self.config["chap_of_target"][0],
                         "node.session.auth.password_in": self.config["chap_of_target"][1]}
        words = [x for key, value in settings.items() for x in ("-n", key, "-v", str(value))]
        if words:
            run(node + ["-o", "update"] + words)
        return node

    def login(self):
        for session in self.config.get("sessions") or [{}]:
            if session.get("initiator_name"):
                name = session["interface"] = "second"
                run(f"iscsiadm -m iface -I {name} -o new", check=False)
                run(f"iscsiadm -m iface -I {name} -o update -n iface.initiatorname -v {session['initiator_name']}")
            before = self.all_disks()
            run(self.record(session) + ["--login"], timeout=60, check=not session.get("dead"))
            if session.get("dead"):    # of a portal that does not answer
                self.disks.append([])
                continue
            self.disks.append(self.wait_for_disks(before, len(self.target["luns"])))
        for disks in self.disks:
            for disk in disks:
                for key, value in self.config.get("queue", {}).items():
                    write(f"/sys/block/{os.path.basename(disk)}/queue/{key}", value)

    def try_login(self, times=1, timeout=60):
        """Logins that are expected to fail. Returns what iscsiadm said of each."""
        node = self.record((self.config.get("sessions") or [{}])[0])
        return [run(["timeout", str(timeout)] + node + ["--login"], check=False, timeout=timeout + 5)[-300:]
                for _ in range(times)]

    def discover(self):
        portal = with_port(portal_address(1, self.version), self.port)
        return run(["iscsiadm", "-m", "discovery", "-t", "st", "-p", portal], check=False)

    @staticmethod
    def all_disks():
        """Paths of the disks of all sessions, in the order in which sessions and LUNs were made."""
        found = []
        for session in sorted(glob.glob("/sys/class/iscsi_session/session*"),
                              key=lambda path: int(re.findall(r"\d+$", path)[0])):
            found += sorted(glob.glob(session + "/device/target*/*:*:*:*/block/sd*"))
        return ["/dev/" + os.path.basename(path) for path in found]

    def wait_for_disks(self, before, count, patience=20):
        end = time.time() + patience
        while time.time() < end:
            new = [disk for disk in self.all_disks() if disk not in before]
            if len(new) >= count and all(self.readable(disk) for disk in new):
                time.sleep(0.3)  # the kernel reads the partition table
                return new
            time.sleep(0.03)
        raise RuntimeError(f"{count} disks expected, found {self.all_disks()}")

    @staticmethod
    def readable(disk):
        try:
            os.close(os.open(disk, os.O_RDONLY))
            return True
        except OSError:
            return False

    # ---- work

    def begin(self, item):
        """Starts one item of the work; `end` waits for it."""
        disk = item.get("device") or self.disks[item.get("session", 0)][item.get("lun", 0)]
        words = ["fio", "--name=work", f"--filename={disk}", f"--rw={item['rw']}", f"--bs={item['block']}",
                 f"--iodepth={item['depth']}", "--ioengine=libaio", "--direct=1", "--size=48m", "--thread", "--clocksource=clock_gettime",
                 "--randrepeat=0", "--buffer_pattern=0x5a4f4f21", "--output-format=json", f"--offset={item.get('offset', 0)}"]
        if "ios" in item:
            words.append(f"--number_ios={item['ios']}")
        words += ["--time_based", f"--runtime={item['seconds']}"] if "seconds" in item else ["--runtime=60"]
        if item.get("rate"):
            words += [f"--rate_iops={item['rate']}", "--rate_process=poisson"]
        if item.get("think_ms"):
            words.append(f"--thinktime={int(item['think_ms'] * 1000)}")
        if item.get("blocks_of"):
            words += [f"--bssplit={item['blocks_of']}"]
        process = start(words, output=-1)
        self.loose.append(process)
        return process

    def end(self, process, timeout=60):
        try:
            text = process.communicate(timeout=timeout)[0].decode(errors="replace")
        except Exception:
            process.kill()
            text = process.communicate()[0].decode(errors="replace")
        self.loose.remove(process)
        return summary(text)

    def negotiated(self):
        """The kernel's own list of the keys in force, of the first session."""
        out = {}
        for session in sorted(glob.glob("/sys/class/iscsi_session/session*"))[:1]:
            for key in ("initial_r2t", "immediate_data", "first_burst_len", "max_burst_len", "max_outstanding_r2t"):
                out[key] = quiet(f"{session}/{key}")
            for connection in glob.glob(f"{session}/device/connection*/iscsi_connection/*"):
                for key in ("max_recv_dlength", "max_xmit_dlength", "header_digest", "data_digest"):
                    out[key] = quiet(f"{connection}/{key}")
        return out

    def logout(self):
        for process in self.loose:
            process.kill()
        if glob.glob("/sys/class/iscsi_session/session*"):
            run("iscsiadm -m node --logoutall=all", check=False, timeout=60)
        run("rm -rf /etc/iscsi/nodes /etc/iscsi/send_targets /etc/iscsi/ifaces", check=False)


def quiet(path):
    try:
        return read(path)
    except OSError:
        return None


def summary(text):
    """Of fio's JSON what a reader of the label wants: I/Os, rate, latencies in ms."""
    try:
        jobs = json.loads(text[text.index("{"):text.rindex("}") + 1])["jobs"]
    except ValueError:
        return {"said": text[-400:]}
    out = {}
    for job in jobs:
        for way in ("read", "write"):
            figures = job[way]
            if figures["total_ios"]:
                out[way] = {"ios": figures["total_ios"], "iops": round(figures["iops"], 1),
                            "MBps": round(figures["bw_bytes"] / 1e6, 3), "milliseconds": figures["runtime"],
                            "latency_ms_mean": round(figures["clat_ns"]["mean"] / 1e6, 3),
                            "latency_ms_max": round(figures["clat_ns"]["max"] / 1e6, 3)}
        if job.get("error"):
            out["error"] = job["error"]
    return out
