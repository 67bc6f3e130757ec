# SPDX-License-Identifier: GPL-2.0-or-later
"""The index: a card with a figure for each study, and the table of all claims."""

from __future__ import annotations

import pathlib
from collections import Counter

from .. import claim, result
from ..study import all_studies
from . import page


def write(folder: pathlib.Path, figures: dict[str, list]) -> None:
    """`figures`: of each study whose page is in the folder."""
    cards, rows, counted, lines, agreeing, held = [], [], Counter(), [], [0, 0], 0
    for study in all_studies():
        name = study.name
        if results := result.load_all(folder, name):
            one = page.with_other_seeds(results)
            picture = next((f for f in figures.get(name, []) if f.is_thumbnail), None)
            cards.append(_card(name, study.title, picture, one.claims, one))
            rows += [_row(name, c) for c in one.claims]
            counted.update(c.verdict for c in one.claims)
            lines += [_line(name, c) for c in one.claims]
            held += sum(
                c.verdict == claim.REPRODUCED and set(c.other_seeds.values()) == {c.verdict}
                for c in one.claims
            )
            again = [c for c in one.claims if c.other_seeds and c.verdict != claim.ADDITION]
            agreeing[0] += sum(set(c.other_seeds.values()) == {c.verdict} for c in again)
            agreeing[1] += len(again)
    totals = ", ".join(
        f"{counted[word]} {word}" for word in (*claim.VERDICTS, claim.NOT_JUDGED) if counted[word]
    )
    if agreeing[1]:
        totals += (
            f"; with another seed {held} of the {counted[claim.REPRODUCED]} are reproduced again, and"
            f" {agreeing[0]} of {agreeing[1]} verdicts are the same"
        )
    (folder / "claims").with_suffix(".md").write_text(
        MARKDOWN_HEAD + "".join(lines) + f"\n{totals}\n", encoding="utf-8"
    )
    body = [
        "<h1>Five studies, run again, and what their verdicts rest on</h1>",
        (
            "<p>Each study runs the paper's system as a scenario with real TCP, measures the captures with"
            " the analyzer, and judges each claim by a bar that was committed before the run. A verdict holds"
            " only if a second run set with another seed gives it too.</p>"
        ),
        f"<p><b>{totals or 'No study has been run.'}</b></p>",
        f'<div class="cards">{"".join(cards)}</div>',
        "<h2>All claims</h2>",
        page.table_of(["study", "claim", "published", "model", "measured", "verdict"], rows),
        _words(),
    ]
    (folder / "index.html").write_text(
        page.document("Five studies, run again", "\n".join(body)), encoding="utf-8"
    )


MARKDOWN_HEAD = """\
# All claims

Written by `iscsiscope-testbed papers` from the result files beside this one.

| study | claim | published | bar | model | measured | verdict |
| --- | --- | --- | --- | --- | --- | --- |
"""


def _line(name: str, c: claim.Judged) -> str:
    others = "".join(
        f", seed {seed}: {'the same' if verdict == c.verdict else verdict}"
        for seed, verdict in c.other_seeds.items()
    )
    cells = [name, c.sentence, c.published, c.bar, c.model, c.measured, f"**{c.verdict}**{others}"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _card(name: str, title: str, picture, claims: list[claim.Judged], one: result.Result) -> str:
    counted = Counter(c.verdict for c in claims)
    numbers = ", ".join(f"{count} {word}" for word, count in counted.items())
    quick = " (quick)" if one.quick else ""
    return (
        f'<a class="card" href="{name}.html">{picture.inline if picture else ""}<h3>{page.text(title)}</h3>'
        f'<p>{numbers}{quick}</p><p class="soft">{len(one.runs)} runs, {len(one.invalid_runs)} not valid; '
        f"{one.date}</p></a>"
    )


def _row(name: str, c: claim.Judged) -> list[str]:
    return [
        f'<a href="{name}.html">{name}</a>',
        page.text(c.sentence),
        page.text(c.published),
        page.text(c.model),
        page.text(c.measured),
        page.verdict_cell(c),
    ]


def _words() -> str:
    meaning = {
        claim.REPRODUCED: "the bar holds, in valid runs",
        claim.SAME_DIRECTION: "the order or the mechanism shows, the figures do not meet the bar",
        claim.NOT_REPRODUCED: "neither; the reason was found by an experiment",
        claim.CANNOT_BE_TOLD: "the paper leaves open what decides it",
        claim.SIMULATED_TCP: "rests on a TCP that the kernel no longer has; what today's does is shown",
        claim.ADDITION: "in no paper; shown without a verdict",
        claim.NOT_JUDGED: "left out by a quick run, or no run was valid",
    }
    entries = "".join(f"<dt>{word}</dt><dd>{meaning[word]}</dd>" for word in meaning)
    return f"<h2>Verdicts</h2><dl>{entries}</dl>"
