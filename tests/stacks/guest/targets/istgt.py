# SPDX-License-Identifier: GPL-2.0-or-later
"""istgt, FreeBSD's target of old FreeNAS (Debian package istgt). In: as lio.py. It reads a file of settings, refuses an
auth.conf that others may read, and writes through the page cache, so a slow backing shows on reads only."""

import os

from network import with_port, portal_address
from shell import write
from targets.daemon import Daemon

FIRST_LUN = 0
VERSION = "istgt 0.4~20111008 (Debian package istgt)"
FOLDER = "/tmp/istgt"
KEYS = {"MaxR2T": 32, "MaxOutstandingR2T": 16, "DefaultTime2Wait": 2, "DefaultTime2Retain": 60,
        "FirstBurstLength": 262144, "MaxBurstLength": 1048576, "MaxRecvDataSegmentLength": 262144, "InitialR2T": "Yes",
        "ImmediateData": "Yes", "DataPDUInOrder": "Yes", "DataSequenceInOrder": "Yes", "ErrorRecoveryLevel": 0}


class Target:
    def __init__(self, config, devices, port, version):
        os.makedirs(FOLDER, exist_ok=True)
        user, secret = config.get("chap") or ("nobody", "nothing-here-1")
        write(f"{FOLDER}/auth.conf", f'[AuthGroup1]\n  Auth "{user}" "{secret}"\n')
        os.chmod(f"{FOLDER}/auth.conf", 0o600)
        base, _, disk = config["name"].partition(":")
        keys = "".join(f"  {k} {v}\n" for k, v in {**KEYS, **config.get("parameters", {})}.items())
        portals = "".join(f"  Portal DA{k} {with_port(portal_address(k, version), port)}\n"
                          for k in range(1, config.get("paths", 1) + 1))
        luns = "".join(f"  LUN{i} Storage {device} 64MB\n" for i, device in enumerate(devices))
        depth = config.get("attributes", {}).get("default_cmdsn_depth")
        write(f"{FOLDER}/istgt.conf", f"""[Global]
  NodeBase "{base}"
  PidFile {FOLDER}/istgt.pid
  AuthFile {FOLDER}/auth.conf
  MediaDirectory {FOLDER}
  LogFacility "local7"
  Timeout 30
  NopInInterval 20
  DiscoveryAuthMethod Auto
  MaxSessions 16
  MaxConnections 4
{keys}[UnitControl]
  AuthMethod None
  AuthGroup AuthGroup1
  Portal UC1 127.0.0.1:3261
  Netmask 127.0.0.1
[PortalGroup1]
{portals}[InitiatorGroup1]
  InitiatorName "ALL"
  Netmask ALL
[LogicalUnit1]
  TargetName {disk}
  TargetAlias "disk"
  Mapping PortalGroup1 InitiatorGroup1
  AuthMethod {"CHAP" if config.get("chap") else "Auto"}
  AuthGroup AuthGroup1
  UseDigest Auto
  UnitType Disk
  QueueDepth {depth if depth else 32}
{luns}""")
        self.daemon = Daemon(["istgt", "-c", f"{FOLDER}/istgt.conf", "-D"], port, "/tmp/istgt.log")

    def stop(self):
        self.daemon.end()
