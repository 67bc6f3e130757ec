# SPDX-License-Identifier: GPL-2.0-or-later
"""Divides the scenarios into a half for tuning the rules and a half for judging them.

In: what names a scenario: stack and fault of a run of the laboratory, the name of a given capture. Its taps, views,
strengths, loops and draws are no part of that, so all captures of a scenario, healthy ones included, lie in one half.
Out: `tuning` or `judging`. Who changes a rule looks at the tuning half alone; the judging half then shows what the rule
does with scenarios that it was not made for.
"""

import hashlib

HALVES = ("tuning", "judging")
SEED = "halves"  # fixed: with another one, scenarios that rules were tuned on would become those they are judged on


def half_of(*scenario):
    """The half of a scenario, by the lowest bit of the SHA-256 of the seed and its words."""
    digest = hashlib.sha256(" ".join((SEED, *scenario)).encode()).digest()
    return HALVES[digest[-1] & 1]


def add_option(parser):
    parser.add_argument("--half", choices=HALVES, help="judge this half of the scenarios only (halves.py)")
