# SPDX-License-Identifier: GPL-2.0-or-later
"""Initiators in user space: programs that log in, work and log out in one go. In: as open_iscsi.py; each item of the
work is one run of the program. Out: what it said, at most 400 characters."""

import glob
import os
import subprocess

from network import with_port, portal_address
from shell import run, start, write

NAME = "iqn.2026-11.lab.stacks:program"


class Program:
    """One kind of program. `words(item)` is its command line."""

    def __init__(self, config, target, version, port):
        self.config, self.target, self.port = config, target, port
        self.address = portal_address(1, version)
        self.portal = with_port(self.address, port)
        self.loose = []
        self.environment = {}

    def login(self):
        """The program logs in itself when it works."""

    def begin(self, item):
        process = start(["timeout", "50"] + self.words(item), output=subprocess.PIPE, environment=self.environment)
        self.loose.append(process)
        return process

    def end(self, process, timeout=60):
        text = process.communicate(timeout=timeout)[0].decode(errors="replace")
        self.loose.remove(process)
        return {"exit": process.returncode, "said": text.strip()[-400:]}

    def try_login(self, times=1, timeout=20):
        words = ["timeout", str(timeout)] + self.words({"rw": "read", "block": 4096, "depth": 1, "ios": 1})
        return [run(words, check=False, timeout=timeout + 5, environment=self.environment)[-300:] for _ in range(times)]

    def negotiated(self):
        return {}

    def logout(self):
        for process in self.loose:
            process.kill()


class Qemu(Program):
    """qemu-img bench with QEMU's driver (libiscsi). It takes CHAP's secret in an address only."""
    VERSION = "QEMU 7.2 (qemu-img bench, libiscsi 1.19)"

    def words(self, item):
        chap = self.config.get("chap")
        lun = self.target["first_lun"] + item.get("lun", 0)
        words = ["qemu-img", "bench", "-c", str(item["ios"]), "-d", str(item["depth"]), "-s", str(item["block"])]
        if "write" in item["rw"]:
            words += ["-w", "--pattern=90"]
        if chap:
            return words + ["-f", "raw", f"iscsi://{chap[0]}%{chap[1]}@{self.portal}/{self.target['name']}/{lun}"]
        return words + ["--image-opts", f"driver=raw,file.driver=iscsi,file.transport=tcp,file.portal={self.portal},"
                                        f"file.target={self.target['name']},file.lun={lun},file.initiator-name={NAME}"]


class Libiscsi(Program):
    """iscsi-perf (reads) and, with "tests", the conformance tests of libiscsi."""
    VERSION = "libiscsi 1.19 (iscsi-perf, iscsi-inq, iscsi-test-cu)"

    def words(self, item):
        chap = self.config.get("chap")
        user = f"{chap[0]}%{chap[1]}@" if chap else ""
        lun = self.target["first_lun"] + item.get("lun", 0)
        url = f"iscsi://{user}{self.portal}/{self.target['name']}/{lun}"
        if item.get("tool"):
            return [*item["tool"].split(), "-i", NAME, url]
        if item.get("tests"):
            return ["iscsi-test-cu", "-i", NAME, "-d", "-t", item["tests"], url]
        if item.get("ios") == 1:
            return ["iscsi-inq", "-i", NAME, url]
        words = ["iscsi-perf", "-i", NAME, "-m", str(item["depth"]), "-b", str(max(1, item["block"] // 512)),
                 "-t", str(int(item.get("seconds", 2)))]
        return words + [url]    # in order: its random reads begin anywhere, which is a trait of its own


class Jscsi(Program):
    """jSCSI's initiator, driven by sources/JavaInitiator.java: writes and reads blocks of one size in turn."""
    VERSION = "jSCSI initiator 2.2 (Maven Central)"
    KEYS = {"AuthMethod": "None", "DataDigest": "None", "DataPDUInOrder": "Yes", "DataSequenceInOrder": "Yes",
            "DefaultTime2Retain": "20", "DefaultTime2Wait": "2", "ErrorRecoveryLevel": "0",
            "FirstBurstLength": "65536", "HeaderDigest": "None", "IFMarker": "No", "IFMarkInt": "2048",
            "ImmediateData": "Yes", "InitialR2T": "Yes", "InitiatorAlias": "program", "InitiatorName": NAME,
            "MaxBurstLength": "262144", "MaxConnections": "1", "MaxOutstandingR2T": "1",
            "MaxRecvDataSegmentLength": "8192", "OFMarker": "No", "OFMarkInt": "2048", "SessionType": "Normal"}

    def words(self, item):
        keys = {**self.KEYS, **self.config.get("keys", {})}
        write("/tmp/jscsi-initiator.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<configuration '
              'xmlns="http://www.jscsi.org/2006-09" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
              'xsi:schemaLocation="http://www.jscsi.org/2006-09 jscsi.xsd"><global>'
              + "".join(f"<{k}>{v}</{k}>" for k, v in keys.items())
              + f'</global><target id="disk" address="{self.address}" port="{self.port}">'
                f"<ImmediateData>{keys['ImmediateData']}</ImmediateData><InitiatorName>{NAME}</InitiatorName>"
                f"<TargetName>{self.target['name']}</TargetName></target></configuration>\n")
        jars = ":".join(sorted(glob.glob("/opt/stacks/jscsi-initiator/*.jar")))
        return ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true", "-cp",
                f"/opt/stacks/java:{jars}", "JavaInitiator", "/opt/stacks/java/jscsi.xsd", "/tmp/jscsi-initiator.xml",
                "disk", str(item["ios"]), str(item["block"])]


class Rust(Program):
    """iscsi-client-rs 0.0.9 (crates.io), through its own integration tests."""
    VERSION = "iscsi-client-rs 0.0.9 (crates.io)"

    def begin(self, item):
        self.settings()
        return super().begin(item)

    def try_login(self, times=1, timeout=20):
        self.settings()
        return super().try_login(times, timeout)

    def settings(self):
        with open("/opt/stacks/rust/config.yaml", encoding="utf-8") as file:
            text = file.read()
        digest = "CRC32C" if self.config.get("digests") else "None"
        text = (text.replace("127.0.0.1:3260", self.portal).replace("iqn.2025-08.example:disk0", self.target["name"])
                .replace("HeaderDigest: None", f"HeaderDigest: {digest}")
                .replace("DataDigest: None", f"DataDigest: {digest}"))
        chap = self.config.get("chap")
        if chap:
            text = text.replace("AuthMethod: None",
                                f"AuthMethod: CHAP\n    username: {chap[0]}\n    secret: {chap[1]}")
        write("/tmp/rust.yaml", text)
        self.environment = {"TEST_CONFIG": "/tmp/rust.yaml"}

    def words(self, item):
        return ["/opt/stacks/rust/integration", "--test-threads=1", *item.get("rust", "login_plain_ok").split()]
