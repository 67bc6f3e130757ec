#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python package of the studies without a run: judging, result files, the reader of captures, and the
committed results: each verdict follows from its points, the seeds agree, and a bar fails when its figures
are spoiled."""

import copy
import importlib.util
import os
import pathlib
import random
import struct
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
RESULTS = TOP / "sample-captures" / "studies" / "results"
NEEDED = ("matplotlib", "numpy", "pandas", "tomllib")


def with_modules():
    """This interpreter, or the system's where this one lacks a module; None: neither has them."""
    if all(importlib.util.find_spec(name) for name in NEEDED):
        return sys.executable
    other = "/usr/bin/python3"
    good = (
        os.path.exists(other) and os.spawnl(os.P_WAIT, other, other, "-c", "import " + ", ".join(NEEDED)) == 0
    )
    return other if good else None


def check_judging(wrong):
    from studies import claim, points

    rows = {
        "rows": [
            {"kind": "a", "x": 1, "valid": True, "y": 3.0},
            {"kind": "a", "x": 1, "valid": False, "y": 99.0},
            {"kind": "b", "x": 1, "valid": False, "y": 1.0},
        ]
    }
    if points.mean(rows, "y", "a", x=1) != 3.0:
        wrong.append("a run that is not valid counts in a mean")
    asks = claim.Claim("c", "s", "p", "some bar", lambda given: points.mean(given, "y", "b", x=1))
    if claim.judge_all([asks], rows)[0].verdict != claim.NOT_JUDGED:
        wrong.append("a claim without a valid run got a verdict")
    for bar, verdict in (("none", claim.REPRODUCED), ("some bar", claim.ADDITION)):
        bad = claim.Claim("c", "s", "p", bar, lambda given, v=verdict: claim.Finding(v, "", ""))
        try:
            claim.judge_all([bad], rows)
            wrong.append(f"a {verdict} with the bar {bar!r} was taken")
        except ValueError:
            pass


def check_chance(wrong):
    """A grade that one run in three alone carries falls; one that all runs carry stays. Pairs stay together."""
    from studies import chance, claim, points

    rows = {"rows": [{"kind": "a", "x": 1, "valid": True, "y": y} for y in (1.0, 1.2, 4.0)]}

    def verdict(bar, below):
        def judge(given):
            return claim.Finding(claim.REPRODUCED if points.mean(given, "y", "a") > bar else below, "", "why")

        judged = claim.judge_all([claim.Claim("c", "s", "p", "some bar", judge)], rows)[0]
        return judged.verdict, "may be chance" in judged.why

    for below in (claim.NOT_REPRODUCED, claim.SIMULATED_TCP):
        if verdict(2.0, below) != (below, True) or verdict(0.9, below) != (claim.REPRODUCED, False):
            wrong.append(f"chance: {verdict(2.0, below)}, {verdict(0.9, below)}")
    two = [{"kind": "b", "pair": n, "way": way, "valid": True, "y": n} for n in range(3) for way in "ab"]
    for drawn in chance.draws({"rows": two}, "name"):
        found = [row["y"] for row in drawn["rows"]]
        if len(found) != 6 or found[::2] != found[1::2]:
            wrong.append(f"chance: pairs are drawn apart: {found}")


def check_packets(wrong):
    """One segment with seven bytes of payload in a hand-made capture, Ethernet and raw IP."""
    from studies.captures import packets

    tcp = struct.pack(">HHIIBBHHH", 3260, 50000, 1000, 2000, 5 << 4, 0x18, 512, 0, 0) + b"payload"
    ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, 10, 0, 0, 1, 10, 0, 0, 2)
    for link_type, head in ((1, b"\0" * 14), (101, b"")):
        data = head + ip + tcp
        padded = data + b"\0" * (-len(data) % 4)
        blocks = [
            struct.pack("<IIIHHq", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1) + struct.pack("<I", 28),
            struct.pack("<IIHHI", 1, 20, link_type, 0, 0) + struct.pack("<I", 20),
            struct.pack("<IIIIIII", 6, 32 + len(padded), 0, 1, 5, len(data), len(data))
            + padded
            + struct.pack("<I", 32 + len(padded)),
        ]
        with tempfile.NamedTemporaryFile(suffix=".pcapng") as file:
            file.write(b"".join(blocks))
            file.flush()
            frame = packets.segments(pathlib.Path(file.name))
        row = frame.iloc[0].tolist() if len(frame) == 1 else frame
        if row != [(1 << 32) + 5, "10.0.0.1:3260", "10.0.0.2:50000", 1000, 2000, 7, 0x18, 512]:
            wrong.append(f"packets: link type {link_type}: {row}")


def check_studies(wrong):
    from studies.study import all_studies

    for study in all_studies():
        ids = [claim.id for claim in study.claims]
        if len(set(ids)) != len(ids) or not all(c.sentence and c.bar for c in study.claims):
            wrong.append(f"{study.name}: claims without sentence or bar, or two of one name")
        for path in (TOP / "sample-captures" / "studies").glob("*.py"):
            if "SPDX-License-Identifier: GPL-2.0-or-later" not in path.read_text(encoding="utf-8"):
                wrong.append(f"{path.name}: no SPDX line")


def spoiled(points, attempt):
    """The same points with every figure far off, each in its own way; settings are kept."""
    random_numbers = random.Random(attempt)
    wild = copy.deepcopy(points)
    for row in wild["rows"]:
        names = list(row)
        for name in names[names.index("valid") + 1 :]:
            if type(value := row[name]) in (int, float):
                row[name] = (value + 1) * random_numbers.choice((0.2, 0.4, 2.5, 5))
    return wild


def check_results(wrong):
    from studies import claim, result
    from studies.study import all_studies

    for study in all_studies():
        results = result.load_all(RESULTS, study.name) if RESULTS.is_dir() else []
        print(f"FIGURE: {study.name}: committed results of {len(results)} seeds")
        for one in results:
            stored = {judged.id: judged.verdict for judged in one.claims}
            again = {judged.id: judged.verdict for judged in claim.judge_all(study.claims, one.points)}
            if stored != again:
                wrong.append(
                    f"{study.name}, seed {one.seed}: verdicts do not follow from the points: "
                    f"{set(stored.items()) ^ set(again.items())}"
                )
            if one.quick or "dirty" in one.commit:
                wrong.append(f"{study.name}, seed {one.seed}: a quick run, or one of a changed tree")
            study.figures(one.points)
            study.tables(one.points)
        held = (
            {judged.id for judged in results[0].claims if judged.verdict == claim.REPRODUCED}
            if results
            else set()
        )
        for attempt in range(20):
            wild = (
                claim.judge_all(study.claims, spoiled(results[0].points, attempt), drawn=False)
                if held
                else []
            )
            held &= {judged.id for judged in wild if judged.verdict == claim.REPRODUCED}
        wrong += [f"{study.name}: {name}: its bar holds whatever the figures are" for name in held]
        with tempfile.TemporaryDirectory() as folder:
            for one in results:
                one.save(pathlib.Path(folder))
                if result.load(pathlib.Path(folder) / f"{one.study}.seed{one.seed}.json") != one:
                    wrong.append(f"{study.name}: a result file does not read back as it was")
    size = sum(path.stat().st_size for path in RESULTS.rglob("*.*") if path.suffix != ".html")
    print(f"FIGURE: committed results: {size / 1e3:.0f} kB (bar 600)")
    if size > 600e3:
        wrong.append("the committed results are over 600 kB")


def main():
    python = with_modules()
    if python is None:
        print("SKIPPED: matplotlib, NumPy or pandas is missing")
        return 77
    if python != sys.executable:
        os.execv(python, [python, __file__])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(TOP / "sample-captures"))
    wrong = []
    for check in (check_judging, check_chance, check_packets, check_studies, check_results):
        check(wrong)
    for line in wrong:
        print("FAILED:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
