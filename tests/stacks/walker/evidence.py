# SPDX-License-Identifier: GPL-2.0-or-later
"""Evidence of one iSCSI run from the captures at the initiator and at the target.

In: two pcap files of one clock, the server ports, and the work window. Out: `evidence(ini, tgt, work)` gives an Evidence
with the objects and `.json()` as plain data; the command line writes that as JSON.
Units: `work` in seconds since 1970; figures in ms, s or MB/s (10^6 bytes), as their names say.
"""
import argparse
import json
import sys
from collections import defaultdict

from between import between, round_trip
from figures import spread, union
from tap import Tap


def group(task):
    return task.lun, task.name, task.expected


def service_parts(task):
    """(to the first answer, to the first R2T, from the last data to the response) in ns, None where there is none."""
    if not task.writes:
        return task.first_answer - task.complete, None, None
    to_r2t = task.first_r2t - task.complete if task.r2ts else None
    return None, to_r2t, task.response_start - task.last_data_out


def service(task):
    """What the target itself took of a task, in ns: the sum of the parts above."""
    return sum(part for part in service_parts(task) if part is not None)


class Evidence:
    """`ini`, `tgt`: the Taps. `work`: (from, to) in ns or None. `to_target`, `to_initiator`: the Ways between them."""

    def __init__(self, ini_path, tgt_path, work=None, servers=frozenset({3260}), crc=False):
        self.ini, self.tgt = Tap(ini_path, servers, crc), Tap(tgt_path, servers, crc)
        self.work = tuple(int(seconds * 1_000_000_000) for seconds in work) if work else None
        self.to_target, self.to_initiator = between(self.ini, self.tgt)

    def round_trip(self):
        return round_trip((self.to_target, self.to_initiator))

    def both(self):
        """(task at the initiator, the same task at the target) for the tasks of the work window."""
        def named(tap, work):
            return {(connection.name, connection.client.base, task.itt, task.cmdsn): task
                    for connection in tap.connections for task in connection.tasks
                    if work is None or work[0] <= task.start <= work[1]}
        at_target = named(self.tgt, None)
        return [(task, at_target[name]) for name, task in named(self.ini, self.work).items() if name in at_target]

    def services(self):
        """The GOOD tasks of the work window by LUN, command and expected length: times at the target, and responses."""
        at_target, at_initiator = defaultdict(list), defaultdict(list)
        for here, there in self.both():
            if there.good:
                at_target[group(there)].append(there)
        for task in self.ini.tasks(self.work):
            if task.good:
                at_initiator[group(task)].append(task)
        result = []
        for name in sorted(set(at_target) | set(at_initiator), key=str):
            parts = [service_parts(task) for task in at_target[name]]
            entry = {'lun': name[0], 'cdb': name[1], 'expected': name[2], 'n': len(at_initiator[name]),
                     'response': spread(task.response_complete - task.start for task in at_initiator[name]),
                     'r2ts': sum(len(task.r2ts) for task in at_initiator[name])}
            for at, title in enumerate(('to_first_answer', 'to_first_r2t', 'last_data_to_response')):
                entry[title] = spread(part[at] for part in parts if part[at] is not None)
            entry['r2t_to_data_out'] = spread(r2t.wait for task in at_target[name] for r2t in task.r2ts
                                              if r2t.wait is not None)
            result.append(entry)
        return sorted(result, key=lambda entry: -entry['n'])

    def throughput(self):
        """Bytes, data time and rate of the reads, of the writes and of both, of the GOOD tasks of the work window."""
        good = [task for task in self.ini.tasks(self.work) if task.good and (task.is_read or task.is_write)]
        result = {}
        for title, chosen in (('read', [task for task in good if task.is_read]),
                              ('write', [task for task in good if task.is_write]), ('both', good)):
            busy = union((task.start, task.response_complete) for task in chosen) / 1e9
            carried = sum(task.carried for task in chosen)
            result[title] = {'tasks': len(chosen), 'bytes': carried, 'data_s': round(busy, 6),
                             'MB_per_s': round(carried / busy / 1e6, 6) if busy else None}
        return result

    def owners(self):
        """An estimate: response times of the GOOD reads and writes, and what of them the target and the rest took.

        The rest is called network: the way there and back, the transmission of the data, and, for writes, the time that
        the initiator took to answer an R2T.
        """
        pairs = [(here, there) for here, there in self.both()
                 if here.good and there.good and (here.is_read or here.is_write)]
        response = sum(here.response_complete - here.start for here, _ in pairs)
        target = sum(service(there) for _, there in pairs)
        shares = {'target': target, 'network': response - target}
        return {'estimate': True, 'tasks': len(pairs), 'response_s': round(response / 1e9, 6),
                **{f'{name}_s': round(value / 1e9, 6) for name, value in shares.items()},
                **{f'{name}_share': round(value / response, 4) if response else None
                   for name, value in shares.items()}}

    def json(self):
        """All of it as plain data."""
        return {'work': [time / 1e9 for time in self.work] if self.work else None,
                'ini': self.ini.json(self.work), 'tgt': self.tgt.json(self.work),
                'between': {'to_target': self.to_target.json(), 'to_initiator': self.to_initiator.json(),
                            'round_trip': self.round_trip()},
                'services': self.services(), 'throughput': self.throughput(), 'owners': self.owners()}


def evidence(ini_path, tgt_path, work=None, servers=frozenset({3260}), crc=False):
    """The Evidence of a pair of captures; `work` is (from, to) in seconds since 1970."""
    return Evidence(ini_path, tgt_path, work, servers, crc)


def main():
    parser = argparse.ArgumentParser(description='Evidence of an iSCSI run from the captures at both ends, as JSON.')
    parser.add_argument('ini')
    parser.add_argument('tgt')
    parser.add_argument('--from', dest='begin', type=float, metavar='UNIX_S', help='the work begins')
    parser.add_argument('--to', dest='end', type=float, metavar='UNIX_S', help='the work ends')
    parser.add_argument('--port', type=int, action='append', help='a server port (default 3260; may be repeated)')
    parser.add_argument('--crc', action='store_true', help='also check the digests')
    parser.add_argument('-o', dest='out', help='the file to write (default: standard output)')
    given = parser.parse_args()
    work = None
    if given.begin is not None or given.end is not None:
        work = (given.begin or 0, given.end if given.end is not None else 1e10)
    text = json.dumps(evidence(given.ini, given.tgt, work, frozenset(given.port or {3260}), given.crc).json(), indent=1)
    if given.out:
        with open(given.out, 'w', encoding='utf-8') as file:
            file.write(text + '\n')
    else:
        sys.stdout.write(text + '\n')


if __name__ == '__main__':
    main()
