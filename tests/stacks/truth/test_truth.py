#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the truth from the kernel's events: pages made here by hand, and events whose rows are known."""

import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from truth.kernel_rows import Rows, on_the_wire  # noqa: E402
from truth.ring_buffer import Format, events, records  # noqa: E402

PAGE_FORMAT = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
EVENT_FORMAT = """name: sample
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:const void * skaddr;\toffset:8;\tsize:8;\tsigned:0;
\tfield:__u8 saddr[sizeof(struct sockaddr_in6)];\toffset:16;\tsize:4;\tsigned:0;
\tfield:int result;\toffset:20;\tsize:4;\tsigned:1;
\tfield:__data_loc char[] msg;\toffset:24;\tsize:4;\tsigned:0;

print fmt: "reason: %s", __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, { 7, "QDISC_DROP" })
"""
START = 1767225600 * 10**9    # above 2**59: an absolute stamp does not hold all of it


def page(body, lost=False, start=START):
    return struct.pack("<QQ", start, len(body) | (1 << 31 if lost else 0)) + body.ljust(4080, b"\0")


def record(delta, payload):
    """An event whose length is in words."""
    assert len(payload) % 4 == 0 and len(payload) <= 28 * 4
    return struct.pack("<I", delta << 5 | len(payload) // 4) + payload


class RingBuffer(unittest.TestCase):
    def times(self, body):
        return [time - START for time, _ in records(page(body), PAGE_FORMAT)]

    def test_deltas_add_up(self):
        self.assertEqual(self.times(record(5, b"abcd") + record(7, b"efgh")), [5, 12])

    def test_long_record(self):
        payload = bytes(range(200))
        body = struct.pack("<II", 3 << 5, 4 + len(payload)) + payload + record(1, b"next")
        self.assertEqual([r for _, r in records(page(body), PAGE_FORMAT)], [payload, b"next"])

    def test_time_extend_and_padding(self):
        extend = struct.pack("<II", 9 << 5 | 30, 2)
        discarded = struct.pack("<II", 1 << 5 | 29, 8) + b"skip"
        self.assertEqual(self.times(extend + discarded + record(4, b"abcd")), [9 + (2 << 27) + 1 + 4])

    def test_padding_ends_a_page(self):
        self.assertEqual(self.times(record(5, b"abcd") + struct.pack("<I", 29) + record(1, b"none")), [5])

    def test_absolute_stamp_keeps_the_high_bits(self):
        at = START + 123456789
        stamp = struct.pack("<II", (at & 0x7ffffff) << 5 | 31, at >> 27 & 0xffffffff)
        self.assertEqual(self.times(stamp + record(1, b"abcd")), [123456790])

    def test_lost_events_are_an_error(self):
        with self.assertRaises(ValueError):
            list(records(page(record(5, b"abcd"), lost=True), PAGE_FORMAT))

    def test_half_a_page_is_an_error(self):
        with self.assertRaises(ValueError):
            list(records(page(b"")[:100], PAGE_FORMAT))

    def test_fields(self):
        text = b"hello\0\0\0"
        payload = struct.pack("<HHiQ4siI", 77, 0, 1, 0x1234, b"\1\2\3\4", -5, len(text) << 16 | 28) + text
        other = record(1, struct.pack("<HH", 78, 0))
        found = list(events(page(other + record(2, payload)), PAGE_FORMAT, [EVENT_FORMAT]))
        self.assertEqual(found, [("sample", {"time_ns": START + 3, "skaddr": 0x1234, "saddr": b"\1\2\3\4", "result": -5,
                                             "msg": "hello"})])
        self.assertEqual(Format(EVENT_FORMAT).symbols, {2: "NOT_SPECIFIED", 7: "QDISC_DROP"})


def address(a, b, c, d, port):
    return struct.pack("<H", 2) + struct.pack(">H", port) + bytes((a, b, c, d)) + bytes(20)


class KernelRows(unittest.TestCase):
    def setUp(self):
        self.rows = Rows(3260, 99, {7: "QDISC_DROP"})

    def socket(self, time, **more):
        return {"time_ns": time, "seq": 1, "end_seq": 2, "family": 2, "sport": 3260, "dport": 40000, "saddr": bytes((10, 0, 0, 2)),
                "daddr": bytes((10, 0, 0, 1)), **more}

    def state(self, time, number):
        self.rows.take("tcp_cong_state_set", self.socket(time, cong_state=number))

    def resend(self, time):
        self.rows.take("tcp_retransmit_skb", self.socket(time))
        return self.rows.rows[-1]

    def timer(self, time, function=99):
        self.rows.take("timer_expire_entry", {"time_ns": time, "function": function})
        return self.rows.rows[-1] if self.rows.rows else None

    def end_of_timer(self):
        self.rows.take("timer_expire_exit", {"time_ns": 0})

    def test_side_and_connection(self):
        self.assertEqual({k: self.resend(5)[k] for k in ("side", "connection")},
                         {"side": "target", "connection": "10.0.0.1:40000>10.0.0.2:3260"})

    def test_reasons(self):
        self.state(1, 3)
        self.assertEqual(self.resend(2)["reason"], "fast")
        timer = self.timer(3)
        self.state(3, 4)
        self.assertEqual(self.resend(3)["reason"], "rto")
        self.assertEqual((timer["kind"], timer["side"]), ("rto", "target"))
        self.end_of_timer()
        self.assertEqual(self.resend(4)["reason"], "after_rto")
        self.state(5, 0)
        self.timer(6)
        self.assertEqual(self.resend(6)["reason"], "tail_loss_probe")
        self.end_of_timer()
        self.timer(7)
        self.state(7, 3)
        self.assertEqual(self.resend(7)["reason"], "reordering_timer")
        self.end_of_timer()
        self.state(8, 0)
        self.assertEqual(self.resend(9)["reason"], "other")

    def test_another_functions_timer_is_none(self):
        self.assertIsNone(self.timer(1, function=98))
        self.state(2, 4)
        self.assertEqual(self.resend(3)["reason"], "after_rto")

    def test_probe(self):
        self.rows.take("tcp_probe", {"time_ns": 1, "saddr": address(10, 0, 0, 2, 3260), "daddr": address(10, 0, 0, 1, 40000),
                                     "sport": 3260, "dport": 40000, "snd_cwnd": 10, "ssthresh": 0x7fffffff, "srtt": 500,
                                     "snd_una": 1, "snd_nxt": 2, "snd_wnd": 3, "rcv_wnd": 4, "ca_state": 0, "mss": 1448, "rto": 200000,
                                     "packets_out": 5, "sacked_out": 0, "lost_out": 0, "retrans_out": 0})
        row = self.rows.rows[0]
        self.assertEqual((row["side"], row["time_ns"], row["cwnd"], row["ssthresh"], row["rtt_us"], row["unacked"]),
                         ("target", 0, 10, None, 500, 5))

    def test_command_of_the_initiator(self):
        start = {"host_no": 5, "driver_tag": 3, "opcode": 0x28, "lun": 0, "cmnd": bytes(10)}
        self.rows.take("scsi_dispatch_cmd_start", {"time_ns": 1, **start})
        self.rows.take("iscsi_dbg_session", {"time_ns": 2, "dname": "session1", "msg":
                                             "iscsi prep [read cid 0 sc 00000000 cdb 0x28 itt 0x21 len 512 cmdsn 7 win 9]"})
        self.rows.take("scsi_dispatch_cmd_done", {"time_ns": 3, "result": 0, **start})
        row, = self.rows.rows
        self.assertEqual((row["itt"], row["submitted_ns"], row["handed_ns"], row["status_ns"]), (0x21000000, 1, 2, 3))

    def test_command_of_the_target(self):
        self.rows.take("target_sequencer_start", {"time_ns": 4, "initiator": "a", "tag": 0x21, "opcode": 0x28,
                                                  "unpacked_lun": 1, "cdb": bytes(32)})
        self.rows.take("target_cmd_complete", {"time_ns": 9, "initiator": "b", "tag": 0x21, "scsi_status": 0})
        self.assertIsNone(self.rows.rows[0]["serviced_ns"])
        self.rows.take("target_cmd_complete", {"time_ns": 9, "initiator": "a", "tag": 0x21, "scsi_status": 0})
        self.assertEqual((self.rows.rows[0]["itt"], self.rows.rows[0]["serviced_ns"]), (on_the_wire(0x21), 9))

    def test_drop(self):
        self.rows.take("kfree_skb", {"time_ns": 1, "reason": 7})
        self.assertEqual(self.rows.rows, [{"row": "drop", "time_ns": 1, "reason": "qdisc_drop"}])


if __name__ == "__main__":
    unittest.main()
