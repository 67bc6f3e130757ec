#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every task of every capture has an outcome; its phases sum to response_time and, with
next_command_wait, to cycle_time, exactly. Every SCSI Command PDU has its cycle, and response_time and the
phases of Reads are computed again here from the PDU rows (docs/figures.md, "Phases")."""

import collections

from common import COMMAND, DATA_IN, RESPONSE, Program, Verdict, captures, figure, packed_path

OUTCOMES = {"good", "check_condition", "busy", "task_set_full", "reservation_conflict", "other_status", "aborted",
            "reset", "rejected", "connection_lost", "logout", "unanswered", "no_command"}
WITH_STATUS = {"good", "check_condition", "busy", "task_set_full", "reservation_conflict", "other_status"}
PHASES = ("command_ns", "first_data_wait_ns", "data_ns", "unsolicited_ns", "r2t_wait_ns", "burst_response_ns",
          "burst_data_ns", "status_wait_ns")


def check_sums(verdict, where, row):
    phases = [row[p] for p in PHASES if row[p] is not None]
    response, wait, cycle = row["response_time_ns"], row["next_command_wait_ns"], row["cycle_time_ns"]
    verdict.expect(row["outcome"] in OUTCOMES, f"{where}: outcome {row['outcome']!r}")
    verdict.expect(all(p >= 0 for p in phases), f"{where}: a negative phase: {phases}")
    if response is None:
        verdict.expect(not any(phases), f"{where}: phases {phases} without a response time")
    else:
        verdict.expect(sum(phases) == response, f"{where}: phases sum to {sum(phases)}, response time {response}")
    if response is not None and wait is not None:
        verdict.expect(cycle == response + wait, f"{where}: cycle time {cycle} is not {response} + {wait}")
    else:
        verdict.expect(cycle is None, f"{where}: cycle time {cycle} without its parts")
    if row["outcome"] in WITH_STATUS:
        verdict.expect(row["status_frame"] and row["end_frame"] and row["status"] is not None,
                       f"{where}: {row['outcome']} without status")
        verdict.expect(response is not None, f"{where}: {row['outcome']} without response time")


def check_against_pdus(verdict, where, row, command, answers):
    """The times of one task from its PDUs: its command, and what the target sent for its tag until its end."""
    status = [p for p in answers if p["delivered_frame"] == row["end_frame"]
              and (p["opcode"] == RESPONSE or p["opcode"] == DATA_IN and p["status_bit"])]
    if not verdict.expect(len(status) == 1, f"{where}: {len(status)} PDUs with its status in frame {row['end_frame']}"):
        return
    expected = status[0]["delivered_ns"] - command["time_ns"]
    verdict.expect(row["response_time_ns"] == expected, f"{where}: response time {row['response_time_ns']}, {expected} "
                                                        "by its PDUs")
    # A command without immediate data is all header, so its `delivered` is its header's.
    data = [p for p in answers if p["opcode"] == DATA_IN and p["delivered_ns"] <= status[0]["delivered_ns"]]
    if row["type"] != "read" or command["data_length"] or not data:
        return
    marks = [command["time_ns"], command["delivered_ns"], min(p["time_ns"] for p in data),
             max(p["delivered_ns"] for p in data), status[0]["delivered_ns"]]
    for i in range(1, len(marks)):
        marks[i] = max(marks[i], marks[i - 1])
    expected = [b - a for a, b in zip(marks, marks[1:])]
    found = [row[p] for p in ("command_ns", "first_data_wait_ns", "data_ns", "status_wait_ns")]
    verdict.expect(found == expected, f"{where}: phases {found}, {expected} by its PDUs")


def main():
    program, verdict = Program(), Verdict()
    tasks = 0
    for name in captures():
        verdict.begin()
        cycles = program.rows("cycles", packed_path(name))
        pdus = program.rows("pdus", packed_path(name))
        commands = {(p["stream"], p["itt"], p["frame"]): p for p in pdus if p["opcode"] == COMMAND}
        answers = collections.defaultdict(list)
        for pdu in pdus:
            if pdu["opcode"] in (RESPONSE, DATA_IN):
                answers[pdu["stream"], pdu["itt"]].append(pdu)
        starts = collections.defaultdict(list)  # frames in which a tag of a stream is used anew
        for stream, itt, frame in commands:
            starts[stream, itt].append(frame)

        verdict.expect(sorted(c["cycle"] for c in cycles) == list(range(len(cycles))), f"{name}: cycle numbers")
        with_command = {(c["stream"], c["itt"], c["command_frame"]) for c in cycles if c["command_frame"]}
        # A command whose tag is not in the file has no tag among the PDUs; its cycle has the tag of its answer.
        nameless = {(stream, frame) for stream, itt, frame in commands if itt is None}
        at = {(stream, frame) for stream, _, frame in with_command}
        # Where no answer names it, it has no cycle, and its answer one without a command.
        without = collections.Counter(c["stream"] for c in cycles if c["outcome"] == "no_command")
        for key in commands.keys() - with_command:
            named = key[1] is None and (key[0], key[2]) in at
            if not named and key[1] is None and commands[key]["inferred"] and without[key[0]] > 0:
                without[key[0]] -= 1
                continue
            verdict.expect(named, f"{name}: command {key} (stream, ITT, frame) has no cycle")
        for key in with_command - commands.keys():
            verdict.expect((key[0], key[2]) in nameless,
                           f"{name}: cycle of {key} (stream, ITT, frame) without such a command")
        for row in cycles:
            where = f"{name}: cycle {row['cycle']}"
            check_sums(verdict, where, row)
            tag = row["stream"], row["itt"]
            command = commands.get((*tag, row["command_frame"]))
            if command and row["response_time_ns"] is not None:
                later = [f for f in starts[tag] if f > command["frame"]]
                end = min(later, default=float("inf"))
                check_against_pdus(verdict, where, row, command,
                                   [p for p in answers[tag] if command["frame"] < p["frame"] < end])
        outcomes = collections.Counter(c["outcome"] for c in cycles)
        tasks += len(cycles)
        figure(f"{name}: {len(cycles)} tasks ({', '.join(f'{n} {o}' for o, n in outcomes.most_common())}), "
               f"{len(commands)} commands: {'exact' if verdict.of_capture == 0 else 'DIFFERENT'}")
    figure(f"tasks: {tasks} tasks, each with its outcome, {verdict.failures} differences")
    verdict.finish()


main()
