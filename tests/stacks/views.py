# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as people have them, made from whole ones: cut packets, begun in the middle, one direction only.

In: a pcap file (little-endian, nanoseconds, as the laboratory's taps write it) and the name of a view (catalogue/plan.py, VIEWS). Out: a pcap file
of that view. Nothing is added and no time is changed."""

import struct

FILE_HEADER, PACKET_HEADER = struct.Struct("<IHHiIII"), struct.Struct("<IIII")
BEGIN = 0.4    # share of the packets that a view "middle" leaves out
ETHERNET, LINUX_SLL2 = 1, 276


def packets(data):
    """(header fields, bytes) of each packet."""
    at = FILE_HEADER.size
    while at + PACKET_HEADER.size <= len(data):
        fields = PACKET_HEADER.unpack_from(data, at)
        at += PACKET_HEADER.size
        yield fields, data[at:at + fields[2]]
        at += fields[2]


def goes_to(frame, link, port):
    """Whether a TCP packet goes to the port: True or False; None for what is no TCP over IPv4 or IPv6."""
    at = 14 if link == ETHERNET else 20
    protocol = frame[12:14] if link == ETHERNET else frame[0:2]
    if protocol == b"\x08\x00" and frame[at + 9] == 6:
        at += 4 * (frame[at] & 15)
    elif protocol == b"\x86\xdd" and frame[at + 6] == 6:
        at += 40
    else:
        return None
    return struct.unpack_from(">H", frame, at + 2)[0] == port


def make(source, target, view, port=3260):
    with open(source, "rb") as file:
        data = file.read()
    header = list(FILE_HEADER.unpack_from(data))
    link = header[6] & 0xFFFF
    if link not in (ETHERNET, LINUX_SLL2):
        raise ValueError(f"{source}: link type {link}")
    chosen = list(packets(data))
    if view == "middle":
        chosen = chosen[int(len(chosen) * BEGIN):]
    elif view.startswith("snap"):
        header[5] = int(view[4:])
        chosen = [((s, ns, min(kept, header[5]), size), frame[:header[5]]) for (s, ns, kept, size), frame in chosen]
    else:
        wanted = view == "to_target_only"
        chosen = [(fields, frame) for fields, frame in chosen if goes_to(frame, link, port) in (wanted, None)]
    with open(target, "wb") as file:
        file.write(FILE_HEADER.pack(*header))
        for fields, frame in chosen:
            file.write(PACKET_HEADER.pack(*fields) + frame)
