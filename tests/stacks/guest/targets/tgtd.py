# SPDX-License-Identifier: GPL-2.0-or-later
"""tgtd of Debian's package tgt. In: as lio.py; "nagle": true keeps Nagle's algorithm on by a preloaded library
(sources/keep_nagle.c), since tgtd itself turns it off; "redirect" [path, reason] sends logins to the portal of that
path. Its first LUN for data is 1."""

from network import with_port, portal_address
from shell import run
from targets.daemon import Daemon

FIRST_LUN = 1
VERSION = "tgtd 1.0.85 (Debian package tgt)"


class Target:
    def __init__(self, config, devices, port, version):
        environment = {"LD_PRELOAD": "/opt/stacks/keep_nagle.so"} if config.get("nagle") else None
        paths = range(1, config.get("paths", 1) + 1)
        self.daemons = []
        redirect = config.get("redirect")
        if redirect and redirect[0] != 1:    # a second process, so that only the first portal sends away
            self.serve(1, redirect[:1], config, devices, port, version, environment)
            paths = [1]
        self.serve(0, paths, config, devices, port, version, environment)
        if redirect:
            for key, value in (("RedirectAddress", portal_address(redirect[0], version)), ("RedirectPort", port),
                               ("RedirectReason", redirect[1])):
                self.tell(0, f"--op update --mode target --tid 1 --name {key} --value {value}")

    def serve(self, number, paths, config, devices, port, version, environment):
        """Starts a tgtd with control port `number` that listens on the portals of these paths."""
        portals = ",".join(f"portal={with_port(portal_address(k, version), port)}" for k in paths)
        self.daemons.append(Daemon(["tgtd", "-f", "-C", str(number), "--iscsi", portals], port,
                                   f"/tmp/tgtd{number}.log", environment))
        self.tell(number, f"--op new --mode target --tid 1 -T {config['name']}")
        for index, device in enumerate(devices):
            self.tell(number, f"--op new --mode logicalunit --tid 1 --lun {FIRST_LUN + index} --bsoflags direct "
                              f"-b {device}")
        for key, value in config.get("parameters", {}).items():
            self.tell(number, f"--op update --mode target --tid 1 --name {key} --value {value}")
        if config.get("chap"):
            user, secret = config["chap"]
            self.tell(number, f"--op new --mode account --user {user} --password {secret}")
            self.tell(number, f"--op bind --mode account --tid 1 --user {user}")
        self.tell(number, "--op bind --mode target --tid 1 -I ALL")

    @staticmethod
    def tell(number, words):
        run(f"tgtadm -C {number} --lld iscsi " + words, "target")

    def stop(self):
        for daemon in self.daemons:
            daemon.end()
