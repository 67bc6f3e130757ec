#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""PDU counts by opcode and direction, payload bytes and digest verdicts of `iscsiscope pdus` against those of
an independent walker (NAME.pcap.walk.json beside the capture, which checked every CRC32C): equal, exactly.
In the folder zoo the walker's PDU counts and login statuses of each connection are in NAME.json: the report's must
equal them, at both taps. Where no captures are given: the bundled ones, against the laboratory's walker
(tests/stacks/walker), which checks every CRC32C as well."""

import collections
import json
import os
import sys

from common import (COMMAND, DATA_IN, DATA_OUT, HERE, OPCODE_NAMES, Program, Verdict, are_given, capture_folder, captures,
                    figure, packed_path, unpack)

sys.path.append(os.path.join(HERE, "..", "stacks", "walker"))

import tap  # noqa: E402


# Names in .walk.json -> opcode of the PDUs whose data segments they add up.
BYTES = (("data_in_bytes", DATA_IN), ("data_out_bytes", DATA_OUT), ("immediate_bytes", COMMAND))
# Names in the zoo's NAME.json -> names in the report.
ZOO_NAMES = {"TM Request": "Task Management Request", "TM Response": "Task Management Response"}


def of_walker(connection):
    pdus = {ZOO_NAMES.get(name, name): count for name, count in connection.get("pdus", {}).items()}
    return {"pdus": pdus, "login_status": connection.get("login_status", {})}


def of_program(connection, rows, verdict, where):
    """What the report says of a connection, without PDUs that the walker cannot have counted."""
    pdus = connection["pdus"]
    counts = collections.Counter({**pdus["to_target"], **pdus["to_initiator"]})
    of_rows = collections.Counter(r["opcode_name"] for r in rows)
    verdict.expect(counts == of_rows, f"{where}: report {dict(counts)}, rows {dict(of_rows)}")
    # The walker ends where bytes are in no frame; the program counts a PDU whose header came before them. In
    # z22_connection_reset.ini that is the Data-In of frame 969: a router refused its data before the tap.
    counts.subtract(r["opcode_name"] for r in rows if r["unseen_bytes"] > 0)
    responses = counts["Login Response"]
    status = collections.Counter()
    if responses:  # a Login Response with another status than 0000 is the last
        status["0000"] = responses - 1
        status[f"{connection['login']['status_class']:02x}{connection['login']['status_detail']:02x}"] += 1
    return {"pdus": dict(+counts), "login_status": dict(+status)}


def name_of(connection):
    def end(which):
        address = connection[f"{which}_address"]
        return f"{f'[{address}]' if ':' in address else address}:{connection[f'{which}_port']}"
    return f"{end('initiator')}>{end('target')}"


def zoo(program, verdict):
    """Compares the connections that NAME.json lists; it lists the first few where there are many."""
    folder = os.path.join(capture_folder(), "zoo")
    names = sorted(n[:-9] for n in os.listdir(folder) if n.endswith(".pcap.zst")) if os.path.isdir(folder) else []
    compared = connections = pdus = refusals = 0
    for name in names:
        scenario, tap = name.rsplit(".", 1)
        with open(os.path.join(folder, scenario + ".json"), encoding="utf-8") as file:
            evidence = json.load(file).get("evidence", {}).get(tap)
        if evidence is None:
            continue
        verdict.begin()
        path = os.path.join(folder, name + ".pcap.zst")
        report = program.report(path)
        rows = collections.defaultdict(list)
        for row in program.rows("pdus", path):
            rows[row["stream"]].append(row)
        found = {name_of(c): of_program(c, rows[c["stream"]], verdict, f"{name}: stream {c['stream']}")
                 for session in report["sessions"] for c in session["connections"]}
        total, listed = evidence["connections_total"], evidence["connections"]
        all_listed = len(listed) == total
        expected = {c["tuple"]: of_walker(c) for c in listed if c.get("pdus")}
        for ends, truth in expected.items():
            own = found.get(ends)
            verdict.expect(own == truth, f"{name}: {ends}: {own}, walker {truth}")
            pdus += sum(truth["pdus"].values())
        refused = sum(n for c in expected.values() for status, n in c["login_status"].items() if status != "0000")
        if all_listed:
            verdict.expect(found.keys() == expected.keys(),
                           f"{name}: iSCSI connections {sorted(found)}, walker {sorted(expected)}")
        else:
            verdict.expect(len(found) <= total, f"{name}: {len(found)} iSCSI connections of {total} connections")
        failed, first = report["tasks"]["failed_logins"]["count"], (report["findings"] or [{}])[0]
        verdict.expect(failed == refused if all_listed else failed >= refused,
                       f"{name}: {failed} failed logins, walker {refused}")
        if refused:
            verdict.expect((first.get("kind"), first.get("severity")) == ("login_trouble", "problem"),
                           f"{name}: the first finding is {first.get('kind')}")
        refusals += refused
        compared += 1
        connections += len(expected)
    figure(f"zoo: {compared} captures, {connections} connections, {pdus} PDUs, {refusals} logins refused")


def truth_of(name, program):
    """The walker's counts: those in the file beside a given capture, None without one; of a bundled one its own."""
    if are_given():
        path = os.path.join(capture_folder(), name + ".walk.json")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    pdus = tap.Tap(program.file(unpack(name)), crc=True).pdus
    truth = {"pdus": dict(collections.Counter(pdu.name for pdu in pdus))}
    for part in ("header", "data"):
        right = collections.Counter(getattr(pdu, f"{part}_right") for pdu in pdus)
        truth |= {f"{part}_digests_ok": right[True], f"{part}_digests_bad": right[False]}
    for key, opcode in BYTES:
        truth[key] = sum(pdu.data_len for pdu in pdus if pdu.opcode == opcode)
    return truth


def main():
    program, verdict = Program(), Verdict()
    total = checked = 0
    for name in captures():
        truth = truth_of(name, program)
        if truth is None:
            continue
        verdict.begin()
        rows = program.rows("pdus", packed_path(name))
        counts = collections.Counter(OPCODE_NAMES.get(r["opcode"], f"opcode {r['opcode']}") for r in rows)
        verdict.expect(dict(counts) == truth["pdus"], f"{name}: PDUs {dict(counts)}, walker {truth['pdus']}")
        for row in rows:
            direction = "to_initiator" if row["opcode"] & 0x20 else "to_target"
            verdict.expect(row["direction"] == direction,
                           f"{name}: frame {row['frame']}: {row['opcode_name']} is {row['direction']}")
        for part in ("header", "data"):
            found = collections.Counter(r[f"{part}_digest"] for r in rows)
            for state in ("ok", "bad"):
                expected = truth[f"{part}_digests_{state}"]
                verdict.expect(found[state] == expected,
                               f"{name}: {found[state]} {part} digests {state}, walker {expected}")
            verdict.expect(found["unknown"] == 0, f"{name}: {found['unknown']} {part} digests unknown")
        for key, opcode in BYTES:
            payload = sum(r["data_length"] for r in rows if r["opcode"] == opcode)
            verdict.expect(payload == truth[key], f"{name}: {key} {payload}, walker {truth[key]}")
        total += len(rows)
        checked += 1
        figure(f"{name}: {len(rows)} PDUs, {truth['header_digests_ok']} + {truth['data_digests_ok']} digests: "
               f"{'equal' if verdict.of_capture == 0 else 'DIFFERENT'}")
    verdict.expect(checked > 0, "no capture with a .walk.json")
    if are_given():
        zoo(program, verdict)
    figure(f"walk: {checked} captures, {total} PDUs, {verdict.failures} differences")
    verdict.finish()


main()
