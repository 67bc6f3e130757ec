# SPDX-License-Identifier: GPL-2.0-or-later
"""What stands behind a LUN: RAM disks of 64 MiB (/dev/ramN, zeros at first), plain or below a device-mapper table.
In: a LUN of a run, {"backing": "memory" | "slow" | "error" | "held", "read_ms", "write_ms", "first", "count"}. Out: the
path of a block device. dm-delay counts in ticks of the guest's timer (10 ms): 20 ms are 20 to 30."""

import os

from shell import run

SECTORS = 64 * 2048
SECTOR_BYTES = 512


class Backing:
    def __init__(self):
        self.tables = []

    def make(self, index, lun):
        disk = f"/dev/ram{index}"
        kind = lun.get("backing", "memory")
        if kind == "memory":
            return disk
        if kind == "file":   # takes UNMAP, which a RAM disk does not
            path = f"/tmp/lun{index}.img"
            run(f"truncate -s {SECTORS * SECTOR_BYTES} {path}")
            device = run(f"losetup --show -f {path}").strip()
            return device if "write_ms" not in lun else self.table(
                f"slow{index}", f"0 {SECTORS} delay {device} 0 {lun['read_ms']} {device} 0 {lun['write_ms']}\n")
        if kind == "slow":
            return self.table(f"slow{index}", self.late(index, lun["read_ms"], lun["write_ms"]))
        if kind == "error":
            first, count = lun["first"], lun["count"]
            end = first + count
            return self.table(f"error{index}", f"0 {first} linear {disk} 0\n{first} {count} error\n"
                                               f"{end} {SECTORS - end} linear {disk} {end}\n")
        if kind == "held":
            return self.table(f"held{index}", f"0 {SECTORS} linear {disk} 0\n")
        raise ValueError(f"unknown backing {kind}")

    def table(self, name, text):
        run(["dmsetup", "create", name, "--noudevsync"], text_in=text)
        self.tables.append(name)
        return f"/dev/mapper/{name}"

    @staticmethod
    def late(index, read_ms, write_ms):
        return f"0 {SECTORS} delay /dev/ram{index} 0 {read_ms} /dev/ram{index} 0 {write_ms}\n"

    def delay(self, index, read_ms, write_ms):
        """I/O of a "slow" device takes so long from now on; what waits already is not changed."""
        run(["dmsetup", "load", f"slow{index}", "--noudevsync"], text_in=self.late(index, read_ms, write_ms))
        run(f"dmsetup resume --noudevsync slow{index}")

    def hold(self, index):
        """I/O of a "held" device waits from now on."""
        run(f"dmsetup suspend --noflush --nolockfs held{index}")

    def let_go(self, index):
        run(f"dmsetup resume --noudevsync held{index}", check=False)

    def remove(self):
        for name in self.tables:
            if name.startswith("held"):
                run(f"dmsetup resume --noudevsync {name}", check=False)
            run(f"dmsetup remove --noudevsync {name}", check=False)
        self.tables.clear()
        run("losetup -D", check=False)
        for index in range(8):
            if os.path.exists(f"/tmp/lun{index}.img"):
                os.unlink(f"/tmp/lun{index}.img")
