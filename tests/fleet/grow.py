# SPDX-License-Identifier: GPL-2.0-or-later
"""Many captures out of few: the same packets at other times, between hosts with other addresses and names.

TCP and IP checksums stay right, so that the analyzer finds what it finds in the original. The frames of pcapng become
those of a pcap file in nanoseconds. Deterministic: number N is the same on every machine."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "differential"))
import pcap

import trouble

SOURCE = Path(__file__).resolve().parent.parent.parent
LINK_HEADERS = {1: 14, 113: 16, 276: 20, 101: 0}  # Ethernet, Linux cooked v1 and v2, raw IP
NAMES = re.compile(rb"(?:InitiatorName|TargetName)=([\x21-\x7e]{8,223}?)\0")
DAYS = 30


def sources() -> list[Path]:
    """The bundled captures, and those of $ISCSISCOPE_CAPTURES or ../shared/captures if they are there."""
    given = Path(os.environ.get("ISCSISCOPE_CAPTURES", SOURCE.parent / "shared" / "captures"))
    found = [*(SOURCE / "sample-captures" / "bundle").rglob("*.pcapng.zst"), *given.rglob("*.pcap.zst")]
    return sorted(found, key=lambda p: (p.name, str(p)))


def content(path: Path) -> bytes:
    return subprocess.run(["zstd", "-dcq", str(path)], stdout=subprocess.PIPE, check=True).stdout


def made() -> list[tuple[str, bytes]]:
    """Name and content of the captures that are made here: what no bundled one shows."""
    whole = next(p for p in sources() if p.name.startswith("slow-target.initiator"))
    return [
        ("failing", trouble.failing()),
        ("cut", pcap.Pcap(pcap.classic(content(whole))).cut_to(trouble.SNAP)),
    ]


class Grower:
    """One source. grown(n) is its variation n; 0 differs from the source, too."""

    def __init__(self, whole: bytes) -> None:
        self._pcap = pcap.Pcap(pcap.classic(whole))
        names = {name for f in self._pcap.frames for name in NAMES.findall(f.data)}
        self._names = sorted(names, key=len, reverse=True)

    def grown(self, n: int) -> bytes:
        shift = (n * 7919 % (DAYS * 24)) * 3600 + n * 61 % 3600  # s; spread over the days
        host = n % 40
        renamed = {name: self._other(name, host) for name in self._names}
        pattern = re.compile(rb"(?:%s)(?=\0)" % b"|".join(map(re.escape, self._names))) if self._names else None
        parts = [self._pcap.header]
        for f in self._pcap.frames:
            seconds, part = struct.unpack_from(self._pcap.order + "II", f.record)
            data = bytearray(f.data)
            self._readdress(data, host + 1)
            if pattern is not None and b"iqn." in data:
                self._rename(data, pattern, renamed)
            parts.append(struct.pack(self._pcap.order + "II", seconds + shift, part) + f.record[8:16] + bytes(data))
        return b"".join(parts)

    @staticmethod
    def _other(name: bytes, host: int) -> bytes:
        """Of the same length: its last two characters become a number. A target is shared by several hosts."""
        return name[:-2] + b"%02d" % (host if b"init" in name or b"linux-kvm" in name else host % 8)

    def _ip(self, data: bytearray) -> int | None:
        """Where the IPv4 header begins."""
        at = LINK_HEADERS.get(self._pcap.link)
        if at is None or len(data) < at + 40:
            return None
        if self._pcap.link != 101:
            kind = data[at - 2 : at] if self._pcap.link != 276 else data[0:2]
            if kind == b"\x81\x00":
                kind, at = data[at + 2 : at + 4], at + 4
            if kind != b"\x08\x00":
                return None
        return at if data[at] >> 4 == 4 and data[at + 9] == 6 else None

    def _readdress(self, data: bytearray, add: int) -> None:
        """Adds to the third byte of both addresses: the word of an address changes by 256 times as much."""
        ip = self._ip(data)
        if ip is None:
            return
        delta = 0
        for at in (ip + 14, ip + 18):
            old = data[at]
            data[at] = (old + add) % 256
            delta += (data[at] - old) * 256
        _fix(data, ip + 10, delta)
        _fix(data, ip + (data[ip] & 15) * 4 + 16, delta)

    def _rename(self, data: bytearray, pattern: re.Pattern[bytes], renamed: dict[bytes, bytes]) -> None:
        ip = self._ip(data)
        if ip is None:
            return
        tcp = ip + (data[ip] & 15) * 4
        delta = 0
        for match in pattern.finditer(bytes(data)):
            new = renamed[match.group()]
            for i, byte in enumerate(new, match.start()):
                delta += (byte - data[i]) * (1 if (i - tcp) % 2 else 256)
                data[i] = byte
        _fix(data, tcp + 16, delta)


def _fix(data: bytearray, at: int, delta: int) -> None:
    """RFC 1624: the checksum at this place after words have changed by delta in all."""
    if at + 2 <= len(data):
        total = (~struct.unpack_from(">H", data, at)[0] & 0xFFFF) + delta
        struct.pack_into(">H", data, at, ~(total % 0xFFFF or 0xFFFF) & 0xFFFF)


def broken(n: int, whole: bytes) -> bytes:
    """No capture, in one of several ways."""
    return (
        b"",
        b"\x00",
        b"time,packets\r\n1,2\r\n",
        b"\x89PNG\r\n\x1a\n" + whole[:200],
        whole[:10],
        b"\xff" * 4096,
        b"\x28\xb5\x2f\xfd" + whole[:50],
        b"\x1f\x8b\x08\x00" + whole[:50],
    )[n % 8]


def fleet(folder: Path, count: int, bad: int, max_bytes: int | None = None) -> Iterator[tuple[Path, bool]]:
    """Writes `count` captures, `bad` of them broken; gives path and whether it is whole. max_bytes: of a source,
    unpacked."""
    found = [(p.name.split(".pcap")[0], content(p)) for p in sources()]
    if max_bytes is not None:
        found = [(name, whole) for name, whole in found if len(whole) <= max_bytes]
    found[3:3] = made()  # in a fleet of any size, and behind those that are broken or copied
    per_source = -(-count // len(found))
    worse = {i * count // bad for i in range(bad)} if bad else set()
    number = 0
    for index, (name, source) in enumerate(found):
        grower = Grower(source)
        for variation in range(per_source):
            if number == count:
                return
            target = folder / f"host{number % 40:02}" / f"{name}.{number:05}.pcap"
            target.parent.mkdir(parents=True, exist_ok=True)
            whole = grower.grown(index + variation * len(found))
            target.write_bytes(broken(number, whole) if number in worse else whole)
            yield target, number not in worse
            number += 1


if __name__ == "__main__":  # python3 grow.py FOLDER COUNT BROKEN
    written = list(fleet(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
    print(f"{len(written)} captures, {sum(not good for _, good in written)} of them broken")
