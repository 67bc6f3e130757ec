#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Throughput and IOPS over data time and on average, median response time, idle share and shares of time are the same in every format.

Text, JSON, CSV, SQLite, the comparison of a capture with itself and the names of --fail-on are read back. Rates
are computed from the rows of cycles as well. JSON, CSV and SQLite must agree exactly, text to its digits."""

import csv
import json
import os
import re
import sqlite3
import subprocess

from common import SOURCE, Program, Verdict, figure, skip

CAPTURES = ("plain-read.initiator", "tgt-qemu", "mcs-unequal.target")
BUNDLE = os.path.join(SOURCE, "sample-captures", "bundle")
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
RATES = ("throughput", "average_throughput", "iops", "average_iops")
FAIL_ON_UNITS = {"throughput": "B/s", ".p50": "ns"}


def run(program, *arguments, code=0):
    wide = {**os.environ, "COLUMNS": "120"}  # bars have their names behind them
    done = subprocess.run([program.path, *arguments], capture_output=True, text=True, env=wide)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def union(spans):
    """The time that at least one span covers."""
    total, reached = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def opened(cycle):
    """When the cycle's command left the initiator, and when its status arrived there."""
    start, response = int(cycle["start_ns"]), int(cycle["response_time_ns"])
    way = int(cycle["host_response_time_ns"] or response) - response
    return start - way // 2, start + response + (way + 1) // 2


def tables(program, path):
    """The tables cycles, times, rates and time_shares of CSV and of SQLite, as lists of dictionaries of text."""
    folder, base = (os.path.join(program.folder.name, n) for n in ("tables", "report.db"))
    run(program, "report", path, "--format", "csv", "-o", folder)
    run(program, "report", path, "--format", "sqlite", "-o", base)
    connection = sqlite3.connect(base)
    connection.row_factory = sqlite3.Row
    of_csv, of_sqlite = {}, {}
    for name in ("cycles", "times", "rates", "time_shares"):
        with open(os.path.join(folder, name + ".csv"), newline="", encoding="utf-8") as file:
            of_csv[name] = list(csv.DictReader(file))
        of_sqlite[name] = [dict(row) for row in connection.execute(f"SELECT * FROM {name}")]
    connection.close()
    return {"csv": of_csv, "sqlite": of_sqlite}


def of_tables(t):
    """The figures by name, from tables."""
    rated = {r["type"]: r for r in t["rates"] if r["session"] in (None, "")}
    start = min(opened(c)[0] for c in t["cycles"])
    end = max(opened(c)[1] for c in t["cycles"])
    found = {}
    for kind in ("read", "write"):
        mine = [c for c in t["cycles"] if c["type"] == kind]
        open_ns = union(opened(c) for c in mine)
        moved = sum(int(c["bytes_moved"]) for c in mine)
        found[f"{kind}.average_throughput"] = moved * 1e9 / (end - start)
        found[f"{kind}.average_iops"] = len(mine) * 1e9 / (end - start)
        found[f"{kind}.throughput"] = moved * 1e9 / open_ns if open_ns else None
        found[f"{kind}.iops"] = len(mine) * 1e9 / open_ns if open_ns else None
        for rate in RATES if mine else ():
            if abs(float(rated[kind][rate]) / found[f"{kind}.{rate}"] - 1) > 1e-9:
                raise SystemExit(f"{kind}.{rate}: {rated[kind][rate]} in table rates, {found[f'{kind}.{rate}']} from rows")
        row = next(r for r in t["times"] if r["type"] == kind and r["time"] == "response_time")
        found[f"{kind}.response_time.p50"] = float(row["p50_ns"]) if row["p50_ns"] else None
    for row in t["time_shares"]:
        found[share_name(row["kind"])] = float(row["share"])
    found["idle.share"] = 1 - found["transfer.share"]
    return found


def share_name(kind):
    return "transfer.share" if kind == "transfer" else f"gap.{kind}.share"


def of_json(j):
    found = {"transfer.share": j["time_shares"]["transfer_share"]}
    for kind in ("read", "write"):
        c = j["cycles"][kind]
        found.update((f"{kind}.{rate}", j["rates"][kind][rate]) for rate in RATES)
        found[f"{kind}.response_time.p50"] = c["times"]["response_time"]["quantiles_ns"]["0.5"]
    for kind, gap in j["time_shares"]["gaps"].items():
        found[share_name(kind)] = gap["share"]
    found["idle.share"] = 1 - found["transfer.share"]
    return found


def of_comparison(j):
    return {(d["name"] if d["group"] == "time" else f"{d['group']}.{d['name']}"): d["before"]
            for d in j["differences"]}


def of_text(text):
    """Value and the half of its last digit, by name."""
    found = {}
    section = re.search(r"^CYCLES.*?\n\n", text, re.M | re.S).group()
    for row in section.splitlines()[2:]:
        cells = re.split(r"\s{2,}", row.strip())
        if cells[0] in ("read", "write"):
            found[f"{cells[0]}.throughput"] = number(cells[3], 1e6)
            found[f"{cells[0]}.iops"] = number(cells[4], 1)
            value, unit = cells[5].split(" ")
            found[f"{cells[0]}.response_time.p50"] = number(value, UNITS[unit])
    section = re.search(r"^WHERE THE CONNECTIONS' TIME GOES.*?\n\n", text, re.M | re.S).group()
    for share, kind in re.findall(r"^  \S.*? (<?[\d.]+) % +\S+ \S+  ([a-z]\w*)$", section, re.M):
        found[share_name(kind)] = number(share, 0.01)
    value, margin = found["transfer.share"]
    found["idle.share"] = (1 - value, margin)
    return found


def number(text, unit):
    if text.startswith("<"):  # less than this
        return float(text[1:]) / 2 * unit, float(text[1:]) / 2 * unit
    digits = text.replace(",", "")
    decimals = len(digits.partition(".")[2])
    return float(digits) * unit, 0.501 * 10 ** -decimals * unit


def check(program, verdict, name):
    path = os.path.join(BUNDLE, name.split(".")[0], name + ".pcapng.zst")
    exact = {format: of_tables(t) for format, t in tables(program, path).items()}
    exact["json"] = of_json(json.loads(run(program, "report", path, "--format", "json")))
    exact["compare"] = of_comparison(json.loads(run(program, "compare", path, path, "--format", "json")))
    text = of_text(run(program, "report", path, "--all"))
    compared = 0
    for key, value in exact["sqlite"].items():
        for format, figures in exact.items():
            other = figures.get(key)
            if value and (format != "compare" or key != "idle.share"):  # a comparison names the transfer share
                verdict.expect(other is not None and abs(other - value) <= 1e-9 * value,
                               f"{name} {key}: {other} in {format}, {value} in sqlite")
                compared += 1
        if value:
            verdict.expect(".average_" in key or key in text and abs(text[key][0] - value) <= text[key][1],
                           f"{name} {key}: {text.get(key)} in text, {value} in sqlite")
            unit = next((u for end, u in FAIL_ON_UNITS.items() if key.endswith(end)), "")
            low, high = (f"{value * (1 + margin):.12f}{unit}" for margin in (-1e-9, 1e-9))
            run(program, "report", path, "--fail-on", f"{key} < {low} or {key} > {high}")
            compared += 2
    parts = [v for k, v in exact["sqlite"].items() if k.endswith(".share") and k != "idle.share"]
    verdict.expect(abs(sum(parts) - 1) <= 1e-12, f"{name}: the shares of time add up to {sum(parts)}")
    verdict.expect(set(text) <= set(exact["sqlite"]), f"{name}: {set(text) - set(exact['sqlite'])} in text only")
    return compared


def main():
    program, verdict = Program(), Verdict()
    if not os.path.isdir(BUNDLE):
        skip(f"no captures in {BUNDLE}")
    for name in CAPTURES:
        verdict.begin()
        figure(f"figures of {name}: {check(program, verdict, name)} compared")
        for left in ("tables", "report.db"):
            subprocess.run(["rm", "-rf", os.path.join(program.folder.name, left)], check=True)
    verdict.finish()


main()
