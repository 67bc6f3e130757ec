# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario file as a picture: hosts with their programs, the links between them, where captures are
taken."""

from __future__ import annotations

import tomllib

from matplotlib.patches import FancyBboxPatch

from .. import programs
from . import figures

WIDTH, HEIGHT = 0.8, 0.72  # of a box; places are 1 apart


def picture(
    study: str,
    scenario: str,
    labels: dict[str, str] | None = None,
    caption: str = "",
    captured: tuple[str, ...] = (),
) -> figures.Figure:
    """`labels`: what a study varies at a link ("path": "d = 1 … 16 ms"), in place of the file's values.
    `captured`: hosts that the study has captured although the file does not."""
    given = tomllib.loads((programs.SCENARIOS / f"{scenario}.toml").read_text(encoding="utf-8"))
    labels = labels or {}
    paths = given["path"]
    left = _unique(path["between"][0] for path in paths)
    right = _unique(path["between"][1] for path in paths)
    links = {link["name"]: link for link in given["link"]}
    steps = max(len(path["links"]) for path in paths)
    rows = max(len(left), len(right))
    places = {name: (0.0, _height(i, len(left), rows)) for i, name in enumerate(left)}
    places |= {name: (steps + 1.0, _height(i, len(right), rows)) for i, name in enumerate(right)}
    for step in range(steps):
        names = _unique(path["links"][step] for path in paths if step < len(path["links"]))
        for i, name in enumerate(names):
            places.setdefault(name, (step + 1.0, _height(i, len(names), rows)))

    def paint(axes):
        axes.axis("off")
        axes.set_xlim(-0.55, steps + 1.55)
        axes.set_ylim(-0.55, rows - 0.45)
        for path in paths:
            chain = [path["between"][0], *path["links"], path["between"][1]]
            for a, b in zip(chain, chain[1:]):
                (x, y), (to_x, to_y) = places[a], places[b]
                axes.plot([x + WIDTH / 2, to_x - WIDTH / 2], [y, to_y], color=figures.INK, linewidth=1)
        seen = {host["name"]: host.get("capture", True) or host["name"] in captured for host in given["host"]}
        for name in left + right:
            runs = [
                program["run"] + (f" {program['arguments'][0]}" if program["run"] == "stream" else "")
                for program in given["program"]
                if program["host"] == name
            ]
            note = "\ncaptured here" if seen[name] else ""
            _box(
                axes, places[name], f"host {name}\nruns: {', '.join(_unique(runs))}{note}", figures.colour(0)
            )
        for name, link in links.items():
            if name in places:
                _box(
                    axes, places[name], f"link {name}\n{labels.get(name, _describe(link))}", figures.colour(1)
                )

    return figures.draw(
        study,
        "topology",
        caption
        or f"The set-up of scenario `{scenario}`: hosts with their programs, and the links of the shim.",
        paint,
        size=(1.9 * (steps + 2), 1.15 * rows),
    )


def _unique(names) -> list[str]:
    return list(dict.fromkeys(names))


def _height(index: int, count: int, rows: int) -> float:
    return rows - 1 - (index + 0.5) * rows / count + 0.5


def _describe(link: dict) -> str:
    parts = [
        link[key] if key != "queue_packets" else f"queue of {link[key]} packets"
        for key in ("delay", "rate", "queue_packets", "loss")
        if key in link
    ]
    return "\n".join(str(part) for part in parts) or "no limit"


def _box(axes, place, text: str, colour: str) -> None:
    corner = (place[0] - WIDTH / 2, place[1] - HEIGHT / 2)
    for face, alpha in ((colour, 0.18), ("none", 1.0)):
        axes.add_patch(
            FancyBboxPatch(
                corner,
                WIDTH,
                HEIGHT,
                boxstyle="round,pad=0,rounding_size=0.06",
                linewidth=1.2,
                edgecolor=colour,
                facecolor=face,
                alpha=alpha,
            )
        )
    axes.text(*place, text, ha="center", va="center", fontsize=9)
