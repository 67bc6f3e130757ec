# SPDX-License-Identifier: GPL-2.0-or-later
"""SCSI tasks and task management of a connection, from its PDUs.

In: the list of PDUs that pdus.walk gives (the order of delivery at this tap matters, because task tags are used again).
Out: `tasks(pdus)` gives a list of Task, `management(pdus)` a list of Management.
Units: times in integer nanoseconds, lengths in bytes, LBA and block count in blocks of the device.
"""
CDB = {0x00: 'TEST UNIT READY', 0x03: 'REQUEST SENSE', 0x08: 'READ6', 0x0a: 'WRITE6', 0x12: 'INQUIRY',
       0x15: 'MODE SELECT6', 0x16: 'RESERVE6', 0x17: 'RELEASE6', 0x1a: 'MODE SENSE6', 0x1b: 'START STOP UNIT',
       0x1e: 'PREVENT ALLOW MEDIUM REMOVAL', 0x25: 'READ CAPACITY10', 0x28: 'READ10', 0x2a: 'WRITE10',
       0x2e: 'WRITE AND VERIFY10', 0x2f: 'VERIFY10', 0x35: 'SYNCHRONIZE CACHE10', 0x3b: 'WRITE BUFFER',
       0x3c: 'READ BUFFER10', 0x41: 'WRITE SAME10', 0x42: 'UNMAP', 0x4d: 'LOG SENSE', 0x55: 'MODE SELECT10',
       0x5a: 'MODE SENSE10', 0x5e: 'PERSISTENT RESERVE IN', 0x5f: 'PERSISTENT RESERVE OUT', 0x83: 'EXTENDED COPY',
       0x84: 'RECEIVE COPY RESULTS', 0x88: 'READ16', 0x89: 'COMPARE AND WRITE', 0x8a: 'WRITE16', 0x8f: 'VERIFY16',
       0x91: 'SYNCHRONIZE CACHE16', 0x93: 'WRITE SAME16', 0xa0: 'REPORT LUNS', 0xa8: 'READ12', 0xaa: 'WRITE12'}
SERVICE_ACTIONS = {(0x9e, 0x10): 'READ CAPACITY16', (0x9e, 0x12): 'GET LBA STATUS16',
                   (0xa3, 0x0a): 'REPORT TARGET PORT GROUPS', (0xa3, 0x0c): 'REPORT SUPPORTED OPERATION CODES',
                   (0xa4, 0x0a): 'SET TARGET PORT GROUPS', (0x7f, 0x09): 'READ32', (0x7f, 0x0b): 'WRITE32'}
READS = {0x08, 0x28, 0x88, 0xa8}
WRITES = {0x0a, 0x2a, 0x8a, 0xaa}
STATUS = {0x00: 'GOOD', 0x02: 'CHECK CONDITION', 0x04: 'CONDITION MET', 0x08: 'BUSY', 0x18: 'RESERVATION CONFLICT',
          0x28: 'TASK SET FULL', 0x30: 'ACA ACTIVE', 0x40: 'TASK ABORTED'}
UNSOLICITED = 0xffffffff


class R2t:
    """One R2T: `time` its first byte was seen, `delivered_time` all of it; `data_time` the first byte of its first
    Data-Out, `wait` from `time` to there (None: no Data-Out)."""

    def __init__(self, pdu):
        self.frame, self.time, self.delivered_time = pdu.frame, pdu.time, pdu.delivered_time
        self.ttt, self.offset, self.desired, self.sn = pdu.ttt, pdu.buffer_offset, pdu.desired, pdu.datasn
        self.data_frame = self.data_time = self.wait = None


class Task:
    """One SCSI command and what followed it.

    `start` is the first byte of the command and `complete` its delivery; `first_answer` the first byte of the first
    Data-In, R2T or SCSI Response; `last_data_out` the delivery of the last Data-Out (without one: `complete`);
    `response_start` and `response_complete` belong to the PDU with the status. `status` is None when never answered.
    """

    def __init__(self, pdu):
        self.itt, self.cmdsn, self.lun, self.cdb, self.expected = pdu.itt, pdu.cmdsn, pdu.lun, pdu.cdb, pdu.expected
        self.opcode, self.name = pdu.cdb[0], cdb_name(pdu.cdb)
        self.lba, self.blocks = place(pdu.cdb)
        self.reads, self.writes = bool(pdu.flags & 0x40), bool(pdu.flags & 0x20)
        self.start_frame, self.start, self.complete_frame, self.complete = \
            pdu.frame, pdu.time, pdu.delivered_frame, pdu.delivered_time
        self.first_answer = self.first_answer_frame = self.response_start = self.response_complete = None
        self.response_frame = self.response_end_frame = self.status = self.response = self.sense = None
        self.residual = self.aborted = None     # `aborted`: time of the task management response that ended it.
        self.last_data_out, self.last_data_out_frame = pdu.delivered_time, pdu.delivered_frame
        self.r2ts = []
        self.immediate_bytes, self.unsolicited_bytes, self.data_out_bytes, self.data_in_bytes = pdu.data_len, 0, 0, 0
        self.data_in_pdus = self.data_out_pdus = 0

    @property
    def answered(self):
        return self.status is not None

    @property
    def good(self):
        return self.status == 0 and not self.response

    @property
    def carried(self):
        """Bytes of data that this task moved, in either direction."""
        return self.immediate_bytes + self.data_out_bytes + self.data_in_bytes

    @property
    def first_r2t(self):
        return self.r2ts[0].time if self.r2ts else None

    @property
    def is_read(self):
        return self.opcode in READS

    @property
    def is_write(self):
        return self.opcode in WRITES

    def status_name(self):
        """The status as text; a response other than "completed at target" by its number."""
        if not self.answered:
            return None
        return f'response {self.response}' if self.response else STATUS.get(self.status, f'status {self.status:#04x}')

    def __repr__(self):
        return f'<{self.name} lun {self.lun} itt {self.itt:#x} frame {self.start_frame} {self.status_name()}>'


class Management:
    """One task management request and its response (None: none was seen)."""

    def __init__(self, pdu):
        self.itt, self.function, self.referenced, self.lun = pdu.itt, pdu.tm_function, pdu.referenced, pdu.lun
        self.frame, self.time = pdu.frame, pdu.time
        self.response = self.response_frame = self.response_time = None


def cdb_name(cdb):
    """The name of a CDB, with its length where a command has several: READ10, WRITE16."""
    code = cdb[0]
    action = int.from_bytes(cdb[8:10], 'big') if code == 0x7f else cdb[1] & 0x1f
    return SERVICE_ACTIONS.get((code, action)) or CDB.get(code) or f'opcode {code:#04x}'


def place(cdb):
    """(LBA, blocks) of a command that has a range of blocks; else (None, None)."""
    code = cdb[0]
    if code in (0x08, 0x0a):
        return int.from_bytes(cdb[1:4], 'big') & 0x1fffff, cdb[4] or 256
    if code in (0x28, 0x2a, 0x2e, 0x2f, 0x35, 0x41):
        return int.from_bytes(cdb[2:6], 'big'), int.from_bytes(cdb[7:9], 'big')
    if code in (0xa8, 0xaa):
        return int.from_bytes(cdb[2:6], 'big'), int.from_bytes(cdb[6:10], 'big')
    if code in (0x88, 0x8a, 0x8f, 0x91, 0x93):
        return int.from_bytes(cdb[2:10], 'big'), int.from_bytes(cdb[10:14], 'big')
    if code == 0x89:
        return int.from_bytes(cdb[2:10], 'big'), cdb[13]
    return None, None


def _answer(task, pdu):
    if task.first_answer is None:
        task.first_answer, task.first_answer_frame = pdu.time, pdu.frame
    if pdu.opcode == 0x31:
        task.r2ts.append(R2t(pdu))
    elif pdu.opcode == 0x25:
        task.data_in_bytes += pdu.data_len
        task.data_in_pdus += 1
    if pdu.status is not None:
        task.status, task.response, task.sense, task.residual = pdu.status, pdu.response, pdu.sense, pdu.residual
        task.response_start, task.response_frame = pdu.time, pdu.frame
        task.response_complete, task.response_end_frame = pdu.delivered_time, pdu.delivered_frame


def _data_out(task, pdu):
    task.data_out_bytes += pdu.data_len
    task.data_out_pdus += 1
    if pdu.ttt == UNSOLICITED:
        task.unsolicited_bytes += pdu.data_len
    task.last_data_out, task.last_data_out_frame = pdu.delivered_time, pdu.delivered_frame
    for r2t in task.r2ts:
        if r2t.ttt == pdu.ttt and r2t.data_time is None and r2t.offset <= pdu.buffer_offset < r2t.offset + r2t.desired:
            r2t.data_frame, r2t.data_time, r2t.wait = pdu.frame, pdu.time, pdu.time - r2t.time
            break


def tasks(pdus):
    """The tasks in the order in which their commands were delivered at this tap."""
    found, current = [], {}
    for pdu in pdus:
        if pdu.opcode == 0x01:
            task = current.get(pdu.itt)
            if task and not task.answered and task.cmdsn == pdu.cmdsn and task.cdb == pdu.cdb:
                continue                    # The same command sent again.
            task = current[pdu.itt] = Task(pdu)
            found.append(task)
        elif pdu.opcode in (0x21, 0x25, 0x31) and pdu.itt in current:
            if not current[pdu.itt].answered:
                _answer(current[pdu.itt], pdu)
        elif pdu.opcode == 0x05 and pdu.itt in current:
            _data_out(current[pdu.itt], pdu)
    return found


def management(pdus):
    """The task management requests in their order."""
    found, current = [], {}
    for pdu in pdus:
        if pdu.opcode == 0x02:
            current[pdu.itt] = Management(pdu)
            found.append(current[pdu.itt])
        elif pdu.opcode == 0x22 and pdu.itt in current:
            one = current[pdu.itt]
            one.response, one.response_frame, one.response_time = pdu.tm_response, pdu.frame, pdu.time
    return found


def link(all_tasks, requests):
    """Sets `aborted` of the unanswered tasks that a successful task management request ended."""
    for request in requests:
        if request.response not in (0, 1):
            continue
        for task in all_tasks:
            hit = {1: task.itt == request.referenced, 2: task.lun == request.lun, 4: task.lun == request.lun,
                   5: task.lun == request.lun, 6: True, 7: True}.get(request.function, False)
            if hit and not task.answered and task.aborted is None and task.start <= request.time:
                task.aborted = request.response_time
