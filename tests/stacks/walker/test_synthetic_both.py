# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks tasks and the comparison of two files on small captures of known dialogues, made on the spot.

In: nothing. Out: a FIGURE line with the number of checks, and a FAILED line for each that does not hold; exit 1 then.
Units: the times of the dialogues in ms, those of the objects in ns.
"""
import sys

from checking import path, reading, run, same
from evidence import evidence
from figures import max_at_once, quantile, union
from made import ACK, FIN, INI6, TGT6, Talk, answer, cdb10, command, data_in, data_out, login, pdu, r2t


def check_tasks():
    talk = Talk()
    talk.open()
    login(talk, 20, b'A=b\0')
    talk.send(0, 100, command(1, 1, cdb10(0x2a, 0, 8), 4096, 0xa1, 0, bytes(512)))
    talk.send(0, 101, data_out(1, 2**32 - 1, bytes(512), 512))
    talk.send(1, 110, r2t(1, 7, 1024, 3072))
    talk.send(0, 117, data_out(1, 7, bytes(3072), 1024))
    talk.send(1, 130, answer(1, 2, b'\0\x12\x70\0\5' + bytes(9) + b'\x20' + bytes(5)))
    talk.send(0, 200, command(2, 2, bytes(16), 0, 0x80))
    talk.send(0, 210, pdu(0x02, 0x81, 3, fields=[(20, 2)]))
    talk.send(1, 220, pdu(0x22, 0x80, 3, fields=[(28, 3), (32, 34)]))
    talk.send(0, 300, command(4, 3, cdb10(0x2a, 0, 1), 512, 0xa1))
    talk.send(1, 306, r2t(4, 8, 0, 512))
    talk.send(0, 312, data_out(4, 8, bytes(512)))
    talk.send(1, 320, answer(4))
    found = evidence(talk.file(path('ini'), 0), talk.file(path('tgt'), 1), (1000, 1001))
    write, lost, good = found.tgt.connections[0].tasks
    entry = next(one for one in found.services() if one['expected'] == 512)
    same('service of a write', [entry[name]['p50_ms'] for name in (
        'to_first_r2t', 'last_data_to_response', 'r2t_to_data_out', 'response')], [1, 3, 11, 25])
    same('owners of a write', found.owners()['target_s'], .004)
    same('good', (good.good, write.good, lost.good), (True, False, False))
    same('outstanding', found.json()['tgt']['connections'][0]['max_outstanding'], 1)
    same('write', (write.immediate_bytes, write.unsolicited_bytes, write.data_out_bytes, write.carried),
         (512, 512, 3584, 4096))
    same('R2T', (write.r2ts[0].desired, write.r2ts[0].wait), (3072, 12_000_000))
    same('last data to response', write.response_start - write.last_data_out, 8_000_000)
    same('sense', (write.status_name(), write.sense), ('CHECK CONDITION', (5, 0x20, 0)))
    same('never answered', (lost.name, lost.answered, lost.aborted is not None), ('TEST UNIT READY', False, True))
    same('management', [(m.function, m.response) for m in found.tgt.connections[0].management], [(1, 0)])
    same('in the window', found.json()['ini']['connections'][0]['commands_in_work'], 3)


def check_figures():
    spans = [(0, 10), (5, 12), (6, 7), (12, 13), (20, 30)]
    same('union', (union(spans), union([])), (23, 0))
    same('at once', (max_at_once(spans), max_at_once([(0, 1), (1, 2)])), (3, 1))
    same('quantile', (quantile([1, 2, 3, 4], .5), quantile([1], .9), quantile([], .5)), (3, 1, None))


def check_between():
    for ends in ({}, {'ends': (INI6, TGT6)}):
        talk = reading(Talk(**ends), b'A=b\0', (False, False))
        seq = talk.send(0, 150, b'\0' * 100, arrive=False)                  # Lost, sent again after 200 ms.
        talk.send(0, 350, b'\0' * 100, seq=seq)
        talk.send(0, 360, b'\0' * 50, copies=2)
        talk.send(0, 370, b'\0' * 60, delay=9)
        talk.send(0, 371, b'\0' * 70)
        talk.send(0, 380, b'\0' * 80, arrived_sums='wrong')
        talk.send(1, 390, b'')
        talk.send(0, 500, b'', flags=ACK | FIN, arrive=False)               # After the end of the other file.
        found = evidence(talk.file(path('ini'), 0), talk.file(path('tgt'), 1))
        way = found.to_target.json()
        same('bytes lost', way['bytes_sent'] - way['bytes_arrived'], 100 + 80 - 50)
        wanted = {'lost': 1, 'delivered_twice': 1, 'overtaken': 1, 'damaged': 1, 'not_captured': 1, 'how': 'packets'}
        same(f'to the target {ends}', {name: way[name] for name in wanted}, wanted)
        same('one way', [way['one_way'][name] for name in ('min_ms', 'p50_ms', 'max_ms')], [5, 5, 9])
        same('round trip', found.round_trip(), {'of_medians_ms': 10, 'of_minima_ms': 10})
        services = found.services()[0]
        same('service', (services['to_first_answer']['p50_ms'], services['response']['p50_ms']), (2, 13))
        owners = found.owners()
        same('owners', (owners['target_s'], owners['network_s']), (.002, .011))
        same('throughput', found.throughput()['read']['MB_per_s'], round(3000 / .013 / 1e6, 6))
    whole, parts = Talk(), Talk()                                            # Segments that an offload merged.
    for talk in (whole, parts):
        talk.open()
        login(talk, 20, b'A=b\0')
        talk.send(0, 100, command(1, 1, cdb10(0x28, 0, 20), 10000, 0xc1))
    stream = data_in(1, bytes(10000))
    whole.send(1, 110, stream)
    again = whole.send(1, 112, stream[:1000], seq=whole.next[1] - len(stream))
    for at in range(0, len(stream), 1000):
        parts.send(1, 110, stream[at:at + 1000], delay=6 if at else 30)
    parts.send(1, 139, stream[:1000], seq=again)
    found = evidence(parts.file(path('ini'), 0), whole.file(path('tgt'), 1))
    way = found.to_initiator.json()
    same('by bytes', (way['how'], way['lost'], way['one_way']['max_ms']), ('bytes', 0, 6))
    same('bytes', way['bytes_sent'], way['bytes_arrived'])


if __name__ == '__main__':
    sys.exit(run((check_tasks, check_figures, check_between)))
