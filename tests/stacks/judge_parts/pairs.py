#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two faults at once, on runs of the laboratory (catalogue/pair.py): pairs.py PROGRAM FOLDER [--markdown FILE]

In: the program and a folder of runs; of each pair four, drawn alike: with neither, the first, the second, both. What a fault
costs is how much longer the same closed loop of I/Os takes with it alone than with neither (fio's own run time). Out, for
each tap of the run with both: whether the first finding is the costlier's (either, where their costs differ by less than a
half), whether both are shown, and a table of costs and shares. A pair of which one fault costs less than 5 % of the work by
itself is not judged: nobody would have to see it; nor is whether both are shown where with both the work takes less than
5 % longer than with one of them alone, which hides the other; nor the order where it takes less with both than with the
costlier one, which then met no work; nor a pair with storage that by docs/findings.md is not slow (below 10 ms). Of the judging half (odd seeds) only the figures are printed;
--markdown has both halves."""

import argparse
import collections
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(HERE + "/../judge")

import reports  # noqa: E402
import runs  # noqa: E402
import verdict  # noqa: E402

ROLES = ("clean", "first", "second", "strong")
LEAST = 0.05    # of the work's time
SLOW = 10       # ms
NEAR = 1.5      # costs that differ less may come in either order


def seconds(run):
    """fio's run time of the work."""
    return max(item["milliseconds"] for said in run.label["outcome"]["said"] if isinstance(said, dict)
               for item in said.values() if isinstance(item, dict)) / 1000


def groups(all_runs):
    """Those whose four runs are all there, by what they have in common."""
    found = collections.defaultdict(dict)
    for run in all_runs:
        if run.label.get("pair") and run.shown:
            found[run.stack, run.fault, run.label["seed"]][run.strength] = run
    return {key: of for key, of in found.items() if all(role in of for role in ROLES)}


def both_shown(shown, kinds):
    """Whether each of the two has a finding of its own: two may have a kind in common."""
    found = [f["kind"] for f in shown]
    return any(found[i] in kinds[0] and found[j] in kinds[1] for i in range(len(found)) for j in range(len(found)) if i != j)


def first_right(shown, kinds, costs):
    """Whether the first finding is the costlier's, or either's where they cost nearly the same."""
    if not shown:
        return False
    of = [shown[0]["kind"] in kinds[i] for i in (0, 1)]
    return any(of) if max(costs) < NEAR * min(costs) else of[costs[1] > costs[0]]


def table(rows):
    """Lines of Markdown."""
    lines = ["| faults | tap | work | the first alone | the second alone | both | what the report shows first | order | both shown |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for _, names, view, base, costs, cost, right, seen, shown in rows:
        lines.append(f"| {' and '.join(names)} | {view} | {base:.2f} s | +{costs[0]:.2f} s | +{costs[1]:.2f} s | +{cost:.2f} s | "
                     + ", ".join(f"`{kind}`" + (f" {100 * share:.0f} %" if share is not None else "") for kind, share in shown)
                     + f" | {'-' if right is None else 'right' if right else '**wrong**'} | {'-' if seen is None else 'yes' if seen else '**no**'} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program", help="path of iscsiscope")
    parser.add_argument("folder", help="folder of labels and captures")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there")
    options = parser.parse_args()
    all_runs, bad = runs.read_all(options.folder)
    rows, order, both = [], collections.Counter(), collections.Counter()
    for (stack, fault, seed), of in sorted(groups(all_runs).items()):
        base = seconds(of["clean"])
        costs = [max(0.0, seconds(of[role]) - base) for role in ("first", "second")]
        half = ("tuning", "judging")[seed % 2]
        kinds = of["strong"].label["kinds"]
        if of["strong"].label["drawn"].get("storage_ms", SLOW) < SLOW:
            continue
        if min(costs) < LEAST * base or (set(kinds[0]) & set(kinds[1]) and max(costs) < NEAR * min(costs)):
            continue
        for view in runs.TAPS:
            report = reports.report(options.program, of["strong"].captures[view])
            shown = verdict.counted({**of["strong"].label, "allowed": []}, report["findings"])
            right, seen = first_right(shown, kinds, costs), both_shown(shown, kinds)
            cost = seconds(of["strong"]) - base
            hidden = cost - max(costs) < LEAST * (base + cost)
            came = cost > 0.9 * max(costs)  # else the costlier one did not come to bear
            for counter, good in ((order, right if came else None), (both, None if hidden else seen)):
                if good is not None:
                    counter[half, "right"] += good
                    counter[half, "of"] += 1
            names = of["strong"].label["pair"]
            rows.append((half, names, view, base, costs, cost, right if came else None, None if hidden else seen,
                         [(f["kind"], f["share"]) for f in shown[:3]]))
    lines = table(rows)
    print("\n".join(table([row for row in rows if row[0] == "tuning"])))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    for half in ("tuning", "judging"):
        print(f"FIGURE: pairs: {half}: the costlier first in {order[half, 'right']} of {order[half, 'of']}, both shown in "
              f"{both[half, 'right']} of {both[half, 'of']}")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
