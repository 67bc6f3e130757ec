# SPDX-License-Identifier: GPL-2.0-or-later
"""What happens to captures on their way into a file: packets are missing, stand in another order, come twice, carry
tags, and their clock is set or coarse. Each way takes link type and frames (tests/cut/frames.py) and returns frames; or
None where the capture cannot have it."""
import dataclasses
import random
import struct

import frames

MS = 10**6
ETHERNET_HEADER = 14


def missing(share, faster=1):
    def way(link, all_frames):
        kept = [all_frames[i] for i in frames.kept_of(all_frames, share, 1)]
        first = kept[0].time_ns if kept else 0
        return [dataclasses.replace(f, time_ns=first + (f.time_ns - first) // faster) for f in kept]
    return way


def faster(times):
    return missing(0.0, times)


def queues(number, group):
    """Groups of frames of several queues, written in turn, at the latest after 5 ms. A direction of a connection has
    one queue."""
    def way(link, all_frames):
        of = {}
        out = []
        begin = 0
        while begin < len(all_frames):
            end = begin + 1
            while (end < min(len(all_frames), begin + number * group) and
                   all_frames[end].time_ns - all_frames[begin].time_ns < 5 * MS):
                end += 1
            block, begin = all_frames[begin:end], end
            by_queue = [[] for _ in range(number)]
            for f in block:
                s = frames.segment_of(link, f.data)
                key = s.flow if s else b""
                by_queue[of.setdefault(key, len(of)) % number].append(f)
            for queue in by_queue:
                out += queue
        return out
    return way


def changed(frame, link, ttl=0, mac=b"", tag=b""):
    """The frame as it looks behind a router (time to live, hardware address) or with a VLAN tag."""
    s = frames.segment_of(link, frame.data)
    if s is None or link != frames.ETHERNET:
        return None
    data = bytearray(frame.data)
    if ttl:
        at = s.ip + (8 if s.version == 4 else 7)
        data[at] -= ttl
        if s.version == 4:
            struct.pack_into("!H", data, s.ip + 10, 0)
            struct.pack_into("!H", data, s.ip + 10, frames.checksum(data[s.ip:s.tcp]))
    if mac:
        data[0:12] = mac
    if tag:
        data[12:12] = tag
    return dataclasses.replace(frame, data=bytes(data), length=frame.length + len(tag))


def twice(how, later_ns=3000):
    """Every frame a second time, a little later, between those that follow."""
    def way(link, all_frames):
        out = []
        for f in all_frames:
            copy = how(f, link)
            if copy is None:
                return None
            out += [f, dataclasses.replace(copy, time_ns=f.time_ns + later_ns)]
        return sorted(out, key=lambda f: f.time_ns)
    return way


def marked(all_frames, link):
    """True if the sender of every segment marks it: only then a copy differs from a segment sent again."""
    for f in all_frames:
        s = frames.segment_of(link, f.data)
        if s is None or (s.version == 4 and f.data[s.ip + 4:s.ip + 6] == b"\0\0"):
            return False
    return True


def same_twice(link, all_frames):
    return twice(lambda f, l: f)(link, all_frames) if marked(all_frames, link) else None


def step(by_ns, at=0.4):
    def way(link, all_frames):
        first = int(len(all_frames) * at)
        return [f if i < first else dataclasses.replace(f, time_ns=f.time_ns + by_ns)
                for i, f in enumerate(all_frames)]
    return way


def stamped(link, all_frames):
    """True if segments carry timestamps (RFC 7323): without them a clock set forward looks like a pause."""
    count = 0
    for f in all_frames[:200]:
        s = frames.segment_of(link, f.data)
        if s and b"\x08\x0a" in f.data[s.tcp + 20:s.payload]:
            count += 1
    return count > 100


def forward(by_ns):
    def way(link, all_frames):
        return step(by_ns)(link, all_frames) if stamped(link, all_frames) else None
    return way


def coarse(tick_ns):
    def way(link, all_frames):
        return [dataclasses.replace(f, time_ns=f.time_ns // tick_ns * tick_ns) for f in all_frames]
    return way


def tagged(tag):
    def way(link, all_frames):
        if link != frames.ETHERNET:
            return None
        return [dataclasses.replace(f, data=f.data[:12] + tag + f.data[12:], length=f.length + len(tag))
                for f in all_frames]
    return way


VLAN = struct.pack("!HH", 0x8100, 7)
ROUTED = bytes([2, 0, 0, 0, 9, 1, 2, 0, 0, 0, 9, 2])

# Name: (way, group). Bars are those of the group.
WAYS = {
    "0.1 % missing": (missing(0.001), "missing"),
    "0.4 % missing": (missing(0.004), "missing"),
    "1 % missing": (missing(0.01), "much missing"),
    "0.4 % missing, times divided by ten": (missing(0.004, 10), "much missing"),
    "two queues, groups of 8": (queues(2, 8), "order"),
    "three queues, groups of 32": (queues(3, 32), "order"),
    "twice": (same_twice, "copies"),
    "twice, behind a router": (twice(lambda f, l: changed(f, l, ttl=1, mac=ROUTED)), "copies"),
    "twice, with another hardware address": (twice(lambda f, l: changed(f, l, mac=ROUTED)), "copies"),
    "twice, once in a VLAN and routed": (twice(lambda f, l: changed(f, l, ttl=1, tag=VLAN)), "copies"),
    "clock 0.5 s back": (step(-500 * MS), "steps"),
    "clock 1 h back": (step(-3600 * 1000 * MS), "steps"),
    "clock 0.5 s forward": (forward(500 * MS), "steps"),
    "clock 1 h forward": (forward(3600 * 1000 * MS), "steps"),
    "clock of 1 ms": (coarse(MS), "coarse"),
    "clock of 15.6 ms": (coarse(15_600_000), "coarse"),
    "VLAN": (tagged(VLAN), "carriers"),
    "VN-Tag": (tagged(struct.pack("!HI", 0x8926, 0x00010000)), "carriers"),
    "E-tag": (tagged(struct.pack("!HHHH", 0x893F, 0x1000, 0x0001, 0)), "carriers"),
}
