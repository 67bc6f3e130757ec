#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of what comes from the wire hash with a key that each process draws anew: no result depends on it, and
connections whose endpoints shared all places of a table under version 0.2's hash, which had no key, take no longer
than others."""

import os
import resource
import struct
import subprocess
import sys
import tempfile

import common

KEYS = ("0", "1", "0xfedcba9876543210")
FORMS = (("report", "--format", "json"), ("report", "--all"), ("cycles",), ("connections",), ("ledger",), ("pdus",))
EVERY = 4  # of the captures
SYNS = 40_000
OLD, MASK = 0xFF51AFD7ED558CCD, (1 << 64) - 1


def output(program, key, arguments):
    done = subprocess.run([program, *arguments, "--quiet"], capture_output=True, timeout=300, check=True,
                          env={**os.environ, "ISCSISCOPE_HASH_KEY": key})
    return done.stdout


def same_with_any_key(program, verdict):
    captures = [common.packed_path(name) for name in common.captures(bundled=("",))][::EVERY]
    for path in captures:
        for form in FORMS:
            first, *others = (output(program, key, (*form, path)) for key in KEYS)
            verdict.expect(all(other == first for other in others), f"{' '.join(form)} {os.path.basename(path)}")
    common.figure(f"hash keys: {len(captures)} captures alike in {len(FORMS)} forms with {len(KEYS)} keys")


def mixed(h):
    h = h * OLD & MASK
    return h ^ h >> 32


def unmixed(h):
    return (h ^ h >> 32) * pow(OLD, -1, 1 << 64) & MASK


def syns(path, collide):
    """SYNs over IPv6 from one network to one portal, of which all endpoints have one hash, or had."""
    target, network = bytes.fromhex("20010db8000000000000000000000002"), bytes.fromhex("20010db800010000")
    word = struct.Struct("<Q")
    begin = word.unpack(network)[0] + 0x9E3779B97F4A7C15 & MASK
    of_target = mixed(mixed(mixed(word.unpack(target[:8])[0] + 0x9E3779B97F4A7C15 & MASK) ^ word.unpack(target[8:])[0]) ^ 3260)
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for n in range(SYNS):
            host = n * 0x9E3779B97F4A7C15 & MASK
            if collide:
                of_host = unmixed(n << 32 | 0x12345678) - of_target & MASK
                host = mixed(begin) ^ unmixed(unmixed(of_host) ^ 40000)
            tcp = struct.pack("!HHIIBBHHH", 40000, 3260, n, 0, 0x50, 2, 65535, 0, 0)
            packet = (bytes(12) + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, len(tcp), 6, 64) + network + word.pack(host)
                      + target + tcp)
            out.write(struct.pack("<IIII", 1_700_000_000 + n // 1000, n % 1000 * 1000, len(packet), len(packet)) + packet)


def processor_time(program, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([program, "report", "--quiet", path], stdout=subprocess.DEVNULL, timeout=300, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def no_flood(program, verdict):
    with tempfile.TemporaryDirectory(prefix="iscsiscope-keys-") as folder:
        ordinary, flood = (os.path.join(folder, name) for name in ("ordinary.pcap", "flood.pcap"))
        syns(ordinary, False)
        syns(flood, True)
        usual, hostile = (min(processor_time(program, path) for _ in range(2)) for path in (ordinary, flood))
    common.figure(f"hash keys: {SYNS} SYNs that shared a hash take {hostile / usual:.1f} times what others take")
    verdict.expect(hostile < 3 * usual + 0.1, f"a flood takes {hostile:.2f} s, other SYNs {usual:.2f} s")


def main():
    program = os.path.abspath(sys.argv[1])
    verdict = common.Verdict()
    no_flood(program, verdict)
    same_with_any_key(program, verdict)
    verdict.finish()


if __name__ == "__main__":
    main()
