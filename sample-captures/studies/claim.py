# SPDX-License-Identifier: GPL-2.0-or-later
"""A published claim, the bar it is judged by, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from . import chance

REPRODUCED = "reproduced"
SAME_DIRECTION = "same direction"
NOT_REPRODUCED = "not reproduced"
CANNOT_BE_TOLD = "cannot be told from the paper"
SIMULATED_TCP = "needs a simulated TCP"
ADDITION = "addition"  # in no paper: shown, without a verdict
NOT_JUDGED = "not judged"  # no verdict yet: left out by --quick, or no valid run; the reason says which
GRADES = (REPRODUCED, SAME_DIRECTION)  # best first; neither is given by chance
VERDICTS = (REPRODUCED, SAME_DIRECTION, NOT_REPRODUCED, CANNOT_BE_TOLD, SIMULATED_TCP, ADDITION)


class MissingPoint(Exception):
    """A judge asked for a point that was not run, or of which no run was valid."""


@dataclass
class Finding:
    """What a judge says of the points of a run set."""

    verdict: str
    measured: str  # figures with units
    why: str  # what the verdict rests on; for all but `reproduced` the experiment that shows the reason
    model: str = ""  # what the model gives for the same points

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.verdict!r} is no verdict")


@dataclass
class Claim:
    """One claim. `judge` is a function of the recorded points alone, so that a result file can be judged
    again without a run. `bar` says in words exactly what `judge` tests; both are committed before the run."""

    id: str  # a short name that stays
    sentence: str  # what the paper says
    published: str  # its figures
    bar: str  # in words; "none" for an addition
    judge: Callable[[dict], Finding]
    where: str = ""  # figure, table or section of the paper, where known


@dataclass
class Judged:
    """A claim with its finding, as pages and result files have it."""

    id: str
    sentence: str
    published: str
    bar: str
    where: str
    verdict: str
    measured: str
    model: str
    why: str
    other_seeds: dict[str, str] = field(default_factory=dict)  # seed -> verdict


def judge_all(claims: list[Claim], points: dict, drawn: bool = True) -> list[Judged]:
    """`drawn`: a grade has to hold on drawn runs too (chance)."""
    judged = []
    for claim in claims:
        try:
            found = claim.judge(points)
        except MissingPoint as missing:
            judged.append(
                Judged(
                    claim.id,
                    claim.sentence,
                    claim.published,
                    claim.bar,
                    claim.where,
                    NOT_JUDGED,
                    "",
                    "",
                    str(missing),
                )
            )
            continue
        if (found.verdict == ADDITION) != (claim.bar == "none"):
            raise ValueError(f"{claim.id}: an addition has no bar, and every other claim has one")
        if drawn and found.verdict in GRADES:
            found = _sure(claim, found, points)
        judged.append(
            Judged(
                claim.id,
                claim.sentence,
                claim.published,
                claim.bar,
                claim.where,
                found.verdict,
                found.measured,
                found.model,
                found.why,
            )
        )
    return judged


def _sure(claim: Claim, found: Finding, points: dict) -> Finding:
    """The finding with the verdict that is no matter of chance; `why` says where it is a lower one."""

    def again(drawn: dict) -> str:
        try:
            return claim.judge(drawn).verdict
        except MissingPoint:
            return NOT_REPRODUCED

    verdict, held = chance.sure_verdict(found.verdict, GRADES, again, points, claim.id)
    if verdict == found.verdict:
        return found
    lowered = (
        f'These runs gave "{found.verdict}", but only {held} of {chance.DRAWS} draws of as many of them did,'
        f" so that it may be chance (bar {100 * chance.SURE:.0f} %). "
    )
    return Finding(verdict, found.measured, lowered + found.why, found.model)


def graded(good: bool, direction: bool) -> str:
    """`good`: the bar holds. `direction`: the order or mechanism shows, the figures do not."""
    return REPRODUCED if good else SAME_DIRECTION if direction else NOT_REPRODUCED
