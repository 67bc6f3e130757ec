# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the main figures of a report with those measured at and between the two taps.

In: the evidence of a run (JSON of tests/stacks/walker) and the report of one of its captures. Out: a list of Row, one
for each name in NAMES, in that order. Units are part of the names: milliseconds, MB/s (1000000 bytes), a share from 0
to 1. A value that the evidence or the report does not have is None, and so is the ratio then.

What is compared:
- Round trip. Truth: the one-way medians between the taps, both directions added, of the path of the report's busiest
  connection if the evidence has it. Report: its propagation part, rtt_to_initiator + rtt_to_target.
- Service of Reads, of Writes. Truth: the median at the target, of the group of commands (LUN, command, length) that
  has more than half of the Reads or Writes; of a Write the medians of its wait for the first R2T and of its wait from
  the last data to the response, added. Only of runs in which one command was open at a time, since a wait at the
  target holds earlier answers as well otherwise (services.py judges all runs). Report: the median of target_service.
- Throughput. Truth: bytes over the time in which a Read or Write was open. Report: `throughput` of Reads and Writes
  together, which is the same.
- Target's share of response time of Reads and Writes. Truth: of the tasks seen at both taps. Report: the sum of
  target_service over the sum of response_time at its tap. (owners.py judges the owners of busy time.)
"""

import dataclasses
import re

ROUND_TRIP, READ, WRITE = "round trip ms", "read service ms", "write service ms"
THROUGHPUT, TARGET_SHARE = "throughput MB/s", "target share"
NAMES = (ROUND_TRIP, READ, WRITE, THROUGHPUT, TARGET_SHARE)
MILLISECOND = 1e6  # ns


@dataclasses.dataclass(frozen=True)
class Row:
    """One figure: what is true, what the report states, and the second divided by the first."""

    name: str
    truth: float | None
    reported: float | None
    ratio: float | None


def follow(tree, *keys):
    """The value below keys of nested dictionaries, or None if one is missing."""
    for key in keys:
        if not isinstance(tree, dict) or tree.get(key) is None:
            return None
        tree = tree[key]
    return tree


def one_way_ms(evidence, way, source, destination):
    """The median of one direction, on the path between two addresses if the evidence has it."""
    return (follow(evidence, "between", way, "one_way_by_path", f"{source}>{destination}", "p50_ms")
            or follow(evidence, "between", way, "one_way", "p50_ms"))


def true_round_trip_ms(evidence, connection):
    initiator, target = (follow(connection, key) for key in ("initiator_address", "target_address"))
    ways = one_way_ms(evidence, "to_target", initiator, target), one_way_ms(evidence, "to_initiator", target, initiator)
    return None if None in ways else sum(ways)


def one_at_a_time(evidence):
    """Whether no connection had two commands open at once; false if the evidence does not state it."""
    most = [c.get("max_outstanding") for c in follow(evidence, "tgt", "connections") or []]
    return bool(most) and None not in most and max(most) <= 1


def true_service_ms(evidence, kind):
    """The median of the group with more than half of the commands of a kind, READ or WRITE."""
    if not one_at_a_time(evidence):
        return None
    groups = [g for g in follow(evidence, "services") or [] if re.fullmatch(kind + r"\d+", g["cdb"])]
    largest = max(groups, key=lambda g: g["n"], default=None)
    if largest is None or 2 * largest["n"] <= sum(g["n"] for g in groups):
        return None
    if kind == "READ":
        return follow(largest, "to_first_answer", "p50_ms")
    rest = follow(largest, "last_data_to_response", "p50_ms")
    return None if rest is None else rest + (follow(largest, "to_first_r2t", "p50_ms") or 0)


def busiest(report):
    """The connection with the most bytes, or None."""
    connections = [c for session in report["sessions"] for c in session["connections"]]
    return max(connections, key=lambda c: c["bytes_to_target"] + c["bytes_to_initiator"], default=None)


def round_trip_ms(report):
    connection = busiest(report)
    parts = [follow(connection, "rtt_to_initiator_ns"), follow(connection, "rtt_to_target_ns")]
    return None if None in parts else sum(parts) / MILLISECOND


def service_ms(report, kind):
    median = follow(report, "cycles", kind, "times", "target_service", "quantiles_ns", "0.5")
    return None if median is None else median / MILLISECOND


def throughput(report):
    rate = follow(report, "rates", "both", "throughput")
    return None if rate is None else rate / 1e6


def target_share(report):
    """Sum of target_service over sum of response_time, of Reads and Writes."""
    times = [follow(report, "cycles", kind, "times") for kind in ("read", "write")]
    service, response = (sum(follow(t, name, "sum_ns") or 0 for t in times)
                         for name in ("target_service", "response_time"))
    return service / response if response else None


def row(name, truth, reported):
    return Row(name, truth, reported, reported / truth if truth and reported is not None else None)


def compare_figures(evidence, report):
    """Returns a Row for each of NAMES."""
    return [
        row(ROUND_TRIP, true_round_trip_ms(evidence, busiest(report)), round_trip_ms(report)),
        row(READ, true_service_ms(evidence, "READ"), service_ms(report, "read")),
        row(WRITE, true_service_ms(evidence, "WRITE"), service_ms(report, "write")),
        row(THROUGHPUT, follow(evidence, "throughput", "both", "MB_per_s"), throughput(report)),
        row(TARGET_SHARE, follow(evidence, "owners", "target_share"), target_share(report)),
    ]
