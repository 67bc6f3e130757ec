# SPDX-License-Identifier: GPL-2.0-or-later
"""Groups judged captures into the tables that matrix.py prints.

In: records of judged captures (matrix.py, `record`), the runs kept and the runs discarded. Out: layout.Table objects
whose cells are strings. Round trips and service times are in milliseconds, throughput in MB/s; `0.40→0.42` is the
truth and what the report states, each the median over the runs of a line that have it; `–` where there is none.
"""

import collections
import statistics

import figures
import halves
import layout
import runs

ABSENT = "–"


def right(part, whole):
    """`3 of 4 ✗`; the mark stands where one is wrong."""
    return f"{part} of {whole}" + (" ✗" if part < whole else "  ")


def share(part, whole):
    """`3 of 4`, or a dash if there is nothing to count."""
    return f"{part} of {whole}" if whole else ABSENT


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else ABSENT


def number(value):
    """Three digits that matter, without an exponent."""
    if value is None:
        return ABSENT
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"


def medians(records, name):
    """`truth→reported` of one figure over the captures whose truth is known, or an empty string if there are none."""
    rows = [row for r in records for row in r["figures"] if row["name"] == name and row["truth"] is not None]
    if not rows:
        return ""
    values = [[row[key] for row in rows if row[key] is not None] for key in ("truth", "reported")]
    return "→".join(number(statistics.median(v) if v else None) for v in values)


def service(records):
    """Reads and writes in one cell, named where both are known."""
    found = [(letter, medians(records, name)) for letter, name in (("r", figures.READ), ("w", figures.WRITE))]
    return ", ".join(f"{letter}:{cell}" for letter, cell in found if cell) or ABSENT


def counts(words):
    """`slow_target×3, none×1`, most frequent first; the count is left out if there is one kind only."""
    tally = collections.Counter(words).most_common()
    return tally[0][0] if len(tally) == 1 else ", ".join(f"{word}×{n}" for word, n in tally)


def wanted(want):
    return ", ".join(want) or "no problem"


def stack_table(stack, records):
    """One line for each fault, strength and tap of a stack. Lines that want different kinds are kept apart."""
    table = layout.Table(
        stack, ["fault", "strength", "tap", "runs", "wanted", "found", "right", "round trip ms", "service ms", "MB/s"],
        flexible=("wanted", "found", "service ms"), grouped=("fault", "strength"), right=("runs", "right"),
        note="The last three columns have truth→report, each the median over the runs of the line; "
             "r: service of Reads, w: of Writes; MB/s: throughput.")
    lines = collections.defaultdict(list)
    for r in records:
        lines[r["fault"], runs.place(r["strength"], runs.STRENGTHS), r["strength"], runs.place(r["tap"], runs.TAPS),
              r["tap"], wanted(r["want"])].append(r)
    for (fault, _, strength, _, tap, want), group in sorted(lines.items()):
        table.rows.append([
            fault, strength, tap, str(len(group)), want, counts(r["word"] for r in group),
            right(sum(r["right"] for r in group), len(group)), medians(group, figures.ROUND_TRIP) or ABSENT,
            service(group), medians(group, figures.THROUGHPUT) or ABSENT])
    return table


def totals_row(what, value, records):
    faulty = [r for r in records if r["faulty"]]
    healthy = [r for r in records if not r["faulty"]]
    first = sum(r["right"] for r in faulty)
    return [what, value, share(first, len(faulty)), percent(first, len(faulty)),
            share(sum(r["severity_right"] for r in faulty), first),
            share(sum(not r["right"] for r in healthy), len(healthy))]


def totals_table(records):
    table = layout.Table(
        "Totals", ["by", "", "right first, faulty", "share", "severity right of these", "healthy accused"],
        grouped=("by",), right=("right first, faulty", "share", "severity right of these", "healthy accused"),
        note="Each tap of a run counts as a capture. A healthy capture is accused if it shows a problem, "
             "or if there is no report.")
    table.rows.append(totals_row("all", "", records))
    for key, order in (("half", halves.HALVES), ("stack", ()), ("fault", ()), ("strength", runs.STRENGTHS), ("loop", ()), ("tap", runs.TAPS)):
        values = sorted({r[key] for r in records if r[key] is not None}, key=lambda v: runs.place(v, order))
        table.rows += [totals_row(key, v, [r for r in records if r[key] == v]) for v in values]
    return table


def accused_table(records):
    table = layout.Table("Healthy captures accused, by kind", ["kind", "captures", "of runs"], flexible=("of runs",),
                         right=("captures",))
    names = collections.defaultdict(list)
    for r in records:
        for kind in r["accused"]:
            names[kind].append(f"{r['name']} {r['tap']}")
    table.rows = [[kind, str(len(n)), ", ".join(n)] for kind, n in sorted(names.items(), key=lambda x: -len(x[1]))]
    return table


def pdu_table(records):
    compared = [r for r in records if r["pdu_differences"] is not None]
    different = [r for r in compared if r["pdu_differences"]]
    note = (f"{len(compared)} captures were compared with an independent walk; {len(compared) - len(different)} are "
            f"equal, {len(different)} differ.")
    table = layout.Table("PDU counts and login outcomes that differ", ["run", "tap", "difference"],
                         grouped=("run", "tap"), flexible=("difference",), note=note)
    table.rows = [[r["name"], r["tap"], d] for r in different for d in r["pdu_differences"]]
    return table


def figures_table(records):
    table = layout.Table(
        "Figures against the truth", ["figure", "tap", "compared", "not reported", "ratio p10", "median", "p90"],
        grouped=("figure",), right=("compared", "not reported", "ratio p10", "median", "p90"),
        note="The ratio is what is reported divided by the truth, over the captures in which both are known.")
    taps = sorted({r["tap"] for r in records}, key=lambda t: runs.place(t, runs.TAPS))
    for name in figures.NAMES:
        for tap in taps:
            rows = [row for r in records if r["tap"] == tap for row in r["figures"] if row["name"] == name]
            ratios = sorted(row["ratio"] for row in rows if row["ratio"] is not None)
            missing = sum(row["truth"] is not None and row["reported"] is None for row in rows)
            if ratios or missing:
                last = len(ratios) - 1
                table.rows.append([name, tap, str(len(ratios)), str(missing)] + [
                    number(ratios[round(last * q)] if ratios else None) for q in (0.1, 0.5, 0.9)])
    return table


def discarded_table(kept, discarded):
    total = len(kept) + len(discarded)
    table = layout.Table(
        "Runs discarded", ["stack", "fault", "strength", "run", "what the evidence shows"],
        grouped=("stack", "fault"), flexible=("what the evidence shows",),
        note=f"{len(discarded)} of {total} runs ({percent(len(discarded), total)}) were not judged, because their "
             "evidence does not show their fault.")
    table.rows = [[r.stack, r.fault, r.strength, r.name, r.sentence] for r in discarded]
    return table


def views_table(records):
    table = layout.Table(
        "Views", ["view", "", "right first, faulty", "share", "severity right of these", "healthy accused"],
        grouped=("view",), right=("right first, faulty", "share", "severity right of these", "healthy accused"),
        note="Captures of the same runs that were cut, begun in the middle, or hold one direction only.")
    kinds = sorted({r["tap"].split("-", 1)[1] for r in records})
    table.rows = [totals_row(kind, "", [r for r in records if r["tap"].endswith("-" + kind)]) for kind in kinds]
    return table


def tables(all_records, kept, discarded):
    """All tables, in the order in which they are printed. Views other than the taps have a table of their own."""
    records = [r for r in all_records if r["tap"] in runs.TAPS]
    others = [r for r in all_records if r["tap"] not in runs.TAPS]
    stacks = sorted({r["stack"] for r in records})
    return [*(stack_table(s, [r for r in records if r["stack"] == s]) for s in stacks), totals_table(records),
            *([views_table(others)] if others else []), accused_table(records), pdu_table(records), figures_table(records), discarded_table(kept, discarded)]
