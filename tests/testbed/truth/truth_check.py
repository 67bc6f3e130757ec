# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what the engine makes of the captures of a run against what the programs of the run knew.

Every command of the truth must be a cycle of the capture, once, with the same bytes and R2Ts, and no cycle may
be more than that. At each end, what a program sends it knew of before the capture shows it, and what it
receives the capture shows before the program knew of it (docs/formats.md, "Truth rows"): no tolerance is needed.
"""
import glob
import json
import os
import statistics
import subprocess

COMMAND, DATA_OUT, RESPONSE, DATA_IN, R2T = 0x01, 0x05, 0x21, 0x25, 0x31


def truth_rows(path):
    text = (subprocess.run(["zstd", "-qdc", path], check=True, stdout=subprocess.PIPE).stdout
            if path.endswith(".zst") else open(path, "rb").read())
    return [json.loads(line) for line in text.splitlines()]


def rows_of(iscsiscope, what, capture):
    out = subprocess.run([iscsiscope, what, capture, "--format", "jsonl", "--no-progress"], check=True,
                         stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in out.splitlines()]


class Capture:
    """Cycles and PDUs of one capture, by connection (as the truth names it) and Initiator Task Tag."""

    def __init__(self, iscsiscope, path):
        names = {c["stream"]: "{initiator_address}:{initiator_port}>{target_address}:{target_port}".format(**c)
                 for c in rows_of(iscsiscope, "connections", path)}
        self.cycles = rows_of(iscsiscope, "cycles", path)
        self.pdus = {}
        for pdu in rows_of(iscsiscope, "pdus", path):
            self.pdus.setdefault((names[pdu["stream"]], pdu["itt"]), []).append(pdu)
        for cycle in self.cycles:
            cycle["key"] = (names[cycle["stream"]], cycle["itt"], cycle["cmd_sn"])


class Comparison:
    """Mistakes found, and the time between program and capture by kind."""

    def __init__(self):
        self.mistakes = []
        self.commands = 0
        self.r2ts = 0
        self.apart = {}  # kind -> nanoseconds, each at least 0 if the order holds

    def expect(self, good, *words):
        if not good:
            self.mistakes.append(" ".join(str(w) for w in words))

    def ordered(self, kind, key, first, second):
        if first is None or second is None:
            self.expect(False, kind, key, "one of the two times is missing:", first, second)
            return
        self.apart.setdefault(kind, []).append(second - first)
        self.expect(first <= second, kind, key, f"out of order by {first - second} ns")

    def medians(self):
        return ", ".join(f"{kind} {statistics.median(values) / 1000:.1f} µs ({len(values)})"
                         for kind, values in sorted(self.apart.items()))


def same_values(result, command, cycle, key):
    result.expect(cycle["opcode"] == command["opcode"], key, "opcode", cycle["opcode"], "not", command["opcode"])
    result.expect(cycle["bytes_expected"] == command["edtl"], key, "expected bytes", cycle["bytes_expected"],
                  "not", command["edtl"])
    moved = command["edtl"] - (command["residual"] or 0)
    result.expect(cycle["bytes_moved"] == moved, key, "moved bytes", cycle["bytes_moved"], "not", moved)
    result.expect(cycle["status"] == command["status"], key, "status", cycle["status"], "not", command["status"])
    if command["blocks"] is not None and cycle["blocks"] is not None:
        result.expect((cycle["lba"], cycle["blocks"]) == (command["lba"], command["blocks"]), key, "blocks differ")
    result.expect(cycle["r2t_count"] == len(command["r2ts"]), key, cycle["r2t_count"], "R2Ts, not",
                  len(command["r2ts"]))
    result.expect(cycle["complete"], key, "is not complete")


def with_status(pdus):
    return next((p for p in pdus if p["opcode"] == RESPONSE or (p["opcode"] == DATA_IN and p["status_bit"])), None)


def order_at_initiator(result, command, pdus, key):
    by = lambda opcode: [p for p in pdus if p["opcode"] == opcode]
    asked, data_out, data_in, status = by(COMMAND)[0], by(DATA_OUT), by(DATA_IN), with_status(pdus)
    result.ordered("command sent", key, command["handed_ns"], asked["time_ns"])
    if command["write"] and command["last_data_sent_ns"] is not None:
        last = (data_out or [asked])[-1]
        result.ordered("last data sent", key, command["last_data_sent_ns"], last["complete_ns"])
    if data_in:
        result.ordered("first data received", key, data_in[0]["time_ns"], command["first_data_ns"])
    result.ordered("status received", key, status and status["delivered_ns"], command["status_ns"])
    return "R2T received", lambda known, seen: (seen["delivered_ns"], known["time_ns"])


def order_at_target(result, command, pdus, key):
    by = lambda opcode: [p for p in pdus if p["opcode"] == opcode]
    asked, data_out, data_in, status = by(COMMAND)[0], by(DATA_OUT), by(DATA_IN), with_status(pdus)
    result.ordered("command received", key, asked["delivered_ns"], command["received_ns"])
    if data_out:
        result.ordered("last data received", key, max(p["delivered_ns"] for p in data_out),
                       command["data_complete_ns"])
    if data_in:
        result.ordered("first data sent", key, command["first_data_ns"], data_in[0]["time_ns"])
    result.ordered("status sent", key, command["status_ns"], status and status["time_ns"])
    return "R2T sent", lambda known, seen: (known["time_ns"], seen["time_ns"])


def compare_r2ts(result, command, pdus, key, kind, times):
    seen = [p for p in pdus if p["opcode"] == R2T]
    known = command["r2ts"]
    result.expect(len(seen) == len(known), key, len(seen), "R2T PDUs, not", len(known))
    for k, s in zip(known, seen):
        result.expect((k["ttt"], k["offset"], k["length"]) == (s["ttt"], s["buffer_offset"], s["desired_length"]),
                      key, "R2T differs:", k, "in the capture:", s["ttt"], s["buffer_offset"], s["desired_length"])
        result.ordered(kind, key, *times(k, s))
        result.r2ts += 1


def compare_host(commands, capture):
    """`commands`: the truth's command rows of this host (initiator or target)."""
    result = Comparison()
    known = {(c["connection"], c["itt"], c["cmd_sn"]): c for c in commands}
    result.expect(len(known) == len(commands), "the truth names a command twice")
    found = {}
    for cycle in capture.cycles:
        result.expect(cycle["key"] not in found, cycle["key"], "is in the capture's cycles twice")
        found[cycle["key"]] = cycle
    for key in known.keys() - found.keys():
        result.expect(False, key, "is not in the capture's cycles")
    for key in found.keys() - known.keys():
        result.expect(False, key, "is a cycle that no program knows of")
    for key, command in known.items():
        if key not in found:
            continue
        result.commands += 1
        pdus = capture.pdus.get(key[:2], [])
        asked = [p for p in pdus if p["opcode"] == COMMAND]
        result.expect(len(asked) == 1, key, len(asked), "command PDUs with its tag")
        same_values(result, command, found[key], key)
        if asked:
            order = order_at_initiator if command["side"] == "initiator" else order_at_target
            compare_r2ts(result, command, pdus, key, *order(result, command, pdus, key))
    return result


def bundled(name):
    """The folder of a bundled scenario's captures and truth."""
    return os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "sample-captures", "bundle", name)


def captures_of(folder, name):
    """{host: path} of a run's captures, compressed or not."""
    paths = glob.glob(os.path.join(folder, glob.escape(name) + ".*.pcapng*"))
    return {os.path.basename(p)[len(name) + 1:].split(".pcapng")[0]: p for p in sorted(paths)}


def compare_run(iscsiscope, folder, name):
    """{host: Comparison}; the truth is taken from <name>.truth.jsonl or its .zst."""
    rows = truth_rows(glob.glob(os.path.join(folder, glob.escape(name) + ".truth.jsonl*"))[0])
    return {host: compare_host([r for r in rows if r["row"] == "command" and r.get("host") == host],
                               Capture(iscsiscope, path))
            for host, path in captures_of(folder, name).items()}


def report(name, comparisons):
    """Prints one line a host and the first mistakes; returns how many mistakes there are."""
    count = 0
    for host, result in comparisons.items():
        verdict = "FAILED" if result.mistakes else "ok"
        print(f"{verdict}: {name}, {host}: {result.commands} commands, {result.r2ts} R2Ts; program to capture or "
              f"capture to program, median: {result.medians()}")
        for mistake in result.mistakes[:10]:
            print("   ", mistake)
        count += len(result.mistakes)
        if result.commands == 0:
            print("    no command was compared")
            count += 1
    return count
