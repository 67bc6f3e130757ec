# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames (Ethernet, IPv4 or IPv6, TCP) with right checksums, and a pcap file with times in nanoseconds."""
import struct

EPOCH = 1_700_000_000 * 10**9  # nanoseconds; time 0 of a dialogue
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
SCALE = 7


def checksum(data):
    """RFC 1071: the sum modulo 65535 is the sum in one's complement."""
    if len(data) % 2:
        data += b"\0"
    rest = int.from_bytes(data, "big") % 0xFFFF
    return 0xFFFF - (rest or (0xFFFF if any(data) else 0))


def options_of(frame):
    """The TCP options of a frame: in a SYN the MSS, SACK permitted and the window scale."""
    out = b""
    if frame.flags & SYN:
        out += struct.pack("!BBH", 2, 4, frame.mss) + b"\x04\x02" + struct.pack("!BBBB", 1, 3, 3, SCALE)
    if frame.stamps:
        out += struct.pack("!BBBBII", 1, 1, 8, 10, frame.stamps[0] & 0xFFFFFFFF, frame.stamps[1] & 0xFFFFFFFF)
    if frame.sack:
        out += struct.pack("!BBBB", 1, 1, 5, 2 + 8 * len(frame.sack))
        for first, end in frame.sack:
            out += struct.pack("!II", first & 0xFFFFFFFF, end & 0xFFFFFFFF)
    return out + b"\1" * (-len(out) % 4)


def packet(frame, source, target, ttl=64):
    """The bytes of a frame; source and target: (MAC, address as bytes, port)."""
    options = options_of(frame)
    window = 64240 if frame.flags & SYN else 0xFFFF
    tcp = struct.pack("!HHIIBBHHH", source[2], target[2], frame.wire_seq & 0xFFFFFFFF, frame.wire_ack & 0xFFFFFFFF,
                      (5 + len(options) // 4) << 4, frame.flags, window, 0, 0) + options + frame.data
    pseudo = source[1] + target[1] + struct.pack("!HH", 6, len(tcp))
    tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp)) + tcp[18:]
    if len(source[1]) == 16:
        ip = struct.pack("!IHBB", 0x60000000, len(tcp), 6, ttl) + source[1] + target[1]
        return target[0] + source[0] + b"\x86\xdd" + ip + tcp
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), frame.ident & 0xFFFF, 0x4000, ttl, 6, 0,
                     source[1], target[1])
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    return target[0] + source[0] + b"\x08\x00" + ip + tcp


def write_pcap(path, packets, snap=None):
    """packets: (time in nanoseconds, bytes), in order of time. snap: how many bytes of each the file holds."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, data in packets:
            seconds, rest = divmod(EPOCH + time, 10**9)
            out.write(struct.pack("<IIII", seconds, rest, len(data[:snap]), len(data)) + data[:snap])


def read_pcap(path):
    """The packets of a file that write_pcap wrote."""
    with open(path, "rb") as source:
        content = source.read()
    at = 24
    while at < len(content):
        seconds, rest, length, _ = struct.unpack_from("<IIII", content, at)
        yield seconds * 10**9 + rest - EPOCH, content[at + 16:at + 16 + length]
        at += 16 + length
