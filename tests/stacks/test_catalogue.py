#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the catalogue without a guest: each cell of it lays out a plan that is plain data, carries a label with kinds
that docs/findings.md has, is drawn anew from another seed and the same from the same, and has a check."""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from catalogue import access, healthy, keys, loss, pair, part, path, people, session, target, windows, work  # noqa: E402,F401
from catalogue.fault import FAULTS, cells  # noqa: E402
from catalogue.plan import Plan  # noqa: E402

# Kinds that a capture may want although the program does not have them yet.
WANTED_KINDS = {"outage", "data_corruption"}


def known_kinds():
    with open(os.path.join(HERE, "../../analyzer/findings/kinds.h"), encoding="utf-8") as file:
        return set(re.findall(r"\b([a-z]+[a-z0-9_]*)\b", file.read()))


def main():
    failures, names = [], set()

    def expect(truth, text):
        if not truth:
            failures.append(text)

    kinds = known_kinds() | WANTED_KINDS
    all_cells = list(cells())
    for entry, stack, strength, loop in all_cells:
        name = f"{entry.name} {stack[0]} {stack[1]} {strength} {loop}"
        expect(name not in names, f"{name}: twice")
        names.add(name)
        one, same, *others = (Plan(entry, strength, loop, stack, seed).finish("x") for seed in (1, 1, 2, 3, 4))
        expect(json.loads(json.dumps(one)) == json.loads(json.dumps(same)), f"{name}: the same seed drew another plan")
        expect(any(one["drawn"] != other["drawn"] for other in others), f"{name}: other seeds drew the same")
        if entry.draws_alike:
            expect(one["drawn"] == Plan(entry, "strong", loop, stack, 1).finish("x")["drawn"], f"{name}: draws are not alike")
        for kind in one["want"] + one["allowed"]:
            expect(kind in kinds, f"{name}: there is no kind {kind}")
        expect((strength == "clean" or not entry.want) == (not one["want"]), f"{name}: wants {one['want']}")
        expect(one["want_severity"] in ("none", "info", "notice", "problem"), f"{name}: severity {one['want_severity']}")
        expect(bool(one["work"]) or one["initiator"].get("logins_fail"), f"{name}: no work")
    for entry in FAULTS.values():
        expect(bool(entry.want) == (entry.check is not None), f"{entry.name}: a fault needs a check, a healthy thing none")
    stacks = {stack for _, stack, _, _ in all_cells}
    print(f"FIGURE: catalogue: {len(FAULTS)} faults and healthy things, {len(all_cells)} cells, {len(stacks)} stacks")
    for failure in failures[:20]:
        print("  " + failure)
    sys.exit(1 if failures else 0)


main()
