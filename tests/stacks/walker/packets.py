# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of a classic pcap file.

In: the path of a pcap file (little or big endian, microseconds or nanoseconds), plain or packed as `.zst`; link types
Ethernet (with 802.1Q and QinQ tags), LINUX_SLL, LINUX_SLL2, RAW; IPv4 and IPv6.
Out: `packets(path)` yields one Packet per frame; `capture(path)` gives the list with `damaged` decided.
Units: `time` is integer nanoseconds since 1970, `frame` counts from 1 as Wireshark does, lengths are bytes.
"""
import ipaddress
import struct
import subprocess

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
MAGIC = {b'\xd4\xc3\xb2\xa1': ('<', 1000), b'\xa1\xb2\xc3\xd4': ('>', 1000),
         b'\x4d\x3c\xb2\xa1': ('<', 1), b'\xa1\xb2\x3c\x4d': ('>', 1)}
TAGS = (0x8100, 0x88a8, 0x9100)
FEW_PACKETS = 10     # A direction with fewer packets is too short for the share below to say anything.
OFFLOAD_SHARE = 0.2  # At or above this share of wrong sums a direction's sums are those of an offload, not damage.


class Packet:
    """One frame. `kind` is tcp, icmp, icmp6, fragment or other; only tcp has the TCP attributes.

    `length` is the TCP payload on the wire, `payload` the part of it that the file holds, `cut` the difference.
    `sums` is right, wrong, unfilled (the sender's offload left only the sum of the pseudo header) or unknown (cut).
    """
    __slots__ = ('frame', 'time', 'kind', 'src', 'dst', 'sport', 'dport', 'ident', 'seq', 'ack', 'flags', 'window',
                 'options', 'payload', 'length', 'cut', 'sums', 'damaged', 'icmp', 'tags')

    def __init__(self, frame, time):
        self.frame, self.time, self.kind = frame, time, 'other'
        self.src = self.dst = self.sport = self.dport = self.ident = self.icmp = None
        self.seq = self.ack = self.flags = self.window = None
        self.options, self.payload, self.length, self.cut = {}, b'', 0, 0
        self.sums, self.damaged, self.tags = 'unknown', False, ()


_names = {}


def address(raw):
    """The text of a 4 or 16 byte address."""
    name = _names.get(raw)
    if name is None:
        name = _names[raw] = str(ipaddress.ip_address(raw))
    return name


def ones_sum(data):
    """The ones' complement sum of 16 bit words, modulo 65535: 0 where a checksum over `data` is right."""
    return int.from_bytes(data + b'\0' if len(data) & 1 else data, 'big') % 65535


def tcp_options(raw):
    """The TCP options as a dict: mss, wscale, sack_permitted, sack (list of pairs), timestamps (value, echo)."""
    found, at = {}, 0
    while at < len(raw):
        kind = raw[at]
        if kind == 0:
            break
        if kind == 1:
            at += 1
            continue
        size = raw[at + 1] if at + 1 < len(raw) else 0
        if size < 2 or at + size > len(raw):
            break
        value = raw[at + 2:at + size]
        if kind == 2 and size == 4:
            found['mss'] = int.from_bytes(value, 'big')
        elif kind == 3 and size == 3:
            found['wscale'] = min(value[0], 14)
        elif kind == 4:
            found['sack_permitted'] = True
        elif kind == 5 and size >= 10 and size % 8 == 2:
            found['sack'] = list(struct.iter_unpack('>II', value))
        elif kind == 8 and size == 10:
            found['timestamps'] = struct.unpack('>II', value)
        at += size
    return found


def _network(data, link):
    """Where the network header starts, its EtherType (None: none known), and the VLAN tags."""
    if link in (101, 12, 14, 228, 229):
        version = data[0] >> 4 if data else 0
        return 0, {4: 0x800, 6: 0x86dd}.get(version), ()
    at, field = {1: (14, 12), 113: (16, 14), 276: (20, 0)}.get(link, (None, None))
    if at is None:
        raise ValueError(f'link type {link} is not known')
    if len(data) < at:
        return at, None, ()
    kind, tags = int.from_bytes(data[field:field + 2], 'big'), []
    while kind in TAGS and len(data) >= at + 4:
        tags.append(int.from_bytes(data[at:at + 2], 'big') & 0xfff)
        kind = int.from_bytes(data[at + 2:at + 4], 'big')
        at += 4
    return at, kind, tuple(tags)


def _decode(packet, data, wire, link):
    """Fills in the packet from the bytes of its frame, of which the wire had `wire`."""
    at, kind, packet.tags = _network(data, link)
    if kind == 0x800 and len(data) >= at + 20 and data[at] >> 4 == 4:
        size = (data[at] & 15) * 4
        total, packet.ident, fragment = struct.unpack_from('>HHH', data, at + 2)
        total = total or wire - at                       # An offload may leave the total length 0.
        protocol, raw_src, raw_dst = data[at + 9], data[at + 12:at + 16], data[at + 16:at + 20]
        if size < 20 or ones_sum(data[at:at + size]):
            packet.sums = 'wrong'
        top, end, split = at + size, at + total, bool(fragment & 0x3fff)
    elif kind == 0x86dd and len(data) >= at + 40 and data[at] >> 4 == 6:
        total, protocol = int.from_bytes(data[at + 4:at + 6], 'big'), data[at + 6]
        raw_src, raw_dst = data[at + 8:at + 24], data[at + 24:at + 40]
        top, split = at + 40, False
        end = top + total if total else wire
        while protocol in (0, 43, 60, 44) and len(data) >= top + 8:
            split = split or protocol == 44
            step = 8 if protocol == 44 else 8 * (data[top + 1] + 1)
            protocol, top = data[top], top + step
    else:
        return
    packet.src, packet.dst = address(raw_src), address(raw_dst)
    if split:
        packet.kind = 'fragment'
        return
    if protocol in (1, 58) and len(data) >= top + 2:
        packet.kind, packet.icmp = ('icmp' if protocol == 1 else 'icmp6'), (data[top], data[top + 1])
        return
    if protocol != 6 or len(data) < top + 20:
        return
    (packet.sport, packet.dport, packet.seq, packet.ack, offset, packet.flags, packet.window, field) = \
        struct.unpack_from('>HHIIBBHH', data, top)
    start = top + (offset >> 4) * 4
    if start < top + 20 or start > end:
        packet.sums = 'wrong'
        return
    if start > len(data):
        return
    packet.kind = 'tcp'
    packet.options = tcp_options(data[top + 20:start])
    packet.payload = data[start:min(end, len(data))]
    packet.length = end - start
    packet.cut = packet.length - len(packet.payload)
    if packet.sums != 'wrong' and not packet.cut:
        pseudo = ones_sum(raw_src + raw_dst) + 6 + end - top
        if (pseudo + ones_sum(data[top:end])) % 65535 == 0:
            packet.sums = 'right'
        else:
            packet.sums = 'unfilled' if pseudo % 65535 == field % 65535 else 'wrong'


def _content(path):
    path = str(path)
    if path.endswith('.zst'):
        return subprocess.run(['zstd', '-dcq', path], check=True, stdout=subprocess.PIPE).stdout
    with open(path, 'rb') as file:
        return file.read()


def packets(path):
    """Yields the packets of the file in their order; `damaged` is not decided yet. A torn last record is left out."""
    data = _content(path)
    if data[:4] not in MAGIC or len(data) < 24:
        raise ValueError(f'{path} is not a classic pcap file')
    order, unit = MAGIC[data[:4]]
    link = struct.unpack_from(order + 'I', data, 20)[0] & 0xffff
    record, at, frame = struct.Struct(order + '4I'), 24, 0
    while at + 16 <= len(data):
        seconds, part, held, wire = record.unpack_from(data, at)
        if at + 16 + held > len(data):
            break
        frame += 1
        packet = Packet(frame, seconds * 1_000_000_000 + part * unit)
        _decode(packet, data[at + 16:at + 16 + held], wire, link)
        at += 16 + held
        yield packet


def capture(path):
    """The list of packets with `damaged` decided: a wrong sum, unless the sums of that direction are wrong often."""
    result, seen, wrong = list(packets(path)), {}, {}
    for packet in result:
        if packet.kind == 'tcp' or packet.sums == 'wrong':
            way = packet.src, packet.dst
            seen[way] = seen.get(way, 0) + 1
            wrong[way] = wrong.get(way, 0) + (packet.sums == 'wrong')
    often = {way for way, count in seen.items() if count >= FEW_PACKETS and wrong[way] >= OFFLOAD_SHARE * count}
    for packet in result:
        packet.damaged = packet.sums == 'wrong' and (packet.src, packet.dst) not in often
    return result
