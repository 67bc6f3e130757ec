# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own target, LIO, through configfs. In: block devices, and a run's "target": "parameters" (text keys),
"attributes" (of the portal group), "chap" [name, secret], "chap_of_target" (by which it answers), "names" (one target
each), "paths", "groups" (of target ports: one portal group and one ALUA group for each path). Its listening socket belongs
to the namespace of the process that writes the portal."""

import glob
import os

from network import with_port, portal_address
from shell import inside, write

ROOT = "/sys/kernel/config/target"
FIRST_LUN = 0
VERSION = f"LIO, Linux {os.uname().release}"


def make(path):
    os.makedirs(path, exist_ok=True)


class Target:
    def __init__(self, config, devices, port, version):
        self.stores = []
        names = config.get("names") or [config["name"]]
        for index, device in enumerate(devices):
            self.stores.append(self.store(index, device, config["luns"][index]))
        groups = range(1, config.get("groups", 1) + 1)
        for name in names:
            make(f"{ROOT}/iscsi/{name}")
            for tag in groups:
                self.portal_group(name, tag, config)
        for name in names:
            for k in range(1, config.get("paths", 1) + 1):
                with inside("target"):
                    os.mkdir(f"{ROOT}/iscsi/{name}/tpgt_{min(k, len(groups))}/np/"
                             f"{with_port(portal_address(k, version), port)}")
            for tag in groups:
                write(f"{ROOT}/iscsi/{name}/tpgt_{tag}/enable", 1)

    @staticmethod
    def store(index, device, config):
        kind = config.get("store", "iblock")
        make(f"{ROOT}/core/{kind}_{index}")
        path = f"{ROOT}/core/{kind}_{index}/lun{index}"
        make(path)
        control = f"udev_path={device}" if kind == "iblock" else f"fd_dev_name={device},fd_dev_size={64 << 20}"
        write(path + "/control", control)
        write(path + "/enable", 1)
        write(path + "/wwn/vpd_unit_serial", f"00000000-0000-0000-0000-{index + 1:012d}")
        if config.get("unmap"):
            write(path + "/attrib/emulate_tpu", 1)
        return path

    def portal_group(self, name, tag, config):
        group = f"{ROOT}/iscsi/{name}/tpgt_{tag}"
        make(group)
        for index, store in enumerate(self.stores):
            make(f"{group}/lun/lun_{index}")
            os.symlink(store, f"{group}/lun/lun_{index}/store")
            if config.get("groups", 1) > 1:
                make(f"{store}/alua/group{tag}")
                write(f"{store}/alua/group{tag}/tg_pt_gp_id", tag)
                write(f"{group}/lun/lun_{index}/alua_tg_pt_gp", f"group{tag}")
        attributes = {"authentication": 1 if config.get("chap") else 0, "generate_node_acls": 1, "cache_dynamic_acls": 1,
                      "demo_mode_write_protect": 0, **config.get("attributes", {})}
        for key, value in attributes.items():
            write(f"{group}/attrib/{key}", value)
        for key, value in config.get("parameters", {}).items():
            write(f"{group}/param/{key}", value)
        if config.get("chap"):
            write(f"{group}/auth/userid", config["chap"][0])
            write(f"{group}/auth/password", config["chap"][1])
        if config.get("chap_of_target"):
            write(f"{group}/auth/userid_mutual", config["chap_of_target"][0])
            write(f"{group}/auth/password_mutual", config["chap_of_target"][1])

    def set_state(self, tag, state):
        """The state of a group of target ports (ALUA), for all LUNs."""
        for store in self.stores:
            write(f"{store}/alua/group{tag}/alua_access_state", {"active": 0, "standby": 2}[state])

    def stop(self):
        for target in glob.glob(ROOT + "/iscsi/iqn.*"):
            for group in glob.glob(target + "/tpgt_*"):
                write(group + "/enable", 0)
                for portal in glob.glob(group + "/np/*"):
                    os.rmdir(portal)
                for lun in glob.glob(group + "/lun/lun_*"):
                    for entry in os.listdir(lun):
                        if os.path.islink(f"{lun}/{entry}"):
                            os.unlink(f"{lun}/{entry}")
                    os.rmdir(lun)
                os.rmdir(group)
            os.rmdir(target)
        for store in self.stores:
            for group in glob.glob(store + "/alua/group*"):
                os.rmdir(group)
            os.rmdir(store)
            os.rmdir(os.path.dirname(store))
        self.stores.clear()
