# SPDX-License-Identifier: GPL-2.0-or-later
"""The catalogue's entries. A fault is a function that lays out a plan, the kinds of findings (docs/findings.md) that are
right for it, and a check on the walker's evidence that the packets show it. In: the decorated functions of the other
files here. Out: FAULTS by name, and `cells`, every combination that a stack can be brought to."""

from dataclasses import dataclass, field
from typing import Callable

TARGETS = ("lio", "tgtd", "istgt", "jscsi")
KERNEL = tuple(("open-iscsi", target) for target in TARGETS)
QEMU = tuple(("qemu", target) for target in TARGETS)
LIBISCSI = tuple(("libiscsi", target) for target in TARGETS if target != "jscsi")    # jSCSI knows no READ(16)
STRENGTHS = ("clean", "mild", "strong")
FAULTS = {}


def of(stacks, *targets):
    return tuple(stack for stack in stacks if stack[1] in targets)


@dataclass
class Fault:
    name: str
    done: str                       # what is done, one sentence
    want: tuple                     # kinds that are right, best first; empty: a healthy thing that looks like a fault
    stacks: tuple
    allowed: tuple = ()
    allowed_when_clean: list = field(default_factory=lambda: ["queue_depth"])
    loops: tuple = ("closed",)
    strengths: tuple = STRENGTHS
    views: bool = True              # whether a cut capture, or one begun late, can show it
    severity: dict = field(default_factory=lambda: {"mild": "notice", "strong": "problem"})
    also: dict = field(default_factory=lambda: {"mild": ["problem"], "strong": []})
    build: Callable = None
    draws_alike: bool = False       # all strengths draw the same, so that their runs differ in what is done alone
    check: Callable = None          # (evidence as plain data, description) -> (shown, sentence)

    def shows(self, function):
        self.check = function
        return function


TRAIT = {"severity": {"mild": "notice", "strong": "notice"}, "also": {"mild": ["info"], "strong": ["problem"]}}
ALWAYS = {"severity": {"mild": "problem", "strong": "problem"}, "also": {"mild": [], "strong": []}}


def fault(name, done, want, stacks, **more):
    """Decorator of the function that lays out the plan; gives the Fault, whose `shows` decorates its check."""
    def enter(build):
        FAULTS[name] = Fault(name, done, tuple(want), tuple(stacks), build=build, **more)
        return FAULTS[name]
    return enter


def cells():
    """(fault, stack, strength, loop) of everything that can be run; paced work only where the initiator paces it."""
    for entry in FAULTS.values():
        for stack in entry.stacks:
            for loop in entry.loops:
                if loop == "paced" and (stack[0] != "open-iscsi" or stack[1] == "jscsi"):
                    continue    # only fio paces, and at jSCSI's window of 1 nothing comes at a time of its own
                for strength in entry.strengths:
                    yield entry, stack, strength, loop
