# SPDX-License-Identifier: GPL-2.0-or-later
"""jSCSI's target, in Java (Maven Central, org.jscsi:target). In: as lio.py; it takes one LUN and no CHAP. It asks on
its standard input which address to use, and its first command is slow (classes are loaded), which is ordinary."""

import glob
import os
import re
import shutil

from network import portal_address
from shell import run, write
from targets.daemon import Daemon

FIRST_LUN = 0
VERSION = "jSCSI target 2.5.2 (Maven Central)"
FOLDER = "/tmp/jscsi"


def choose(printed):
    """The number of the first path's address in the list that it prints, once it has printed the question."""
    found = re.search(r"\[(\d+)\] " + re.escape(portal_address(1)), printed)
    return found.group(1) if found and "Which one" in printed else None


class Target:
    def __init__(self, config, devices, port, version):
        os.makedirs(FOLDER, exist_ok=True)
        path = devices[0]
        if path.startswith("/dev/ram"):  # a file in memory serves as well, and Java knows its length
            path = f"{FOLDER}/disk.img"
            run(f"truncate -s {64 << 20} {path}")
        write(f"{FOLDER}/target.xml", f"""<?xml version="1.0" encoding="UTF-8" ?>
<configuration xmlns="http://www.jscsi.org/2010-04" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://www.jscsi.org/2010-04 jscsi-target.xsd"><TargetList><Target>
<TargetName>{config['name']}</TargetName><TargetAlias>disk</TargetAlias>
<SyncFileStorage><Path>{path}</Path><NoCreate/></SyncFileStorage></Target></TargetList>
<GlobalConfig><AllowSloppyNegotiation>true</AllowSloppyNegotiation><Port>{port}</Port></GlobalConfig></configuration>
""")
        jars = ":".join(sorted(glob.glob("/opt/stacks/jscsi-target/*.jar")))
        self.daemon = Daemon(["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true", "-cp",
                              f"/opt/stacks/java:{jars}", "org.jscsi.target.TargetServer",
                              "/opt/stacks/java/jscsi-target.xsd", f"{FOLDER}/target.xml"],
                             port, "/tmp/jscsi.log", folder=FOLDER, answer=choose, patience=30)

    def stop(self):
        self.daemon.end()
        shutil.rmtree(FOLDER, ignore_errors=True)
