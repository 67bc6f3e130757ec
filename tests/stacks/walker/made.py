# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes small captures of a known dialogue for the checks of the walker.

In: what each side sends and when (Talk.send), and how each file is to look (Talk.file). Out: pcap files for the two taps.
Units: times in ms since the start of the dialogue (which is second 1000 since 1970), lengths in bytes.
"""
import ipaddress
import struct

from crc32c import crc32c

ACK, SYN, FIN, RST = 16, 2, 1, 4
INI, TGT = ('10.1.0.1', 50000), ('10.2.0.2', 3260)
INI6, TGT6 = ('fd00::1', 50000), ('fd00::2', 3260)


def inverse_sum(data):
    total = sum(struct.unpack(f'>{(len(data) + 1) // 2}H', data + b'\0' * (len(data) & 1)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def ip_packet(source, target, ident, tcp, sums):
    """An IP packet of a TCP segment whose checksum is `right`, `wrong` or `unfilled`."""
    first, second = ipaddress.ip_address(source).packed, ipaddress.ip_address(target).packed
    pseudo = first + second + struct.pack('>II', len(tcp), 6)
    value = inverse_sum(pseudo + tcp) if sums != 'unfilled' else inverse_sum(pseudo) ^ 0xffff
    tcp = tcp[:16] + struct.pack('>H', value ^ (0x1234 if sums == 'wrong' else 0)) + tcp[18:]
    if len(first) == 16:
        return struct.pack('>IHBB', 6 << 28, len(tcp), 6, 64) + first + second + tcp
    head = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(tcp), ident, 0x4000, 64, 6, 0) + first + second
    return head[:10] + struct.pack('>H', inverse_sum(head)) + head[12:] + tcp


def on_link(data, link, tags):
    kind = 0x86dd if data[0] >> 4 == 6 else 0x800
    if link == 101:
        return data
    if link == 113:
        return struct.pack('>HHH8sH', 0, 1, 6, b'', kind) + data
    if link == 276:
        return struct.pack('>HHIHBB8s', kind, 0, 1, 1, 0, 6, b'') + data
    return bytes(12) + b''.join(struct.pack('>HH', 0x8100, tag) for tag in tags) + struct.pack('>H', kind) + data


class Talk:
    """One TCP connection; sides are 0 (initiator) and 1 (target). The taps collect (time, IP packet)."""

    def __init__(self, ends=(INI, TGT), isns=(1000, 2000), delay=5.0):
        self.ends, self.delay = ends, delay
        self.isns, self.next, self.ident = isns, [isns[0], isns[1]], [100, 200]
        self.taps = [], []

    def send(self, side, at, payload=b'', flags=ACK, delay=None, arrive=True, copies=1, seq=None, ack=None, window=1000,
             options=b'', sums='right', arrived_sums=None, ident=None):
        """Sends one packet at `at`; it arrives `delay` later, `copies` times (0 with arrive=False). Gives its number."""
        number = self.next[side] if seq is None else seq
        if seq is None:
            self.next[side] += len(payload) + bool(flags & SYN) + bool(flags & FIN)
        self.ident[side] += ident is None
        ident = self.ident[side] if ident is None else ident
        ack = (self.next[1 - side] if ack is None else ack) if flags & ACK else 0
        options += b'\1' * (-len(options) % 4)
        tcp = struct.pack('>HHIIBBHHH', self.ends[side][1], self.ends[1 - side][1], number % 2**32, ack % 2**32,
                          (20 + len(options)) // 4 << 4, flags, window, 0, 0) + options + payload

        def packet(state):
            return ip_packet(self.ends[side][0], self.ends[1 - side][0], ident, tcp, state)
        self.taps[side].append((at, packet(sums)))
        later = at + (self.delay if delay is None else delay)
        for copy in range(copies if arrive else 0):
            self.taps[1 - side].append((later + copy * .01, packet(arrived_sums or sums)))
        return number

    def open(self, at=0.0, scales=(2, 2)):
        def options(scale):
            return struct.pack('>BBH', 2, 4, 1460) + (struct.pack('>BBB', 3, 3, scale) if scale is not None else b'')
        self.send(0, at, flags=SYN, options=options(scales[0]))
        self.send(1, at + self.delay, flags=SYN | ACK, options=options(scales[1]))
        self.send(0, at + 2 * self.delay)

    def file(self, path, side, order='<', unit=1000, link=1, tags=(), snap=65535, skip=(), after=None):
        """Writes the tap of one side; `skip` are frames (from 1) that it misses, `after` the time of its first frame."""
        magic = 0xa1b2c3d4 if unit == 1000 else 0xa1b23c4d
        out = [struct.pack(order + 'IHHiIII', magic, 2, 4, 0, 0, snap, link)]
        for frame, (at, data) in enumerate(sorted(self.taps[side], key=lambda one: one[0]), 1):
            if frame in skip or (after is not None and at < after):
                continue
            data, time = on_link(data, link, tags), 1000 * 10**9 + round(at * 1000) * 1000
            out.append(struct.pack(order + 'IIII', time // 10**9, time % 10**9 // unit, min(len(data), snap), len(data)))
            out.append(data[:snap])
        with open(path, 'wb') as file:
            file.write(b''.join(out))
        return str(path)


def pdu(opcode, flags=0x80, itt=1, data=b'', lun=0, fields=(), digests=(False, False), damage=None):
    """A PDU; `fields` are (offset, number of 4 bytes or bytes); `damage` flips a byte of the data under its digest."""
    header = bytearray(48)
    header[0], header[1], header[5:8] = opcode, flags, len(data).to_bytes(3, 'big')
    header[8], header[9] = (0x40 | lun >> 8, lun & 255) if lun > 255 else (0, lun)
    header[16:20] = itt.to_bytes(4, 'big')
    for at, value in fields:
        raw = value if isinstance(value, bytes) else value.to_bytes(4, 'big')
        header[at:at + len(raw)] = raw
    padded = bytearray(data + bytes(-len(data) % 4))
    out = bytes(header) + (struct.pack('<I', crc32c(header)) if digests[0] else b'')
    tail = struct.pack('<I', crc32c(padded)) if digests[1] and data else b''
    if damage is not None:
        padded[damage] ^= 1
    return out + bytes(padded) + tail


def login(talk, at, keys=b'', status=0):
    """A login of one exchange that the target answers with `keys`."""
    talk.send(0, at, pdu(0x43, 0x87, 0, b'InitiatorName=iqn.a\0HeaderDigest=CRC32C,None\0'))
    data = b'' if status else keys
    talk.send(1, at + 2 * talk.delay, pdu(0x23, 0 if status else 0x87, 0, data, fields=[(36, status.to_bytes(2, 'big'))]))


def command(itt, cmdsn, cdb, expected, flags, lun=0, data=b'', digests=(False, False)):
    return pdu(0x01, flags, itt, data, lun, [(20, expected), (24, cmdsn), (32, cdb)], digests)


def cdb10(code, lba, blocks):
    return struct.pack('>BBIBHB', code, 0, lba, 0, blocks, 0) + bytes(6)


def answer(itt, status=0, data=b'', digests=(False, False), window=(1, 32)):
    return pdu(0x21, 0x80, itt, data, 0, [(3, bytes([status])), (28, window[0]), (32, window[1])], digests)


def data_in(itt, data, last=True, offset=0, digests=(False, False), damage=None):
    return pdu(0x25, 0x81 if last else 0, itt, data, 0, [(20, 2**32 - 1), (28, 1), (32, 32), (40, offset)], digests, damage)


def r2t(itt, ttt, offset, size):
    return pdu(0x31, 0x80, itt, b'', 0, [(20, ttt), (28, 1), (32, 32), (40, offset), (44, size)])


def data_out(itt, ttt, data, offset=0):
    return pdu(0x05, 0x80, itt, data, 0, [(20, ttt), (40, offset)])
