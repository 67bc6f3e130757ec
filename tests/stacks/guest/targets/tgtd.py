# SPDX-License-Identifier: GPL-2.0-or-later
"""tgtd of Debian's package tgt. In: as lio.py; "nagle": true keeps Nagle's algorithm on by a preloaded library
(sources/keep_nagle.c), since tgtd itself turns it off. Its first LUN for data is 1."""

from network import with_port, portal_address
from shell import run
from targets.daemon import Daemon

FIRST_LUN = 1
VERSION = "tgtd 1.0.85 (Debian package tgt)"


class Target:
    def __init__(self, config, devices, port, version):
        address = with_port(portal_address(1, version), port)
        environment = {"LD_PRELOAD": "/opt/stacks/keep_nagle.so"} if config.get("nagle") else None
        words = ["tgtd", "-f", "--iscsi", f"portal={address}"]
        for k in range(2, config.get("paths", 1) + 1):
            words[-1] += f",portal={with_port(portal_address(k, version), port)}"
        self.daemon = Daemon(words, port, "/tmp/tgtd.log", environment)
        self.tell(f"--op new --mode target --tid 1 -T {config['name']}")
        for index, device in enumerate(devices):
            self.tell(f"--op new --mode logicalunit --tid 1 --lun {FIRST_LUN + index} --bsoflags direct -b {device}")
        for key, value in config.get("parameters", {}).items():
            self.tell(f"--op update --mode target --tid 1 --name {key} --value {value}")
        if config.get("chap"):
            user, secret = config["chap"]
            self.tell(f"--op new --mode account --user {user} --password {secret}")
            self.tell(f"--op bind --mode account --tid 1 --user {user}")
        self.tell("--op bind --mode target --tid 1 -I ALL")

    @staticmethod
    def tell(words):
        run("tgtadm --lld iscsi " + words, "target")

    def stop(self):
        self.daemon.end()
