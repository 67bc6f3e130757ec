# SPDX-License-Identifier: GPL-2.0-or-later
"""Both taps of a run: tcpdump at the initiator's and the target's interface, full packets, nanosecond stamps. With
`paths` above one the taps stand on all interfaces of a host (LINUX_SLL2). Out: NAME.ini.pcap and NAME.tgt.pcap in a
folder, and what tcpdump said of drops."""

import os
import signal
import subprocess
import time

from shell import read, start

TAPS = (("ini", "", "i1"), ("tgt", "target", "t1"))


class Capture:
    def __init__(self, folder, name, paths=1):
        self.running = []
        for tap, namespace, device in TAPS:
            path = f"{folder}/{name}.{tap}.pcap"
            log = f"/tmp/tcpdump.{tap}.log"
            with open(log, "w", encoding="utf-8") as output:
                process = start(["tcpdump", "-i", "any" if paths > 1 else device, "-n", "-s", "0", "-B", "16384", "-U", "-Z",
                                 "root", "--time-stamp-precision=nano", "-w", path], namespace, output=output)
            self.running.append((tap, process, path, log))
        for _, process, _, log in self.running:
            for _ in range(100):
                if "listening on" in read(log):
                    break
                if process.poll() is not None:
                    raise RuntimeError("tcpdump: " + read(log))
                time.sleep(0.03)

    def stop(self, settle=1.3):
        """Ends both taps once the last packets have come: the kernel hands over a block of them that is not full after
        a second. Returns {tap: {"file", "dropped"}}."""
        time.sleep(settle)
        out = {}
        for _, process, _, _ in self.running:
            process.send_signal(signal.SIGINT)
        for tap, process, path, log in self.running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
            words = [line for line in read(log).split("\n") if "dropped by kernel" in line]
            out[tap] = {"file": os.path.basename(path), "dropped": int(words[-1].split()[0]) if words else None}
        return out
