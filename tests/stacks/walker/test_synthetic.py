# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the walk of one file on small captures of known dialogues, made on the spot.

In: nothing. Out: a FIGURE line with the number of checks, and a FAILED line for each that does not hold; exit 1 then.
Units: the times of the dialogues in ms, those of the objects in ns.
"""
import subprocess
import sys

from checking import path, reading, run, same
from crc32c import crc32c
from made import INI6, TGT6, Talk, answer, cdb10, command, data_in, login
from tap import Tap, login_over
from tcpfacts import sizes


def check_formats():
    ends6 = INI6, TGT6
    ways = [{}, {'order': '>'}, {'unit': 1}, {'order': '>', 'unit': 1}, {'tags': (5,)}, {'tags': (5, 6)}, {'link': 113},
            {'link': 276}, {'link': 101}]
    for ends in ({}, {'ends': ends6}):
        for way in ways:
            tap = Tap(reading(Talk(**ends)).file(path(), 0, **way), crc=True)
            same(f'sums {ends} {way}', {packet.sums for packet in tap.packets}, {'right'})
            one = tap.connections[0]
            same(f'pdus {ends} {way}', [p.name for p in one.pdus],
                 ['Login Request', 'Login Response', 'SCSI Command', 'Data-In', 'Data-In'])
            same('digests', [(p.header_right, p.data_right) for p in one.pdus[2:]], [(True, None)] + 2 * [(True, True)])
            task = one.tasks[0]
            same('task', (task.name, task.lun, task.lba, task.blocks, task.expected, task.status, task.carried),
                 ('READ10', 300, 64, 6, 3000, 0, 3000))
            same('times', [(t - 1000 * 10**9) // 1000 for t in (task.start, task.first_answer, task.response_complete)],
                 [100_000, 112_000, 113_000])
    reading(Talk()).file(path(), 0)
    subprocess.run(['zstd', '-qf', path(), '-o', path('one.pcap.zst')], check=True)
    same('zst', len(Tap(path('one.pcap.zst')).pdus), 5)
    damaged = Tap(reading(Talk(), damage=7).file(path(), 0), crc=True).connections[0].pdus
    same('a wrong digest', [p.data_right for p in damaged[-2:]], [True, False])
    wrapped = Tap(reading(Talk(isns=(2**32 - 30, 2**32 - 1500))).file(path(), 1), crc=True)
    same('sequence numbers wrap', [p.data_right for p in wrapped.pdus[-2:]], [True, True])
    same('CRC32C', (crc32c(b'123456789'), crc32c(bytes(32))), (0xe3069283, 0x8a9136aa))


def check_walkable():
    talk = reading(Talk())
    same('begins in the middle', Tap(talk.file(path(), 0, after=50)).connections[0].walkable, False)
    same('cut', Tap(talk.file(path(), 0, snap=200)).connections[0].walkable, False)
    missed = Tap(talk.file(path(), 0, skip=(7,))).connections[0]     # The first Data-In, which nothing acknowledged.
    same('an end that was not acknowledged', (len(missed.pdus), missed.server.holes()), (3, []))
    talk.send(0, 120)
    missed = Tap(talk.file(path(), 0, skip=(8,))).connections[0]     # The tail of the answer, acknowledged.
    same('a hole at the end', [end - start for start, end in missed.server.holes()], [48 + 4 + 2000 + 4])
    missed = Tap(talk.file(path(), 0, skip=(7,))).connections[0]
    same('a hole with a header', (len(missed.pdus), 'header' in missed.reason), (3, True))
    parts, whole = Talk(), data_in(1, bytes(2000))
    parts.open()
    login(parts, 20, b'A=b\0')
    parts.send(0, 100, command(1, 1, cdb10(0x28, 0, 4), 2000, 0xc1))
    parts.send(1, 110, whole[:1000])
    parts.send(1, 111, whole[1000:])
    parts.send(1, 113, whole[1000:], seq=parts.next[1] - 1048)
    parts.send(1, 114, answer(9))
    parts.send(0, 120)
    missed = Tap(parts.file(path(), 0, skip=(8, 9))).connections[0]
    same('a hole within data', [p.holed for p in missed.pdus], [False] * 3 + [True, False])
    refused = Talk()
    refused.open()
    login(refused, 20, status=0x0201)
    one = Tap(refused.file(path(), 0)).connections[0]
    same('a refused login', (one.walkable, [p.login_status for p in one.pdus]), (True, [None, (2, 1)]))
    again = Talk(isns=(9000, 9500))
    again.taps = refused.taps
    again.open(200)
    login(again, 230, b'A=b\0')
    two = Tap(again.file(path(), 0))
    same('logins that are over', [login_over(c) for c in two.connections], [False, True])
    same('a new SYN', [[p.login_status for p in c.pdus][-1] for c in two.connections], [(2, 1), (0, 0)])


def check_tcp():
    talk = Talk()
    talk.open()
    login(talk, 20, b'A=b\0')
    base = talk.next[1]
    whole = data_in(1, bytes(range(250)) * 8)
    talk.send(0, 100, command(1, 1, cdb10(0x28, 0, 4), 2000, 0xc1))
    talk.send(1, 110, whole[:1000], delay=9)                            # Overtaken by the next.
    talk.send(1, 111, whole[1000:])
    talk.send(0, 117, ack=base)                                          # A duplicate ACK.
    talk.send(1, 400, b'\xff' * 1000, seq=base)                          # A repeat with other bytes.
    talk.send(0, 406, options=bytes([5, 10]) + b''.join(n.to_bytes(4, 'big') for n in (base, base + 1000)))
    talk.send(0, 420, window=0)
    talk.send(0, 470, window=500)
    talk.send(1, 480, b'\0' * 48, seq=base + 2048, sums='wrong')         # Damaged: not taken.
    one = Tap(talk.file(path('ini'), 0)).connections[0]
    facts, pdus = one.server.facts, one.pdus
    same('out of order', (len(facts.out_of_order), len(facts.repeats)), (1, 1))
    repeat = facts.repeats[0]
    same('the repeat', ((repeat.time - repeat.first.time) // 10**6, repeat.silence // 10**6), (286, 286))
    same('the first bytes are kept', pdus[-1].data, bytes(range(250)) * 8)
    same('times of a PDU', [(t // 1000) % 10**6 for t in (pdus[-1].time, pdus[-1].end_time)], [119_000, 119_000])
    same('ACKs', (len(one.client.facts.duplicate_acks), len(one.client.facts.dsacks)), (1, 1))
    same('zero window', one.client.facts.zero_spans[0][2] - one.client.facts.zero_spans[0][1], 50_000_000)
    same('window', one.client.facts.windows[0][2], 4000)
    same('sizes', sizes(one.server, one.client)[1000], [2, 2])
    same('damaged', [packet.sums for packet in one.tap.damaged], ['wrong'])
    for sums in ('unfilled', 'wrong'):
        many = Talk()
        many.open()
        for at in range(20):
            many.send(0, 50 + at, b'x', sums=sums)
        tap = Tap(many.file(path(), 0))
        same(f'{sums} sums of an offload', (tap.packets[-1].sums, len(tap.damaged)), (sums, 0))
    around = Talk()
    around.open()
    for at, size in ((10, 10), (0, 40)):
        around.send(0, 50 + at, bytes(range(at, at + size)), seq=1001 + at)
    same('a segment around another', Tap(around.file(path(), 0)).connections[0].client.joined(), bytes(range(40)))
    plain = Talk()
    plain.open(scales=(2, None))
    same('no scaling', Tap(plain.file(path(), 0)).connections[0].client.facts.windows[0][2], 1000)


if __name__ == '__main__':
    sys.exit(run((check_formats, check_walkable, check_tcp)))
