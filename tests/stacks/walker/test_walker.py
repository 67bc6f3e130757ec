# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the walker with the counts that another program made of the same captures.

In: the capture folder, from $ISCSISCOPE_CAPTURES, else ../shared/captures beside the top of the repository: files
NAME.pcap.zst with NAME.pcap.walk.json (PDU counts and digests), and, there or in its folder zoo, NAME.json with evidence of
both ends. Out: FIGURE lines with counts, a DIFFERS line for each difference; exit 1 with one, 77 without captures.
Units: times in ms; two times are equal when they differ by at most 0.0015 ms, because the other program used floats.
"""
import json
import os
import sys
from collections import Counter, defaultdict
from pathlib import Path

from evidence import evidence
from figures import spread
from tap import Tap, max_outstanding

RENAMED = {'TM Request': 'Task Management Request', 'TM Response': 'Task Management Response',
           'Async': 'Asynchronous Message'}
TCP = {'segments': 'data_segments', 'bytes': 'bytes', 'mss': 'mss', 'wscale': 'wscale', 'max_in_flight': 'max_in_flight',
       'repeats_after_150ms': 'retrans_after_silence_over_150ms', 'duplicate_acks': 'dupack', 'dsacks': 'dsack',
       'repeats_same_ip_id': 'same_ip_id_twice', 'zero_window_frames': 'zero_window_frames', 'window': 'advertised_window'}
CDB = {'REPORTLUNS': 'REPORT LUNS', 'TUR': 'TEST UNIT READY', 'MODESENSE6': 'MODE SENSE6', 'SAI16': 'READ CAPACITY16',
       'MAINTIN': 'REPORT SUPPORTED OPERATION CODES', 'WRITESAME10': 'WRITE SAME10', 'WRITESAME16': 'WRITE SAME16'}
# (name, side, what): how many values differ, and why.
FIRST_BYTE = 'it closes a command at the first byte of its status, not the last'
RESET = 'it never closes a command that a LUN reset ended'
EARLY = 'it takes the first byte of a Data-In when the stream reached it, not when it was first seen (frame 2800)'
EXPLAINED = {('z13_lun_reset', 'ini', 'outstanding'): (1, RESET), ('z13_lun_reset', 'tgt', 'outstanding'): (1, RESET),
             ('z09_incast_6_sessions', 'ini', 'times of commands'): (2, EARLY),
             ('z09_incast_6_sessions', 'tgt', 'outstanding'): (1, FIRST_BYTE),
             ('z16_multipath_unequal', 'tgt', 'outstanding'): (1, FIRST_BYTE)}

counts, differences, explained = Counter(), [], Counter()


def same(name, side, what, found, wanted, near=None):
    """Compares; `near` is the tolerance for numbers."""
    counts[what] += 1
    equal = abs(found - wanted) <= near if near is not None and None not in (found, wanted) else found == wanted
    if not equal and (name, side, what) in EXPLAINED:
        explained[name, side, what] += 1
    elif not equal:
        differences.append(f'{name} {side} {what}: {found} instead of {wanted}')


def renamed(pdus):
    return {RENAMED.get(name, name): count for name, count in pdus.items()}


def find(folders, name):
    for folder in folders:
        for path in (folder / name, folder / (name + '.zst')):
            if path.exists():
                return path
    return None


def compare_walk(path, folders):
    wanted = json.loads(path.read_text())
    file = find(folders, wanted['file'])
    if file is None:
        return False
    tap = Tap(file, crc=True)
    pdus, name = tap.pdus, wanted['file']
    same(name, '', 'PDU counts', dict(Counter(pdu.name for pdu in pdus)), renamed(wanted['pdus']))
    for field in ('header', 'data'):
        right = Counter(getattr(pdu, f'{field}_right') for pdu in pdus)
        same(name, field, 'digests', right[True], wanted[f'{field}_digests_ok'])
        same(name, field, 'digests', right[False], wanted[f'{field}_digests_bad'])
    for opcode, field in ((0x25, 'data_in_bytes'), (0x05, 'data_out_bytes'), (0x01, 'immediate_bytes')):
        same(name, field, 'bytes of data', sum(pdu.data_len for pdu in pdus if pdu.opcode == opcode), wanted[field])
    return True


def compare_tcp(name, side, found, wanted):
    for mine, other in TCP.items():
        same(name, side, 'TCP facts', found[mine], wanted.get(other, 0 if mine not in ('wscale', 'window') else None))
    # The other program calls a repeat that begins elsewhere than its first sending out of order.
    same(name, side, 'TCP facts', found['repeats'] + found['out_of_order'],
         wanted.get('retransmissions', 0) + wanted.get('ooo', 0))
    same(name, side, 'zero window', found['zero_window_s'], wanted.get('zero_window_seconds', 0), .001)


def compare_groups(name, side, connection, wanted):
    groups = defaultdict(list)
    for task in connection.tasks:
        if task.good:
            groups[task.name, task.lun, task.expected].append(task)
    for group in wanted:
        key = CDB.get(group['cdb'], group['cdb']), group['lun'], group['bytes']
        if key not in groups:
            continue
        pairs = [('total', spread(task.response_complete - task.start for task in groups[key])),
                 ('cmd_to_first_answer', spread(task.first_answer - task.complete for task in groups[key]))]
        if group['last_data_out_to_status']:
            pairs.append(('last_data_out_to_status',
                          spread(task.response_start - task.last_data_out for task in groups[key])))
        for title, found in pairs:
            for field, value in group[title].items():
                same(name, side, 'times of commands', found[field], value, .0015)


def compare_connection(name, side, connection, found, wanted):
    same(name, side, 'PDU counts', found['pdus'], renamed(wanted['pdus']))
    same(name, side, 'login statuses', dict(Counter(found['login_statuses'])), wanted.get('login_status', {}))
    same(name, side, 'SCSI statuses', {status.replace(' ', '_'): n for status, n in found['statuses'].items()},
         wanted['status'])
    same(name, side, 'senses', found['senses'], wanted.get('sense', {}))
    same(name, side, 'command windows', found['command_windows'], wanted['cmdsn_window_in_target_pdus'])
    same(name, side, 'R2T lengths', found['r2t_lengths'], wanted.get('r2t_lengths', {}))
    same(name, side, 'unanswered', found['without_response'], wanted.get('commands_without_response', {}).get('n', 0))
    same(name, side, 'outstanding', max_outstanding(connection), wanted['max_commands_outstanding'])
    for mine, other in (('from_initiator', 'ini_to_tgt'), ('from_target', 'tgt_to_ini')):
        compare_tcp(name, f'{side} {mine}', found[mine], wanted[other])
    compare_groups(name, side, connection, wanted['commands'])


def compare_zoo(name, wanted, files):
    work = (wanted['work_start'], wanted['work_end']) if 'work_end' in wanted else None
    found, wanted = evidence(*files, work), wanted['evidence']
    plain = found.json()
    for side in ('ini', 'tgt'):
        same(name, side, 'frames', plain[side]['frames'], wanted[side]['frames'])
        same(name, side, 'connections', len(plain[side]['connections']), wanted[side]['connections_total'])
        mine = {(one['tuple'], one['first_frame']): at for at, one in enumerate(plain[side]['connections'])}
        for other in wanted[side]['connections']:
            at = mine.get((other['tuple'], other['first_frame']))
            same(name, side, 'connections', at is not None, True)
            if at is not None:
                compare_connection(name, side, getattr(found, side).connections[at], plain[side]['connections'][at], other)
    for way in ('to_target', 'to_initiator'):
        mine, other = plain['between'][way], wanted['match_of_both_files'][way]
        for field, value in (other['one_way_ms'] or {}).items():
            same(name, way, 'one-way delays', mine['one_way'][field], value, .0015)
        # The other program counts as lost what arrived damaged and what the other file ended too early for.
        same(name, way, 'lost', mine['lost'] + mine['damaged'] + mine['not_captured'], other['lost_between_the_two_files'])
        same(name, way, 'delivered twice', mine['delivered_twice'], other.get('delivered_twice', 0))
        same(name, way, 'overtaken', mine['overtaken'], other.get('overtaken_packets', 0))
        for field in ('lost', 'damaged', 'not_captured'):
            counts[f'{field}, packets'] += mine[field]


def main():
    top = Path(__file__).resolve().parents[3]
    captures = Path(os.environ.get('ISCSISCOPE_CAPTURES') or top.parent / 'shared' / 'captures')
    folders = [captures, captures / 'zoo']
    walks = sorted(path for folder in folders for path in folder.glob('*.walk.json'))
    if not walks:
        print('SKIPPED: the folder of real captures ($ISCSISCOPE_CAPTURES) is not there')
        return 77
    walked = sum(compare_walk(path, folders) for path in walks)
    pairs, without = {}, []
    for path in sorted(path for folder in folders for path in folder.glob('*.json')):
        name, wanted = path.stem, json.loads(path.read_text())
        ends = wanted.get('evidence') if isinstance(wanted, dict) else None
        if not isinstance(ends, dict) or 'match_of_both_files' not in ends or name in pairs:
            continue
        files = [find(folders, ends[side]['file']) for side in ('ini', 'tgt')]
        if None in files:
            without.append(name)
            continue
        pairs[name] = files
        compare_zoo(name, wanted, files)
    print(f'FIGURE: walker, {walked} of {len(walks)} files with PDU counts, {len(pairs)} pairs of captures, '
          f'{len(without)} without a file')
    print('FIGURE: walker, compared: ' + ', '.join(f'{what} {count}' for what, count in sorted(counts.items())))
    for (name, side, what), count in sorted(explained.items()):
        wanted, reason = EXPLAINED[name, side, what]
        print(f'FIGURE: walker, {name} {side}, {what}: {count} values differ from the other program because {reason}')
        if count != wanted:
            differences.append(f'{name} {side} {what}: {count} explained differences instead of {wanted}')
    print(f'FIGURE: walker, {len(differences)} differences that are not explained')
    for difference in differences:
        print('DIFFERS:', difference)
    return 1 if differences else 0


if __name__ == '__main__':
    sys.exit(main())
