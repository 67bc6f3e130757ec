# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything that one capture file tells: its packets, connections, PDUs and tasks.

In: the path of a pcap file. Out: `Tap(path)` with the objects, and `.json(work)` as plain data.
Units: nanoseconds in the objects; seconds since 1970 or milliseconds, as the names say, in the plain data.
"""
import os
from collections import Counter

import commands
import pdus
import streams
import tcpfacts
from figures import max_at_once
from packets import capture

FIRST = 8       # How many examples a list of frames in the plain data has.
PLAIN_OPCODES = (0x20, 0x21, 0x22, 0x24, 0x25, 0x26, 0x31)     # Target PDUs whose command window is counted.


def counted(values):
    """{value: count} with the most frequent first, as a plain dict with text keys."""
    return {str(value): count for value, count in Counter(values).most_common()}


class Tap:
    """One capture file. Each of `connections` (streams.Connection) also has `walk` (pdus.Walk), `pdus`, `tasks`,
    `management`, `walkable`, `reason` and `tap`."""

    def __init__(self, path, servers=frozenset({3260}), crc=False):
        self.path = str(path)
        self.packets = capture(path)
        self.connections = streams.connections(self.packets, servers)
        for connection in self.connections:
            connection.tap = self
            connection.walk = walk = pdus.walk(connection, crc)
            connection.walkable, connection.reason, connection.pdus = walk.walkable, walk.reason, walk.pdus
            connection.tasks = commands.tasks(walk.pdus)
            connection.management = commands.management(walk.pdus)
            commands.link(connection.tasks, connection.management)

    @property
    def pdus(self):
        return [pdu for connection in self.connections for pdu in connection.pdus]

    def tasks(self, work=None):
        """The tasks of all connections that start in the work window (nanoseconds), in the order of their start."""
        found = [task for connection in self.connections for task in connection.tasks
                 if tcpfacts.within(work, task.start)]
        return sorted(found, key=lambda task: task.start)

    @property
    def damaged(self):
        return [packet for packet in self.packets if packet.damaged]

    @property
    def icmp(self):
        """{(kind, type, code): count}"""
        return Counter((packet.kind, *packet.icmp) for packet in self.packets if packet.icmp)

    def json(self, work=None):
        """The facts as plain data; `work` is (from, to) in nanoseconds."""
        all_packets = self.packets
        return {
            'file': os.path.basename(self.path), 'frames': len(all_packets),
            'first_time': all_packets[0].time / 1e9 if all_packets else None,
            'seconds': round((all_packets[-1].time - all_packets[0].time) / 1e9, 6) if all_packets else 0,
            'damaged_frames': len(self.damaged), 'damaged_first_frames': [p.frame for p in self.damaged[:FIRST]],
            'cut_frames': sum(packet.cut > 0 for packet in all_packets),
            'sums': counted(packet.sums for packet in all_packets if packet.kind == 'tcp'),
            'fragments': sum(packet.kind == 'fragment' for packet in all_packets),
            'icmp': {f'{kind} {major}/{minor}': count for (kind, major, minor), count in self.icmp.items()},
            'pdus': counted(pdu.name for pdu in self.pdus),
            'login_outcomes': counted(login_final(connection) or 'none' for connection in self.connections),
            'connections': [connection_json(connection, work) for connection in self.connections]}


def login_statuses(connection):
    """The status class and detail of each Login Response as four hexadecimal digits."""
    return ['%02x%02x' % pdu.login_status for pdu in connection.pdus if pdu.opcode == 0x23]


def login_over(connection):
    """Whether the last Login Response goes over to the full feature phase."""
    last = [pdu for pdu in connection.pdus if pdu.opcode == 0x23][-1:]
    return any(pdu.flags & pdus.FINAL_LOGIN == pdus.FINAL_LOGIN for pdu in last)


def login_final(connection):
    """The status of the last Login Response; None without one."""
    statuses = login_statuses(connection)
    return statuses[-1] if statuses else None


def task_end(task, connection):
    """When a task was over for this tap: its response, its abort, or the end of what the tap saw of the connection."""
    return task.response_complete or task.aborted or max(connection.last_time, task.start)


def max_outstanding(connection, work=None):
    """The most commands that were open at once, of those that start in the work window."""
    return max_at_once((task.start, task_end(task, connection)) for task in connection.tasks
                        if tcpfacts.within(work, task.start))


def command_windows(connection, work=None):
    """The sizes MaxCmdSN - ExpCmdSN + 1 in the PDUs of the target after the login, in the order of the PDUs."""
    return [(pdu.maxcmdsn - pdu.expcmdsn + 1) % (1 << 32) for pdu in connection.pdus
            if pdu.sender == 'target' and pdu.opcode in PLAIN_OPCODES and tcpfacts.within(work, pdu.time)]


def connection_json(connection, work=None):
    """The facts of one connection as plain data."""
    chosen = [task for task in connection.tasks if tcpfacts.within(work, task.start)]
    unanswered = [task for task in connection.tasks if not task.answered]
    digests = [pdu for pdu in connection.pdus if pdu.header_digest or pdu.data_digest]
    return {
        'tuple': connection.name, 'first_frame': connection.first_frame, 'walkable': connection.walkable,
        'reason': connection.reason, 'pdus': counted(pdu.name for pdu in connection.pdus),
        'partial_pdus': len(connection.walk.partial), 'pdus_with_holes': sum(pdu.holed for pdu in connection.pdus),
        'login_statuses': login_statuses(connection), 'login_final': login_final(connection),
        'login_over': login_over(connection),
        'answered_keys': connection.walk.answered,
        'digests': {'header': sum(pdu.header_digest for pdu in digests), 'data': sum(pdu.data_digest for pdu in digests),
                    'header_wrong': sum(pdu.header_right is False for pdu in digests),
                    'data_wrong': sum(pdu.data_right is False for pdu in digests),
                    'checked': sum(pdu.header_right is not None or pdu.data_right is not None for pdu in digests)},
        'commands': len(connection.tasks), 'commands_in_work': len(chosen),
        'statuses': counted(task.status_name() for task in connection.tasks if task.answered),
        'statuses_in_work': counted(task.status_name() for task in chosen if task.answered),
        'senses': counted('%x/%02x/%02x' % task.sense for task in connection.tasks if task.sense),
        'senses_in_work': counted('%x/%02x/%02x' % task.sense for task in chosen if task.sense),
        'task_management': [{'frame': one.frame, 'function': one.function, 'lun': one.lun, 'response': one.response,
                             'response_frame': one.response_frame} for one in connection.management],
        'without_response': len(unanswered),
        'without_response_in_work': sum(not task.answered for task in chosen),
        'without_response_examples': [[task.name, task.start_frame] for task in unanswered[:FIRST]],
        'asynchronous': [[pdu.frame, *pdu.async_event] for pdu in connection.pdus if pdu.async_event],
        'rejects': [[pdu.frame, pdu.reason] for pdu in connection.pdus if pdu.reason is not None],
        'max_outstanding': max_outstanding(connection, work),
        'command_windows': counted(command_windows(connection)),
        'command_windows_in_work': counted(command_windows(connection, work)),
        'r2t_lengths': counted(r2t.desired for task in connection.tasks for r2t in task.r2ts),
        'strays': connection.strays,
        'from_initiator': tcpfacts.summary(connection.client, connection.server, work),
        'from_target': tcpfacts.summary(connection.server, connection.client, work)}
