# SPDX-License-Identifier: GPL-2.0-or-later
"""The iSCSI PDUs of a connection, walked from the start of each stream through the login.

In: a streams.Connection. Out: `walk(connection, crc)` gives a Walk: `walkable`, `reason`, `pdus` (both directions, in
the order in which they were delivered at this tap), `answered` (the keys that the target answered in the login).
Units: times in integer nanoseconds, lengths and stream offsets in bytes, numbers as they stand in the PDU.
"""
import struct

from crc32c import crc32c

NAMES = {0x00: 'NOP-Out', 0x01: 'SCSI Command', 0x02: 'Task Management Request', 0x03: 'Login Request',
         0x04: 'Text Request', 0x05: 'Data-Out', 0x06: 'Logout Request', 0x10: 'SNACK Request', 0x20: 'NOP-In',
         0x21: 'SCSI Response', 0x22: 'Task Management Response', 0x23: 'Login Response', 0x24: 'Text Response',
         0x25: 'Data-In', 0x26: 'Logout Response', 0x31: 'R2T', 0x32: 'Asynchronous Message', 0x3f: 'Reject'}
WITH_CMDSN = (0x00, 0x01, 0x02, 0x03, 0x04, 0x06)
FINAL_LOGIN = 0x83      # T = 1 and NSG = 3, under the mask 0x83: on to the full feature phase.
KEPT = 4096             # Bytes of a data segment that a PDU keeps.


class Pdu:
    """One PDU; an attribute that its type does not have is None.

    `frame`, `time`: its first byte was seen. `end_frame`, `end_time`: all of its bytes were seen. `delivered_frame`,
    `delivered_time`: the stream had reached its end in order. `holed`: the tap never saw some of its data.
    `header_digest`, `data_digest`: present; `header_right`, `data_right`: None when not checked.
    """

    def __init__(self, sender, header, offset):
        def number(at):
            return int.from_bytes(header[at:at + 4], 'big')
        self.sender, self.offset, self.header = sender, offset, header      # "initiator" or "target"
        self.opcode, self.immediate, self.flags = header[0] & 0x3f, bool(header[0] & 0x40), header[1]
        self.name = NAMES.get(self.opcode, f'opcode {self.opcode:#04x}')
        self.ahs_len, self.data_len = 4 * header[4], int.from_bytes(header[5:8], 'big')
        self.itt, self.ttt, self.lun = number(16), None, None
        self.cmdsn = self.expstatsn = self.statsn = self.expcmdsn = self.maxcmdsn = None
        self.cdb = self.expected = self.status = self.response = self.sense = self.residual = None
        self.buffer_offset = self.desired = self.datasn = self.login_status = self.reason = None
        self.tm_function = self.tm_response = self.referenced = self.async_event = None
        self.header_digest = self.data_digest = self.holed = False
        self.header_right = self.data_right = None
        self.data = b''
        op = self.opcode
        if op < 0x20:
            self.expstatsn = number(28)
            self.cmdsn = number(24) if op in WITH_CMDSN else None
        else:
            self.expcmdsn, self.maxcmdsn = number(28), number(32)
            self.statsn = number(24) if op != 0x25 or self.flags & 1 else None
        if op in (0x00, 0x01, 0x02, 0x05, 0x20, 0x25, 0x31, 0x32):
            self.lun = lun_of(header[8:16])
        if op in (0x00, 0x04, 0x05, 0x10, 0x20, 0x24, 0x25, 0x31):
            self.ttt = number(20)
        if op == 0x01:
            self.expected, self.cdb = number(20), header[32:48]
        elif op == 0x02:
            self.tm_function, self.referenced = self.flags & 0x7f, number(20)
        elif op == 0x22:
            self.tm_response = header[2]
        elif op == 0x21:
            self.response, self.status = header[2], header[3]
        elif op == 0x23:
            self.login_status = header[36], header[37]
        elif op == 0x26:
            self.response = header[2]
        elif op == 0x32:
            self.async_event = header[36], header[37]
        elif op == 0x3f:
            self.reason = header[2]
        if op == 0x25 and self.flags & 1:
            self.status = header[3]
        if op == 0x21 or op == 0x25 and self.flags & 1:
            self.residual = number(44) if self.flags & 6 else 0
        if op in (0x05, 0x25, 0x31):
            self.datasn, self.buffer_offset = number(36), number(40)
        if op == 0x31:
            self.desired = number(44)

    def __repr__(self):
        return f'<{self.name} frame {self.frame} itt {self.itt:#x}>'


class Walk:
    """What the walk of one connection found. `partial` lists PDUs whose end the capture does not hold."""

    def __init__(self):
        self.walkable, self.reason, self.pdus, self.partial, self.answered = True, None, [], [], {}
        self.header_digests = self.data_digests = False


def lun_of(raw):
    """The LUN of 8 bytes in the peripheral or the flat format; other formats as one 64 bit number."""
    method = raw[0] >> 6
    if method == 0:
        return raw[1]
    if method == 1:
        return (raw[0] & 0x3f) << 8 | raw[1]
    return int.from_bytes(raw, 'big')


def sense_of(data):
    """(key, asc, ascq) of the data segment of a SCSI Response; None without sense data."""
    size = int.from_bytes(data[:2], 'big')
    sense = data[2:2 + size]
    if len(sense) >= 14 and sense[0] & 0x7e == 0x70:
        return sense[2] & 15, sense[12], sense[13]
    if len(sense) >= 4 and sense[0] & 0x7e == 0x72:
        return sense[1] & 15, sense[2], sense[3]
    return None


def _finish(pdu, stream, end):
    first, last, reached = stream.seen_first(pdu.offset), stream.seen_whole(pdu.offset, end), stream.delivered(end)
    pdu.end, pdu.frame, pdu.time = end, first.frame, first.time
    pdu.end_frame, pdu.end_time = last.frame, last.time
    pdu.delivered_frame, pdu.delivered_time = reached.frame, reached.time


def _walk_stream(stream, sender, login_over, walk, crc):
    """Walks one direction. `login_over(pdu)` tells whether the digests are in force after this PDU."""
    data, holes, at, full = stream.joined(), stream.holes(), 0, False
    known = range(0x20, 0x40) if sender == 'target' else range(0, 0x20)
    while at + 48 <= len(data):
        if any(low < at + 48 and high > at for low, high in holes):
            walk.reason = f'the header of a PDU of the {sender} at offset {at} was not captured'
            return
        pdu = Pdu(sender, data[at:at + 48], at)
        if pdu.opcode not in known or pdu.opcode not in NAMES:
            walk.walkable, walk.reason = False, f'no PDU of the {sender} at offset {at}'
            return
        pdu.header_digest = full and walk.header_digests
        pdu.data_digest = bool(full and walk.data_digests and pdu.data_len)
        body = at + 48 + pdu.ahs_len
        start = body + 4 * pdu.header_digest
        padded = start + (pdu.data_len + 3 & ~3)
        end = padded + 4 * pdu.data_digest
        if end > len(data):
            first = stream.seen_first(at)
            pdu.end, pdu.frame, pdu.time = end, first.frame, first.time
            walk.partial.append(pdu)
            return
        pdu.holed = any(low < end and high > at for low, high in holes)
        pdu.data = data[start:start + min(pdu.data_len, KEPT)]
        if crc and not pdu.holed:
            if pdu.header_digest:
                pdu.header_right = crc32c(data[at:body]) == struct.unpack_from('<I', data, body)[0]
            if pdu.data_digest:
                pdu.data_right = crc32c(data[start:padded]) == struct.unpack_from('<I', data, padded)[0]
        if pdu.opcode == 0x21:
            pdu.sense = sense_of(pdu.data)
        _finish(pdu, stream, end)
        walk.pdus.append(pdu)
        full = full or login_over(pdu)
        at = end


def walk(connection, crc=False):
    """The Walk of a connection. `crc` also checks the digests, which takes about 0.1 s for each megabyte."""
    result = Walk()
    client, server = connection.client, connection.server
    for stream, side in ((client, 'client'), (server, 'server')):
        if stream.pieces and not stream.begins:
            result.walkable, result.reason = False, f'the stream of the {side} has no visible beginning'
            return result
        if stream.cut:
            result.walkable, result.reason = False, f'packets of the {side} are cut'
            return result
    first = client.joined()[:1]
    if first and first[0] & 0x3f != 3:
        result.walkable, result.reason = False, 'the client does not begin with a Login Request'
        return result
    responses, text, login_responses = 0, b'', None

    def target_login_over(pdu):
        nonlocal responses, text, login_responses
        if pdu.opcode != 0x23:
            return False
        responses += 1
        text += pdu.data
        if pdu.flags & FINAL_LOGIN != FINAL_LOGIN or pdu.login_status[0]:
            return False
        login_responses = responses
        pairs = [part.split(b'=', 1) for part in text.split(b'\0') if b'=' in part]
        result.answered = {key.decode('utf-8', 'replace'): value.decode('utf-8', 'replace') for key, value in pairs
                           if not key.startswith(b'CHAP_')}
        result.header_digests = result.answered.get('HeaderDigest') == 'CRC32C'
        result.data_digests = result.answered.get('DataDigest') == 'CRC32C'
        return True

    requests = 0

    def initiator_login_over(pdu):
        nonlocal requests
        requests += pdu.opcode == 3
        return requests == login_responses

    _walk_stream(server, 'target', target_login_over, result, crc)
    if result.walkable:
        _walk_stream(client, 'initiator', initiator_login_over, result, crc)
    if not result.walkable:
        result.pdus = []
    result.pdus.sort(key=lambda pdu: (pdu.delivered_frame, pdu.offset))
    return result
