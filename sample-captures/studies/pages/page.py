# SPDX-License-Identifier: GPL-2.0-or-later
"""A study's page: self-contained HTML, figures inline, readable in light, in dark and on paper."""

from __future__ import annotations

import html
import re

from .. import claim
from ..result import Result

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--back:#fff;--soft:#57606a;--line:#d0d7de;--fill:#f3f5f8}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--back:#14171c;--soft:#9aa4b0;--line:#343b45;
--fill:#1d222a}}
@media print{:root{--ink:#000;--back:#fff;--soft:#444;--line:#bbb;--fill:#fff}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);margin:0 auto;max-width:70rem;
padding:1.5rem}
h1{font-size:1.7rem;margin:.2rem 0}h2{font-size:1.25rem;margin:2rem 0 .5rem}
p{max-width:48rem}.soft,figcaption,caption{color:var(--soft)}a{color:inherit}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;margin:.5rem 0 1rem}
th,td{border-bottom:1px solid var(--line);padding:.35rem .6rem;text-align:left;vertical-align:top}
th{background:var(--fill);font-weight:600}caption{text-align:left;padding:.3rem 0}
td.word{font-weight:600;white-space:nowrap}td.good{color:#2a8a5c}td.some{color:#b7791f}td.bad{color:#c8414f}
td.none{color:var(--soft);font-weight:400}
figure{margin:1rem 0 1.6rem}figure svg{max-width:100%;height:auto;color:var(--ink)}figcaption{max-width:48rem;
font-size:.88rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .9rem;max-width:48rem}
dt{font-weight:600}dd{margin:0}code{background:var(--fill);padding:0 .2rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:1rem}
.card{border:1px solid var(--line);border-radius:8px;padding:.8rem;text-decoration:none;display:block}
.card svg{width:100%;height:auto;color:var(--ink)}.card h3{margin:.2rem 0}
.card p{margin:.3rem 0;font-size:.88rem}
"""
KIND = {claim.REPRODUCED: "good", claim.SAME_DIRECTION: "some", claim.NOT_REPRODUCED: "bad"}


def text(value: str) -> str:
    """Escaped, with `code` marked."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(value, quote=False))


def document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{html.escape(title)}</title><style>{STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def table_of(head: list[str], rows: list[list[str]], caption: str = "") -> str:
    """Cells are HTML already; a cell that begins with "<td" brings its own element."""
    top = "".join(f"<th>{text(cell)}</th>" for cell in head)
    body = "\n".join(
        "<tr>" + "".join(cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    title = f"<caption>{text(caption)}</caption>" if caption else ""
    return (
        "<div"
        f' class="wide"><table>{title}<thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
    )


def verdict_cell(judged: claim.Judged, seed: int | None = None) -> str:
    words = judged.verdict
    if judged.other_seeds and judged.verdict not in (claim.ADDITION, claim.NOT_JUDGED):
        others = "; ".join(
            f"seed {other}: {'the same' if verdict == judged.verdict else verdict}"
            for other, verdict in judged.other_seeds.items()
        )
        words += f'<br><span class="soft">{others}</span>'
    return f'<td class="word {KIND.get(judged.verdict, "none")}">{words}</td>'


def with_other_seeds(results: list[Result]) -> Result:
    """The first result, its claims with the verdicts of the others."""
    first = results[0]
    for judged in first.claims:
        judged.other_seeds = {
            str(other.seed): found.verdict
            for other in results[1:]
            for found in other.claims
            if found.id == judged.id
        }
    return first


def study_page(study, results: list[Result], figures) -> str:
    result = with_other_seeds(results)
    parts = [
        f'<p class="soft"><a href="index.html">All studies</a></p><h1>{text(study.title)}</h1>',
        f'<p class="soft">{text(study.source)}</p>',
        _circumstances(results),
        "<h2>Claims</h2>",
        _claims(result),
    ]
    by_name = {figure.name: figure for figure in figures}
    parts.append("<h2>Method</h2>" + "".join(f"<p>{text(part)}</p>" for part in study.method.split("\n\n")))
    if "topology" in by_name:
        parts.append(_figure(by_name["topology"]))
    parts.append(
        "<h2>Symbols</h2><dl>"
        + "".join(f"<dt>{text(name)}</dt><dd>{text(meaning)}</dd>" for name, meaning in study.symbols.items())
        + "</dl>"
    )
    parts.append(
        "<h2>Figures</h2>" + "".join(_figure(figure) for figure in figures if figure.name != "topology")
    )
    tables = study.tables(result.points)
    if tables:
        parts.append(
            "<h2>Tables</h2>"
            + "".join(
                table_of(table.head, [[text(cell) for cell in row] for row in table.rows], table.title)
                for table in tables
            )
        )
    parts.append("<h2>Runs</h2>" + _runs(result))
    return document(study.title, "\n".join(parts))


def _circumstances(results: list[Result]) -> str:
    lines = []
    for result in results:
        invalid = result.invalid_runs
        validity = "all valid" if not invalid else f"{len(invalid)} not valid, which are left out"
        quick = " Quick: fewer points and shorter runs, so that no verdict counts." if result.quick else ""
        lines.append(
            f"<p>Seed {result.seed}: {text(result.date)}, commit <code>{text(result.commit)}</code>, "
            f"{text(result.kernel)}, {text(result.machine)}; {len(result.runs)} runs in "
            f"{result.seconds:.0f} s, {validity}.{quick}</p>"
        )
    return "\n".join(lines)


def _claims(result: Result) -> str:
    head = ["claim", "published", "bar, committed before the run", "model", "measured", "verdict", "why"]
    rows = [
        [
            f"{text(c.sentence)}<br><span class=soft>{text(c.where)}</span>" if c.where else text(c.sentence),
            text(c.published),
            text(c.bar),
            text(c.model),
            text(c.measured),
            verdict_cell(c),
            text(c.why),
        ]
        for c in result.claims
    ]
    return table_of(head, rows)


def _figure(figure) -> str:
    return f"<figure>{figure.inline}<figcaption>{text(figure.caption)}</figcaption></figure>"


def _runs(result: Result) -> str:
    rows = []
    for run in result.runs:
        settings = ", ".join(f"{name}={value}" for name, value in run["settings"].items())
        state = "valid" if run["valid"] else f"not valid: {'; '.join(run['reasons'])}"
        rows.append(
            [
                text(run["label"]),
                text(run["scenario"]),
                text(settings),
                str(run["seed"]),
                str(run["attempts"]),
                f"{run['lateness_p99_ns'] / 1e3:.0f}",
                text(state),
            ]
        )
    return (
        "<details><summary>Every run with its settings and its validity</summary>"
        + table_of(["run", "scenario", "settings", "seed", "attempts", "lateness p99, µs", "validity"], rows)
        + "</details>"
    )
