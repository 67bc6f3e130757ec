#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The PDU list and the times of tasks against tshark's dissection of clean captures.

Compared, where both define the same thing:
- every PDU: frame in which it was whole (delivered_frame), direction by port, opcode, ITT, AHS and data length, in
  order; and every other header field that tshark shows and the pdus rows have (FIELDS).
- delivered_ns and time_ns of every PDU against the times of the frames named, to the nanosecond.
- iscsi.time of every answer of a task = its delivered_ns - delivered_ns of the command, to the nanosecond: tshark
  counts from the frame in which the command was whole.
- response_time_ns of every cycle = iscsi.time of its status, plus the time the command took to arrive (zero if it
  came in one frame: counted apart).
- where tshark shows scsi.time (frame of the SCSI payload or status), it equals the same difference.
A frame in which tshark gives up on a payload (Malformed Packet) may lack the PDUs behind it; those frames are counted
and compared as far as tshark went."""

import collections
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import header_walker
from common import COMMAND, NO_TAG, Program, Verdict, captures, figure, packed_path, skip, unpack
from pcap import Pcap

CLEAN = ("a_", "b_", "c_", "c2_", "k_", "o_", "tgt_", "i_", "z01", "z06")
BUNDLED = ("delayed-ack", "digests", "eight-writes", "plain-", "r2t-ping-pong", "tgt-qemu", "unsolicited-data")  # clean
# tshark's field -> column; compared when both have a value.
FIELDS = {
    "iscsi.cmdsn": "cmd_sn", "iscsi.statsn": "stat_sn", "iscsi.expstatsn": "exp_stat_sn",
    "iscsi.expcmdsn": "exp_cmd_sn", "iscsi.maxcmdsn": "max_cmd_sn", "iscsi.datasn": "data_sn",
    "iscsi.bufferOffset": "buffer_offset", "iscsi.desireddatalength": "desired_length",
    "iscsi.targettransfertag": "ttt", "iscsi.scsicommand.expecteddatatransferlength": "edtl",
    "iscsi.scsiresponse.status": "status", "iscsi.scsiresponse.response": "response",
    "iscsi.r2tsn": "data_sn", "iscsi.scsidata.S": "status_bit", "iscsi.scsidata.F": "final", "iscsi.scsicommand.F": "final",
}
IN_LIST = ("iscsi.opcode", "iscsi.initiatortasktag", "iscsi.totalahslength", "iscsi.datasegmentlength")
ANSWERS = {0x21, 0x25, 0x31}  # those for which tshark shows iscsi.time of a SCSI task


def nanoseconds(text):
    whole, _, fraction = text.partition(".")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0")[:9])


def number(text):
    return int(text, 0) if text else 0


class Dissection:
    """tshark's PDUs in order, and the time of every frame."""

    def __init__(self, path, ports):
        options = ["-o", "iscsi.bogus_pdu_max_data_len:16777215", "-o",
                   "iscsi.target_ports:" + ",".join(map(str, sorted(ports)))]
        times = subprocess.run(["tshark", "-r", path, "-T", "fields", "-e", "frame.time_epoch"], check=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        self.times = [0] + [nanoseconds(t) for t in times.split()]
        self.pdus = []  # dictionaries of fields, with "frame" and "scsi.time"
        self.malformed = set()
        pdml = subprocess.Popen(["tshark", "-r", path, *options, "-Y", "iscsi", "-T", "pdml", "-J", "frame iscsi scsi"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _, packet in ElementTree.iterparse(pdml.stdout):
            if packet.tag == "packet":
                self._take(packet)
                packet.clear()
        if pdml.wait() != 0:
            raise RuntimeError("tshark failed")

    def _take(self, packet):
        frame = None
        for proto in packet.iter("proto"):
            name = proto.get("name")
            if name == "frame":
                frame = int(next(f.get("show") for f in proto.iter("field") if f.get("name") == "frame.number"))
            elif name == "iscsi":
                fields = {f.get("name"): f.get("show") for f in proto.iter("field")}
                if "iscsi.opcode" in fields:
                    self.pdus.append(fields | {"frame": frame})
            elif name == "scsi" and self.pdus:
                for field in proto.iter("field"):
                    if field.get("name") == "scsi.time":
                        self.pdus[-1].setdefault("scsi.time", field.get("show"))
            elif name and name.startswith("_ws.malformed"):
                self.malformed.add(frame)


def listed(fields):
    opcode, itt, ahs, data = (number(fields.get(n)) for n in IN_LIST)
    return fields["frame"], opcode & 0x3F, itt, ahs * 4, data


def listed_row(row):
    itt = NO_TAG if row["itt"] is None else row["itt"]
    return row["delivered_frame"], row["opcode"], itt, row["ahs_length"], row["data_length"]


def pair(verdict, name, theirs, ours, malformed):
    """Pairs of (tshark's fields, our row) of the PDUs that both list."""
    by_frame = collections.defaultdict(lambda: ([], []))
    for fields in theirs:
        by_frame[fields["frame"]][0].append(fields)
    for row in ours:
        by_frame[row["delivered_frame"]][1].append(row)
    for frame, (them, us) in sorted(by_frame.items()):
        them_listed, us_listed = list(map(listed, them)), list(map(listed_row, us))
        if frame in malformed:
            us_listed = us_listed[:len(them_listed)]
        verdict.expect(them_listed == us_listed, f"{name}: frame {frame}: PDUs {us_listed}, tshark {them_listed}")
        yield from ((t, u) for t, u in zip(them, us) if listed(t) == listed_row(u))


def check_times(verdict, name, tshark, pairs, cycles):
    commands = {(row["stream"], row["itt"], row["delivered_frame"]): row for _, row in pairs if row["opcode"] == COMMAND}
    times = status_times = whole = 0
    status = {}  # (stream, itt, frame) -> tshark's time and the command's row
    for fields, row in pairs:
        where = f"{name}: frame {row['delivered_frame']} {row['opcode_name']}"
        verdict.expect(row["delivered_ns"] == tshark.times[row["delivered_frame"]], f"{where}: delivered_ns")
        verdict.expect(row["time_ns"] == tshark.times[row["frame"]], f"{where}: time_ns")
        if row["opcode"] not in ANSWERS or "iscsi.time" not in fields or "iscsi.request_frame" not in fields:
            continue
        command = commands.get((row["stream"], row["itt"], int(fields["iscsi.request_frame"])))
        if not verdict.expect(command, f"{where}: no command in frame {fields['iscsi.request_frame']}"):
            continue
        expected = nanoseconds(fields["iscsi.time"])
        found = row["delivered_ns"] - command["delivered_ns"]
        verdict.expect(found == expected, f"{where}: {found} ns after its command, tshark {expected}")
        times += 1
        status[row["stream"], row["itt"], row["delivered_frame"]] = expected, command
        if "scsi.time" in fields:
            verdict.expect(nanoseconds(fields["scsi.time"]) == found, f"{where}: scsi.time {fields['scsi.time']}")
    for cycle in cycles:
        known = status.get((cycle["stream"], cycle["itt"], cycle["end_frame"]))
        if cycle["response_time_ns"] is None or known is None:
            continue
        expected, command = known
        arriving = command["delivered_ns"] - command["time_ns"]
        verdict.expect(cycle["response_time_ns"] == expected + arriving,
                       f"{name}: cycle {cycle['cycle']}: response time {cycle['response_time_ns']}, tshark {expected} "
                       f"after a command that took {arriving} ns to arrive")
        status_times += 1
        whole += arriving == 0
    return times, status_times, whole


def main():
    if not shutil.which("tshark"):
        skip("tshark is not installed")
    program, verdict = Program(), Verdict()
    total = [0, 0]
    for name in captures(*CLEAN, bundled=BUNDLED):
        verdict.begin()
        content = unpack(name)
        tshark = Dissection(program.file(content), header_walker.listening_ports(Pcap(content)))
        rows = sorted(program.rows("pdus", packed_path(name)), key=lambda r: r["delivered_frame"])
        pairs = list(pair(verdict, name, tshark.pdus, rows, tshark.malformed))
        fields_compared = 0
        for fields, row in pairs:
            for field, column in FIELDS.items():
                if fields.get(field) and row[column] is not None:
                    fields_compared += 1
                    verdict.expect(number(fields[field]) == row[column], f"{name}: frame {row['delivered_frame']} "
                                   f"{row['opcode_name']}: {column} {row[column]}, tshark {fields[field]}")
        cycles = program.rows("cycles", packed_path(name))
        times, status_times, whole = check_times(verdict, name, tshark, pairs, cycles)
        verdict.expect(len(pairs) > 0 and times > 0 and status_times > 0, f"{name}: nothing to compare")
        total[0] += len(pairs)
        total[1] += status_times
        figure(f"{name}: {len(pairs)} PDUs, {fields_compared} fields, {times} times of answers, {status_times} of "
               f"{len(cycles)} tasks ({whole} by iscsi.time alone), {len(tshark.malformed)} malformed for tshark: "
               f"{'equal' if verdict.of_capture == 0 else 'DIFFERENT'}")
    figure(f"tshark: {total[0]} PDUs and {total[1]} task times equal to the nanosecond but for {verdict.failures}")
    verdict.finish()


main()
