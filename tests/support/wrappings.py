# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of Ethernet frames wrapped in each encapsulation that the decoder knows."""
import struct

# Addresses of the outer packets.
OUTER = bytes([10, 255, 0, 1]), bytes([10, 255, 0, 2])


def ipv4(protocol, payload):
    return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 7, 0, 64, protocol, 0, *OUTER) + payload


def ipv6(header, payload):
    return struct.pack("!IHBB", 6 << 28, len(payload), header, 64) + bytes(15) + b"\1" + bytes(15) + b"\2" + payload


def udp(port, payload):
    return struct.pack("!HHHH", 50000, port, 8 + len(payload), 0) + payload


def ethernet(kind, payload):
    return bytes(12) + struct.pack("!H", kind) + payload


# From an Ethernet frame, or from its EtherType and packet, to the frame that carries it. number: of the frame.
WRAPPINGS = {
    "gre": lambda frame, kind, packet, number: ethernet(0x0800, ipv4(47, struct.pack("!HH", 0, kind) + packet)),
    "gre with a key, of frames": lambda frame, kind, packet, number: ethernet(
        0x0800, ipv4(47, struct.pack("!HHI", 0x2000, 0x6558, 9) + frame)),
    "erspan 1": lambda frame, kind, packet, number: ethernet(0x0800, ipv4(47, struct.pack("!HH", 0, 0x88be) + frame)),
    "erspan 2": lambda frame, kind, packet, number: ethernet(0x0800, ipv4(
        47, struct.pack("!HHI", 0x1000, 0x88be, number) + struct.pack("!HHI", 0x1001, 5, 0) + frame)),
    "erspan 3": lambda frame, kind, packet, number: ethernet(0x86dd, ipv6(
        47, struct.pack("!HHI", 0x1000, 0x22eb, number) + struct.pack("!HHIHH", 0x2001, 5, number, 0, 0) + frame)),
    "ip in ip": lambda frame, kind, packet, number: ethernet(0x0800, ipv4(4 if kind == 0x0800 else 41, packet)),
    "ip in ipv6": lambda frame, kind, packet, number: ethernet(0x86dd, ipv6(4 if kind == 0x0800 else 41, packet)),
    "vxlan": lambda frame, kind, packet, number: ethernet(
        0x0800, ipv4(17, udp(4789, struct.pack("!II", 0x08000000, 42 << 8) + frame))),
    "geneve": lambda frame, kind, packet, number: ethernet(
        0x0800, ipv4(17, udp(6081, struct.pack("!BBHIQ", 2, 0, 0x6558, 42 << 8, 0) + frame))),
    "mpls": lambda frame, kind, packet, number: ethernet(
        0x8847, struct.pack("!II", 17 << 12 | 64, 18 << 12 | 0x140) + packet),
    "gre, all fields": lambda frame, kind, packet, number: ethernet(0x86dd, ipv6(
        47, struct.pack("!HHIII", 0xb000, kind, 0, 9, number) + packet)),
    "erspan 3, subheader, of a VLAN in a VLAN": lambda frame, kind, packet, number: ethernet(0x0800, ipv4(
        47, struct.pack("!HHI", 0x1000, 0x22eb, number) + struct.pack("!HHIHHQ", 0x2001, 5, number, 0, 1, 0) +
        frame[:12] + struct.pack("!HHHHH", 0x88a8, 5, 0x8100, 6, kind) + packet)),
    "mpls pseudowire without control word": lambda frame, kind, packet, number: ethernet(
        0x8847, struct.pack("!II", 17 << 12 | 64, 18 << 12 | 0x140) + frame),
    "ah": lambda frame, kind, packet, number: ethernet(0x0800, ipv4(
        51, struct.pack("!BBHIIIII", 4 if kind == 0x0800 else 41, 4, 0, 77, number, 0, 0, 0) + packet)),
    "mpls pseudowire": lambda frame, kind, packet, number: ethernet(
        0x8847, struct.pack("!II", 17 << 12 | 0x140, 0) + frame),
    "pppoe": lambda frame, kind, packet, number: ethernet(
        0x8864, struct.pack("!BBHHH", 0x11, 0, 3, 2 + len(packet), 0x21 if kind == 0x0800 else 0x57) + packet),
    "pppoe in a vlan, in vxlan": lambda frame, kind, packet, number: ethernet(
        0x0800, ipv4(17, udp(4789, struct.pack("!II", 0x08000000, 42 << 8) + ethernet(
            0x8100, struct.pack("!HH", 7, 0x8864) + struct.pack(
                "!BBHHH", 0x11, 0, 3, 2 + len(packet), 0x21 if kind == 0x0800 else 0x57) + packet)))),
}


def frames(content):
    """A little-endian pcap file of whole frames: its header, and (seconds, fraction, frame) of each."""
    magic, = struct.unpack_from("<I", content)
    assert magic in (0xA1B2C3D4, 0xA1B23C4D), hex(magic)
    at, found = 24, []
    while at + 16 <= len(content):
        seconds, fraction, captured, length = struct.unpack_from("<IIII", content, at)
        assert captured == length, "the capture is cut"
        found.append((seconds, fraction, content[at + 16:at + 16 + captured]))
        at += 16 + captured
    return content[:24], found


def written(head, found):
    """The pcap file of these frames, with (seconds, fraction, frame, original length) or without the last."""
    out = [head[:16] + struct.pack("<I", 262144) + head[20:]]
    for seconds, fraction, frame, *length in found:
        out.append(struct.pack("<IIII", seconds, fraction, len(frame), *(length or [len(frame)])) + frame)
    return b"".join(out)


def wrapped_frames(found, wrap):
    """Each IP packet's frame wrapped; the number that wrap() gets is that of the frame."""
    for number, (seconds, fraction, frame) in enumerate(found, 1):
        kind, = struct.unpack_from("!H", frame, 12)
        yield seconds, fraction, wrap(frame, kind, frame[14:], number) if kind in (0x0800, 0x86dd) else frame


def wrapped(content, wrap):
    """The capture with the frame of each IP packet wrapped."""
    head, found = frames(content)
    return written(head, wrapped_frames(found, wrap))
