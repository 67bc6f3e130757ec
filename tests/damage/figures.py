# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures that cannot be, whatever a capture lacks: negative times, times longer than the capture, points in time outside
it, shares above one, rates above what the bytes and the time beside them allow."""
import csv
import os

# Times that a step or a difference gives a sign.
SIGNED = {"by_ns", "offset_ns", "clock_offset_ns"}
# Sums over tasks, each of which is inside the capture; settings.
SUMS = ("sum_ns", "total_ns", "held_ns", "lost_time_ns", "time_ns", "wait_ns", "trouble_ns", "interval_ns")
# Of several connections the sum.
OF_CONNECTIONS = ("active_ns", "busy_ns", "unasked_ns", "one_sided_ns", "transfer_ns", "network_ns", "target_ns", "host_ns",
                  "unknown_ns")
# At the host: up to a round trip more.
AT_THE_HOST = ("host_response_time", "range_ns", "data_time_ns")
POINTS = {"start_ns", "end_ns", "first_time_ns", "last_time_ns"}  # of rows; end_ns of a gap is a part of it
RATES = (("throughput", "data_time_ns", "bytes"), ("average_throughput", "range_ns", "bytes"))


class Checker:
    def __init__(self, found):
        self.first, self.last = found["capture"]["first_time"], found["capture"]["last_time"]
        self.bytes = found["capture"]["bytes"]
        self.connections = max(1, found["coverage"]["connections"])
        self.round_trip = max((c["rtt_to_initiator_ns"] or 0 for s in found["sessions"] for c in s["connections"]),
                              default=0)
        self.looked_at, self.wrong = 0, []

    @property
    def span(self):
        return self.last - self.first

    def one(self, where, name, value):
        self.looked_at += 1
        if name.endswith("share") and not -1e-9 <= value <= 1 + 1e-9:
            self.wrong.append(f"{where} {name} {value}")
        if not name.endswith("_ns") or name in SIGNED:
            return
        if value < 0:
            self.wrong.append(f"{where} {name} {value} is negative")
            return
        most = self.span
        if name.endswith(OF_CONNECTIONS) and "connections" not in where:
            most *= self.connections
        if any(key in where for key in AT_THE_HOST):
            most += self.round_trip
        if not name.endswith(SUMS) and value > most:
            self.wrong.append(f"{where} {name} {value} of a capture of {self.span}")

    def rates(self, where, figures):
        for rate, time, size in RATES:
            if all(isinstance(figures.get(key), (int, float)) for key in (rate, time, size)):
                self.looked_at += 1
                most = min(figures[size], self.bytes)
                if figures[rate] * figures[time] / 1e9 > most * 1.001 + 1:
                    self.wrong.append(f"{where} {rate} {figures[rate]} over {figures[time]} ns of {most} bytes")

    def json(self, node, path=""):
        if isinstance(node, dict):
            self.rates(path, node)
            for key, value in node.items():
                if key.startswith("predict") or key == "models":  # what other settings would give
                    continue
                here = f"{path}.{key}"
                if isinstance(value, (dict, list)):
                    self.json(value, here)
                elif isinstance(value, (int, float)) and not isinstance(value, bool):
                    parent = path.rsplit(".", 1)[-1]
                    quantile = parent.endswith("_ns") and key.replace(".", "").isdigit()
                    name = parent if quantile else key
                    if name in POINTS and value > 10**17:
                        self.point(here, value)
                    else:
                        self.one(here, name, value)
        elif isinstance(node, list):
            for value in node:
                self.json(value, path)

    def point(self, where, value):
        self.looked_at += 1
        if not self.first <= value <= self.last:
            self.wrong.append(f"{where} {value} is outside the capture")

    def tables(self, folder):
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    for column, text in row.items():
                        if not text or not (column.endswith("_ns") or column.endswith("share")):
                            continue
                        where, value = f"{name} {row.get('figure', '')} {column}", float(text)
                        if column in POINTS and value > 10**17:
                            self.point(where, int(text))
                        else:
                            self.one(where, column, value)
