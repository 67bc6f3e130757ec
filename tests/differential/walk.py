#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""PDU counts by opcode and direction, payload bytes and digest verdicts of `iscsiscope pdus` against those of
an independent walker (NAME.pcap.walk.json beside the capture, which checked every CRC32C): equal, exactly."""

import collections
import json
import os

from common import (COMMAND, DATA_IN, DATA_OUT, OPCODE_NAMES, Program, Verdict, capture_folder, captures, figure,
                    packed_path)


def main():
    program, verdict = Program(), Verdict()
    total = checked = 0
    for name in captures():
        truth_path = os.path.join(capture_folder(), name + ".walk.json")
        if not os.path.exists(truth_path):
            continue
        with open(truth_path, encoding="utf-8") as file:
            truth = json.load(file)
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
        for key, opcode in (("data_in_bytes", DATA_IN), ("data_out_bytes", DATA_OUT), ("immediate_bytes", COMMAND)):
            payload = sum(r["data_length"] for r in rows if r["opcode"] == opcode)
            verdict.expect(payload == truth[key], f"{name}: {key} {payload}, walker {truth[key]}")
        total += len(rows)
        checked += 1
        figure(f"{name}: {len(rows)} PDUs, {truth['header_digests_ok']} + {truth['data_digests_ok']} digests: "
               f"{'equal' if verdict.of_capture == 0 else 'DIFFERENT'}")
    verdict.expect(checked > 0, "no capture with a .walk.json")
    figure(f"walk: {checked} captures, {total} PDUs, {verdict.failures} differences")
    verdict.finish()


main()
