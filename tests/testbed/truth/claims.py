#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What sample-captures/README.md says each bundled capture shows, asked of the program.

Environment: ISCSISCOPE (the program), ISCSISCOPE_SOURCE_DIR."""
import os
import shutil
import statistics
import sys

sys.dont_write_bytecode = True  # nothing is written into the source tree
import truth_check

ISCSISCOPE = os.environ["ISCSISCOPE"]
MS = 10**6
failures = 0


def claim(good, text):
    global failures
    failures += not good
    print(f"{'ok' if good else 'FAILED'}: {text}")


class End:
    def __init__(self, name, host):
        self.path = truth_check.captures_of(truth_check.bundled(name), name)[host]
        self.all_cycles = self.rows("cycles")
        self.cycles = [c for c in self.all_cycles if c["type"] != "control"]

    def rows(self, what):
        return truth_check.rows_of(ISCSISCOPE, what, self.path)

    def median(self, column):
        return statistics.median(c[column] for c in self.cycles if c[column] is not None)

    def values(self, column):
        return {c[column] for c in self.cycles}

    def gaps(self, kind=None):
        return [g["length_ns"] for g in self.rows("gaps") if kind in (None, g["kind"])]


def reads():
    plain = End("plain-read", "initiator")
    claim(len(plain.cycles) == 100 and plain.values("type") == {"read"} and plain.values("outcome") == {"good"},
          "plain-read: 100 Reads, all good")
    wait = plain.median("first_data_wait_ns") / MS
    claim(1.0 <= wait <= 1.5, f"plain-read: first data after {wait:.2f} ms, a round trip of 1 ms")
    four, two = End("read-16ms-four-gaps", "initiator"), End("read-16ms-two-gaps", "initiator")
    gaps, cycle = four.median("idle_gaps"), four.median("response_time_ns") / MS
    claim(gaps == 2 and 64 <= cycle <= 66, f"read-16ms-four-gaps: {gaps} gaps of two delays a cycle, {cycle:.1f} ms")
    gaps, cycle = two.median("idle_gaps"), two.median("response_time_ns") / MS
    claim(gaps == 1 and 32 <= cycle <= 34, f"read-16ms-two-gaps: {gaps} gap of two delays a cycle, {cycle:.1f} ms")
    slow = End("slow-target", "initiator")
    truth = {(c["connection"], c["itt"]): c["serviced_ns"] - c["received_ns"]
             for c in truth_check.truth_rows(truth_check.bundled("slow-target") + "/slow-target.truth.jsonl.zst")
             if c["row"] == "command" and c["side"] == "target" and c["read"] and c["serviced_ns"]}
    known = [truth[key] for key in truth if key[1] in slow.values("itt")]
    said = slow.median("target_service_ns")
    claim(abs(said - statistics.median(known)) < 0.5 * MS,
          f"slow-target: service {said / MS:.2f} ms, the target knew {statistics.median(known) / MS:.2f} ms")
    held = End("delayed-ack", "initiator")
    data, path = held.median("data_ns") / MS, held.rows("connections")[0]["rtt_to_target_ns"] / MS
    claim(40 <= data <= 60 and path < 1, f"delayed-ack: data phase {data:.1f} ms on a path of {path:.2f} ms")


def writes():
    plain, pong, free = (End(n, "initiator") for n in ["plain-write", "r2t-ping-pong", "unsolicited-data"])
    claim(plain.values("r2t_count") == {0} and len(plain.cycles) == 24, "plain-write: 24 Writes without R2T")
    claim(pong.values("r2t_count") == {16}, "r2t-ping-pong: 16 R2Ts a Write")
    claim(free.values("r2t_count") == {0}, "unsolicited-data: no R2T")
    a, b = pong.median("response_time_ns") / MS, free.median("response_time_ns") / MS
    claim(a > 136 and a > 5 * b, f"  {a:.0f} ms against {b:.0f} ms for the same bytes")
    eight = End("eight-writes", "initiator")
    claim(max(eight.values("queue_depth")) == 8 and eight.values("r2t_count") == {2},
          "eight-writes: eight Writes outstanding, two R2Ts each")
    median, path = eight.median("response_time_ns") / MS, eight.rows("connections")[0]["rtt_to_target_ns"] / MS
    claim(3 <= median / path <= 3.5, f"  {median:.1f} ms, three round trips of {path:.2f} ms")
    mirror = End("mirror-unequal", "initiator")
    near, far = (statistics.median(c["response_time_ns"] for c in mirror.cycles if c["session"] == s) / MS
                 for s in (0, 1))
    claim(17.5 <= far - near <= 19, f"mirror-unequal: {near:.2f} ms and {far:.2f} ms, 18 ms apart")


def sent_again(name):
    """Of the target's capture: segments sent again by connection, and data segments the links dropped."""
    end = End(name, "target")
    streams = {c["stream"]: c["initiator_port"] for c in end.rows("connections")}
    again, dropped = dict.fromkeys(streams.values(), 0), dict.fromkeys(streams.values(), 0)
    for cycle in end.cycles:
        again[streams[cycle["stream"]]] += cycle["retransmitted_segments"]
    for row in truth_check.truth_rows(f"{truth_check.bundled(name)}/{name}.truth.jsonl.zst"):
        if row["row"] == "drop" and row["source_port"] == 3260 and row["payload_bytes"] > 0:
            dropped[row["destination_port"]] += 1
    return list(again.values()), list(dropped.values())


def sessions_and_losses():
    four = End("mcs-unequal", "target").rows("connections")
    sent = [c["bytes_to_initiator"] for c in four]
    claim(len(four) == 4 and {c["session"] for c in four} == {0}, "mcs-unequal: one session of four connections")
    claim(max(sent) > 1.2 * min(sent), f"mcs-unequal: {[round(s / 1e6, 2) for s in sent]} MB by connection")
    for name in ["mcs-unequal", "speed-step"]:
        again, dropped = sent_again(name)
        claim(again == dropped and min(again) > 20, f"{name}: {again} segments sent again by connection, "
              f"{dropped} dropped in the queue")
    lost = End("loss-timeout", "target")
    again = sum(c["retransmitted_segments"] for c in lost.cycles)
    waits = sum(g > 200 * MS for g in lost.gaps())
    claim(again == 4 and waits == 2, f"loss-timeout: {again} segments sent again, {waits} waits of over 200 ms")
    window = End("command-window", "target")
    closed = window.gaps("command_window")
    claim(max(window.values("session_depth")) == 2 and len(closed) > 50,
          f"command-window: two Reads at most, {len(closed)} waits of {statistics.median(closed) / MS:.1f} ms")
    pdus = End("digests", "initiator").rows("pdus")
    good = sum(p["header_digest"] == "ok" for p in pdus), sum(p["data_digest"] == "ok" for p in pdus)
    claim(min(good) > 100 and not any("bad" in (p["header_digest"], p["data_digest"]) for p in pdus),
          f"digests: {good[0]} header and {good[1]} data digests right, none wrong")


if __name__ == "__main__":
    if shutil.which("zstd") is None:
        print("SKIPPED: the zstd program is needed to read the compressed truth")
        sys.exit(77)
    reads()
    writes()
    sessions_and_losses()
    print(f"{failures} failures")
    sys.exit(1 if failures else 0)
