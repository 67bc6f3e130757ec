# SPDX-License-Identifier: GPL-2.0-or-later
"""What a scripted capture is about: the decorator of the functions in cases/.

    @case(first="lun_missing", say=["LUN 3", "not mapped"])
    def reads_of_a_lun_that_is_not_mapped(c):
        \"\"\"Reads of LUN 3 end with 05/25/00.\"\"\"
        ...
        c is a script.Capture; the function fills it.

first:      the kind of the first finding that is a problem or a notice; None: no finding is a problem
severity:   of that first finding, where it matters
say:        regular expressions (any case), each in the first finding's words or the verdict
not_say:    in no sentence of the findings
ruled_out:  {kind: regular expression of why it is absent}
absent:     kinds that are no finding at all
broken:     the rules of RFC 7143 that are broken, all of them; kept: rules that were tested and held
"""
import dataclasses

ALL = []


@dataclasses.dataclass
class Case:
    name: str
    make: object
    first: str = None
    severity: str = None
    say: tuple = ()
    not_say: tuple = ()
    ruled_out: dict = dataclasses.field(default_factory=dict)
    absent: tuple = ()
    broken: tuple = None
    kept: tuple = ()
    any_first: bool = False


def case(first=None, **wanted):
    def add(make):
        ALL.append(Case("%s.%s" % (make.__module__, make.__name__), make, first, **wanted))
        return make
    return add


def rules_case(**wanted):
    """A case of rules alone: what is found first does not matter."""
    return case(any_first=True, **wanted)
