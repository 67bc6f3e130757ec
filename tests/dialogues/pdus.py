# SPDX-License-Identifier: GPL-2.0-or-later
"""PDUs of RFC 7143 as bytes, with what the generator has to know of them."""
import dataclasses
import struct

READ, WRITE, CONTROL = "read", "write", "control"
NO_TAG = 0xFFFFFFFF
FILL = b"\x5a"


@dataclasses.dataclass(slots=True)
class Pdu:
    data: bytes
    what: str            # login, command, data, r2t, status, nop
    task: object = None
    at: int = 0          # offset of its data in the task's buffer
    size: int = 0        # bytes of data
    meaning: dict = dataclasses.field(default_factory=dict)


def _pdu(header, data=b""):
    header = header[:5] + len(data).to_bytes(3, "big") + header[8:]
    return header + data + b"\0" * (-len(data) % 4)


def lun_field(lun):
    return struct.pack("!BB6x", 0, lun)


def login_request(session, keys):
    header = struct.pack("!BBBBI6sHIHHII16x", 0x43, 0x87, 0, 0, 0, session.isid, 0, 1, 0, 0, session.first_cmd_sn, 0)
    return Pdu(_pdu(header, keys), "login")


def login_response(session, keys, max_cmd_sn):
    header = struct.pack("!BBBBI6sHIIIIIBB10x", 0x23, 0x87, 0, 0, 0, session.isid, session.number + 1, 1, 0, 1,
                         session.first_cmd_sn, max_cmd_sn, 0, 0)
    return Pdu(_pdu(header, keys), "login")


def cdb(task):
    if task.type == READ or task.type == WRITE:
        return struct.pack("!BBIBHB6x", 0x28 if task.type == READ else 0x2A, 0, task.lba, 0, task.size // 512, 0)
    if task.size:
        return struct.pack("!BBBHB10x", 0x12, 0, 0, task.size, 0)  # INQUIRY
    return bytes(16)  # TEST UNIT READY


def command(task, cmd_sn, exp_stat_sn):
    flags = 0x01 | (0 if task.unsolicited else 0x80)
    flags |= 0x20 if task.type == WRITE else 0x40 if task.size else 0
    header = struct.pack("!BBHI8sIIII16s", 0x01, flags, 0, 0, lun_field(task.lun), task.tag, task.size, cmd_sn,
                         exp_stat_sn, cdb(task))
    return Pdu(_pdu(header, FILL * task.immediate), "command", task, 0, task.immediate)


def data_out(task, tag, number, at, size, final, exp_stat_sn):
    header = struct.pack("!BBHI8sIIIIIIII", 0x05, 0x80 if final else 0, 0, 0, lun_field(task.lun), task.tag, tag, 0,
                         exp_stat_sn, 0, number, at, 0)
    return Pdu(_pdu(header, FILL * size), "data", task, at, size, {"tag": tag, "final": final})


def data_in(task, number, at, size, final, status, stat_sn, window):
    residual = task.residual if status else 0
    flags = (0x80 if final else 0) | (0x01 if status else 0) | (0x02 if residual else 0)
    header = struct.pack("!BBHI8sIIIIIIII", 0x25, flags, 0, 0, bytes(8), task.tag, NO_TAG, stat_sn if status else 0,
                         *window, number, at, residual)
    return Pdu(_pdu(header, FILL * size), "data", task, at, size, {"status": status, "window": window[1]})


def r2t(task, tag, number, at, size, stat_sn, window):
    header = struct.pack("!BBHI8sIIIIIIII", 0x31, 0x80, 0, 0, lun_field(task.lun), task.tag, tag, stat_sn, *window,
                         number, at, size)
    return Pdu(_pdu(header), "r2t", task, 0, 0, {"tag": tag, "at": at, "size": size, "window": window[1]})


def response(task, stat_sn, window):
    flags, status = 0x80 | (0x02 if task.residual else 0), 0x02 if task.sense else 0
    header = struct.pack("!BBBBI8sIIIIIIII", 0x21, flags, 0, status, 0, bytes(8), task.tag, 0, stat_sn, *window, 0, 0,
                         task.residual)
    sense = struct.pack("!H", len(task.sense)) + task.sense if task.sense else b""
    return Pdu(_pdu(header, sense), "status", task, meaning={"status": True, "window": window[1]})


def nop_in(stat_sn, window):
    header = struct.pack("!BBHI8sIIIII12x", 0x20, 0x80, 0, 0, bytes(8), NO_TAG, NO_TAG, stat_sn, *window)
    return Pdu(_pdu(header), "nop", meaning={"window": window[1]})
