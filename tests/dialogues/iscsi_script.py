# SPDX-License-Identifier: GPL-2.0-or-later
"""iSCSI over a scripted connection: each PDU is a step, right unless the script says otherwise.

    s = Session(c.connect(host, disk))
    s.login()
    s.read(lba=0, blocks=8)                        # the command, its data, its status
    t = s.command(scsi.read10(0, 8), lun=3, read=4096)
    s.response(t, scsi.CHECK_CONDITION, sense=scsi.sense(5, 0x25, 0))
    s.logout()

Every method takes fields of the header by name to send something else than what is right: exp_stat_sn=0,
cmd_sn=99, flags=0 … (FIELDS). Numbers that an end counts (CmdSN, StatSN, DataSN, R2TSN, tags) count on by themselves.
"""
import dataclasses
import pathlib
import struct
import sys

import scsi

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "stacks" / "walker"))
from crc32c import crc32c  # noqa: E402 (found there)

NO_TAG = 0xFFFFFFFF
FILL = b"\x5a"
# Field → (offset in the header of 48 bytes, size), RFC 7143 section 11. What several PDUs call differently has
# several names.
FIELDS = {
    "opcode": (0, 1), "flags": (1, 1), "byte2": (2, 1), "byte3": (3, 1), "total_ahs": (4, 1), "lun": (8, 8),
    "itt": (16, 4), "word20": (20, 4), "word24": (24, 4), "word28": (28, 4), "word32": (32, 4), "word36": (36, 4),
    "word40": (40, 4), "word44": (44, 4), "isid": (8, 6), "tsih": (14, 2), "cid": (20, 2), "cmd_sn": (24, 4),
    "exp_stat_sn": (28, 4), "edtl": (20, 4), "ttt": (20, 4), "ref_tag": (20, 4), "stat_sn": (24, 4),
    "exp_cmd_sn": (28, 4), "max_cmd_sn": (32, 4), "data_sn": (36, 4), "offset": (40, 4), "residual": (44, 4),
    "desired": (44, 4), "ref_cmd_sn": (32, 4), "exp_data_sn": (36, 4), "cdb": (32, 16), "snack_tag": (20, 4),
}
INITIATOR_KEYS = {"InitiatorName": "iqn.2001-04.com.example:host", "SessionType": "Normal",
                  "TargetName": "iqn.2001-04.com.example:disk"}
KEYS = {"HeaderDigest": "None", "DataDigest": "None", "InitialR2T": "No", "ImmediateData": "Yes",
        "MaxRecvDataSegmentLength": "65536", "MaxBurstLength": "262144", "FirstBurstLength": "65536",
        "MaxOutstandingR2T": "1", "MaxConnections": "1", "ErrorRecoveryLevel": "0", "DefaultTime2Wait": "2",
        "DefaultTime2Retain": "0", "DataPDUInOrder": "Yes", "DataSequenceInOrder": "Yes"}


@dataclasses.dataclass
class Task:
    itt: int
    cmd_sn: int
    lun: int
    cdb: bytes
    read: int = 0
    write: int = 0
    data_sn: int = 0   # of the target: Data-In and R2T together
    out_sn: int = 0    # of the initiator, in the current sequence
    header: bytes = b""


def lun_field(lun):
    return struct.pack("!BB6x", lun >> 8 | (0x40 if lun > 255 else 0), lun & 0xFF)


def header(opcode, **fields):
    """48 bytes; fields as integers, or as bytes."""
    out = bytearray(48)
    for name, value in {"opcode": opcode, **fields}.items():
        if value is None:
            continue
        at, size = FIELDS[name]
        if name == "lun" and isinstance(value, int):
            value = lun_field(value)
        out[at:at + size] = value.ljust(size, b"\0")[:size] if isinstance(value, bytes) else value.to_bytes(size, "big")
    return bytes(out)


def text(keys):
    """Key=value pairs, from a dictionary or from (key, value) pairs in order."""
    pairs = keys.items() if isinstance(keys, dict) else keys
    return b"".join(("%s=%s" % pair).encode() + b"\0" for pair in pairs)


class Session:
    """One connection of a session. cmd_sn, window: the first CmdSN and how many commands the target admits."""

    def __init__(self, tcp, isid=b"\x80\0\0\0\0\x01", tsih=0, cmd_sn=1, window=32, cid=1, stat_sn=1):
        self.tcp, self.isid, self.tsih, self.cid = tcp, isid, tsih, cid
        self.cmd_sn, self.exp_cmd_sn, self.window, self.stat_sn = cmd_sn, cmd_sn, window, stat_sn
        self.exp_stat_sn, self.tag = stat_sn, 0x10
        self._digests_of = {}

    @property
    def capture(self):
        return self.tcp.capture

    def wait(self, time):
        self.capture.wait(time)

    def set_digests(self, side, header_digest=None, data_digest=None):
        """From now on this end's PDUs have these digests: None, "right" or "wrong"."""
        self._digests_of[side] = (header_digest, data_digest)

    # --- PDUs

    def pdu(self, side, opcode, data=b"", lost=False, immediate=False, **fields):
        """Any PDU. The length of its data is right unless data_length says otherwise; its header is given back."""
        length = fields.pop("data_length", len(data))
        head = bytearray(header(opcode | (0x40 if immediate else 0), **fields))
        head[5:8] = length.to_bytes(3, "big")
        of_header, of_data = self._digests_of.get(side, (None, None))
        body = data + b"\0" * (-len(data) % 4)
        out = bytes(head) + self._digest(bytes(head), of_header) + body + (self._digest(body, of_data) if data else b"")
        self.tcp.send(side, out, lost=lost)
        if side == "target" and not lost and fields.get("stat_sn") is not None and self._carries_status(opcode, head):
            self.exp_stat_sn = fields["stat_sn"] + 1
        return bytes(head)

    @staticmethod
    def _carries_status(opcode, head):
        return opcode not in (0x31, 0x25) and not (opcode == 0x20 and head[16:20] == b"\xff" * 4) or \
            opcode == 0x25 and bool(head[1] & 1)

    @staticmethod
    def _digest(data, how):
        if how is None:
            return b""
        right = crc32c(data).to_bytes(4, "little")
        return right if how == "right" else bytes((right[0] ^ 0xFF,)) + right[1:]

    def _new_tag(self):
        self.tag += 1
        return self.tag

    def _numbers(self):
        """ExpCmdSN and MaxCmdSN of the target's PDUs."""
        return {"exp_cmd_sn": self.exp_cmd_sn, "max_cmd_sn": self.exp_cmd_sn + self.window - 1}

    def _next_stat_sn(self):
        self.stat_sn += 1
        return self.stat_sn - 1

    def _send(self, side, opcode, defaults, data, given):
        return self.pdu(side, opcode, data, **{**defaults, **given})

    # --- login, logout, discovery

    def login(self, keys=None, target_keys=None, **how):
        """One request and its answer, to full feature phase."""
        self.login_request(keys, **how)
        self.login_response(target_keys)

    def login_request(self, keys=None, flags=0x87, **given):
        """keys: in place of, or beside, the usual ones (a value of None leaves one out); a list of pairs is sent as it is."""
        if not isinstance(keys, list):
            keys = {k: v for k, v in {**INITIATOR_KEYS, **KEYS, **(keys or {})}.items() if v is not None}
        defaults = {"flags": flags, "isid": self.isid, "tsih": self.tsih, "itt": 0, "cid": self.cid,
                    "cmd_sn": self.cmd_sn, "exp_stat_sn": 0}
        return self._send("initiator", 0x43, defaults, text(keys), given)

    def login_response(self, keys=None, flags=0x87, status=0, **given):
        """status: class and detail, 0x0302."""
        if not isinstance(keys, list):
            usual = {"TargetPortalGroupTag": "1", **KEYS} if status == 0 else {}
            keys = {k: v for k, v in {**usual, **(keys or {})}.items() if v is not None}
        self.tsih = self.tsih or (1 if status == 0 and flags & 3 == 3 else 0)
        defaults = {"flags": flags if status == 0 else 0, "isid": self.isid, "tsih": self.tsih, "itt": 0,
                    "stat_sn": self._next_stat_sn(), "word36": status << 16, **self._numbers()}
        return self._send("target", 0x23, defaults, text(keys), given)

    def logout(self, reason=0, response=0):
        """Request, answer and both FINs."""
        self.logout_request(reason)
        self.logout_response(response)
        self.tcp.close()

    def logout_request(self, reason=0, **given):
        defaults = {"flags": 0x80 | reason, "itt": self._new_tag(), "cid": self.cid, "cmd_sn": self.cmd_sn,
                    "exp_stat_sn": self.exp_stat_sn}
        self.logout_tag = self.tag
        return self._send("initiator", 0x46, defaults, b"", given)

    def logout_response(self, response=0, **given):
        defaults = {"flags": 0x80, "byte2": response, "itt": self.logout_tag, "stat_sn": self._next_stat_sn(),
                    **self._numbers()}
        return self._send("target", 0x26, defaults, b"", given)

    def text_request(self, keys, flags=0x80, **given):
        defaults = {"flags": flags, "itt": self._new_tag(), "ttt": NO_TAG, "cmd_sn": self.cmd_sn,
                    "exp_stat_sn": self.exp_stat_sn}
        self.cmd_sn += 1
        self.exp_cmd_sn += 1
        return self._send("initiator", 0x04, defaults, text(keys), given)

    def text_response(self, keys, flags=0x80, **given):
        defaults = {"flags": flags, "itt": self.tag, "ttt": NO_TAG, "stat_sn": self._next_stat_sn(), **self._numbers()}
        return self._send("target", 0x24, defaults, text(keys), given)

    # --- SCSI

    def command(self, cdb, lun=0, read=0, write=0, immediate=0, final=True, **given):
        """read, write: the expected length. immediate: bytes of data with it; final=False: unsolicited data follow."""
        task = Task(given.get("itt") or self._new_tag(), given.get("cmd_sn", self.cmd_sn), lun, cdb, read, write)
        flags = (0x80 if final else 0) | (0x40 if read else 0) | (0x20 if write else 0) | 1
        defaults = {"flags": flags, "lun": lun, "itt": task.itt, "edtl": read or write, "cmd_sn": self.cmd_sn,
                    "exp_stat_sn": self.exp_stat_sn, "cdb": cdb}
        if "cmd_sn" not in given:
            self.cmd_sn += 1
        task.header = self._send("initiator", 0x01, defaults, FILL * immediate, given)
        if not given.get("lost"):
            self.exp_cmd_sn = max(self.exp_cmd_sn, task.cmd_sn + 1)
        return task

    def data_in(self, task, offset, size, final=True, status=None, residual=0, underflow=False, **given):
        """status: None, or that of the task in this PDU."""
        flags = (0x80 if final else 0) | (0x01 if status is not None else 0) | (0x02 if underflow else 0)
        data = given.pop("content", FILL * size)
        defaults = {"flags": flags, "byte3": status or 0, "itt": task.itt, "ttt": NO_TAG, "data_sn": task.data_sn,
                    "offset": offset, "residual": residual, **self._numbers()}
        if status is not None:
            defaults["stat_sn"] = self._next_stat_sn()
        task.data_sn += 1
        return self._send("target", 0x25, defaults, data, given)

    def r2t(self, task, offset, size, **given):
        defaults = {"flags": 0x80, "lun": task.lun, "itt": task.itt, "ttt": 0x500 + task.data_sn, "stat_sn": self.stat_sn,
                    "data_sn": task.data_sn, "offset": offset, "desired": size, **self._numbers()}
        task.data_sn += 1
        task.out_sn = 0
        return self._send("target", 0x31, defaults, b"", given)

    def data_out(self, task, offset, size, final=True, ttt=None, **given):
        """ttt: of the R2T before unless given; NO_TAG: unsolicited."""
        defaults = {"flags": 0x80 if final else 0, "lun": task.lun, "itt": task.itt,
                    "ttt": 0x500 + task.data_sn - 1 if ttt is None else ttt, "exp_stat_sn": self.exp_stat_sn,
                    "data_sn": task.out_sn, "offset": offset}
        task.out_sn += 1
        return self._send("initiator", 0x05, defaults, FILL * size, given)

    def response(self, task, status=0, sense=b"", residual=0, overflow=False, response=0, **given):
        """residual: underflow unless `overflow`."""
        flags = 0x80 | (0 if not residual else 0x04 if overflow else 0x02)
        data = struct.pack("!H", len(sense)) + sense if sense else b""
        defaults = {"flags": flags, "byte2": response, "byte3": status, "itt": task.itt, "stat_sn": self._next_stat_sn(),
                    "exp_data_sn": task.data_sn, "residual": residual, **self._numbers()}
        return self._send("target", 0x21, defaults, data, given)

    def read(self, lba=0, blocks=8, lun=0, service=20_000):
        """A whole Read that succeeds."""
        size = blocks * scsi.BLOCK
        task = self.command(scsi.read10(lba, blocks), lun, read=size)
        self.tcp.can_answer("target")
        self.wait(service)
        for at in range(0, size, 65536):
            self.data_in(task, at, min(65536, size - at), final=at + 65536 >= size)
        self.response(task)
        return task

    def write(self, lba=0, blocks=8, lun=0, service=20_000):
        """A whole Write with immediate data, or with R2Ts above 64 KiB, that succeeds."""
        size = blocks * scsi.BLOCK
        now = min(size, 65536)
        task = self.command(scsi.write10(lba, blocks), lun, write=size, immediate=now)
        for at in range(now, size, 65536):
            piece = min(65536, size - at)
            self.r2t(task, at, piece)
            self.data_out(task, at, piece)
        self.tcp.can_answer("target")
        self.wait(service)
        self.response(task)
        return task

    def failed(self, cdb, sense, lun=0, read=0, write=0, service=20_000):
        """A command that ends with CHECK CONDITION."""
        task = self.command(cdb, lun, read=read, write=write, immediate=write)
        self.tcp.can_answer("target")
        self.wait(service)
        self.response(task, scsi.CHECK_CONDITION, sense=sense, residual=read)
        return task

    # --- the rest

    def task_management(self, function, task=None, lun=0, **given):
        defaults = {"flags": 0x80 | function, "lun": task.lun if task else lun, "itt": self._new_tag(),
                    "ref_tag": task.itt if task else NO_TAG, "cmd_sn": self.cmd_sn, "exp_stat_sn": self.exp_stat_sn,
                    "ref_cmd_sn": task.cmd_sn if task else 0}
        return self._send("initiator", 0x42, defaults, b"", given)

    def task_management_response(self, response=0, **given):
        defaults = {"flags": 0x80, "byte2": response, "itt": self.tag, "stat_sn": self._next_stat_sn(), **self._numbers()}
        return self._send("target", 0x22, defaults, b"", given)

    def nop_out(self, ttt=NO_TAG, data=b"", **given):
        """A ping of the initiator; with a ttt the answer to the target's."""
        answers = ttt != NO_TAG
        defaults = {"flags": 0x80, "itt": NO_TAG if answers else self._new_tag(), "ttt": ttt, "cmd_sn": self.cmd_sn,
                    "exp_stat_sn": self.exp_stat_sn, "immediate": True}
        return self._send("initiator", 0x00, defaults, data, given)

    def nop_in(self, ttt=NO_TAG, itt=NO_TAG, data=b"", **given):
        """A ping of the target where ttt is given; with an itt the answer to the initiator's."""
        stat_sn = self._next_stat_sn() if itt != NO_TAG else self.stat_sn
        defaults = {"flags": 0x80, "itt": itt, "ttt": ttt, "stat_sn": stat_sn, **self._numbers()}
        return self._send("target", 0x20, defaults, data, given)

    def reject(self, reason, rejected, **given):
        """rejected: the header of the PDU that is refused."""
        defaults = {"flags": 0x80, "byte2": reason, "itt": NO_TAG, "stat_sn": self._next_stat_sn(), **self._numbers()}
        return self._send("target", 0x3F, defaults, rejected, given)

    def async_message(self, event, sense=b"", p1=0, p2=0, p3=0, lun=0, **given):
        """Parameters 1 to 3 as in RFC 7143 section 11.9."""
        data = struct.pack("!H", len(sense)) + sense if sense else b""
        defaults = {"flags": 0x80, "lun": lun, "itt": NO_TAG, "stat_sn": self._next_stat_sn(), "word36": event << 24 | p1,
                    "word40": p2 << 16 | p3, **self._numbers()}
        return self._send("target", 0x32, defaults, data, given)
