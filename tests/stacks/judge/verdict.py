# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges one report of a labelled capture.

In: a label (`want`, `want_severity`, `severity_also_ok`, `allowed`; the last two may be absent) and the report of
`iscsiscope report --format json` as a dictionary. Out: a Verdict. There are no units.

The rules:
- Findings of a kind in `allowed` that is not in `want` are not counted, nor are findings of severity `info`, unless
  `want_severity` is `info`. `found` is the first finding that counts.
- A faulty capture (`want` is not empty) is right if the kind of `found` is in `want`, or says what one of those leaves
  open (`NEWER`: kinds that came after the labels). Its severity is right if the kind is right and the severity equals
  `want_severity` or is in `severity_also_ok`.
- A healthy capture (`want` is empty) is right if no finding that counts is a problem; `accused` has the kinds of those
  that are. A healthy capture may show notices, and its severity is right if it is right.
`right` speaks of the kind alone; the severity is reported separately in `severity_right`.
"""

import dataclasses


# A wanted kind → kinds that came later and name the cause of the same event (docs/findings.md, the sections of the
# kinds).
NEWER = {
    "connection_reset": {"target_closed", "target_restart", "address_conflict", "duplicate_initiator"},
    "nop_timeout": {"failover"},
    "login_trouble": {"portal_unreachable", "discovery_trouble", "target_moved"},
    "command_errors": {"lun_missing", "space_exhausted", "config_changes"},
    "digest_error": {"data_corruption"},
    "retransmission_timeout": {"outage"},
}


def as_wanted(label, kind):
    """The kind of `want` that this kind stands for: itself, or the first one that it names the cause of."""
    elders = [wanted for wanted in label["want"] if kind in NEWER.get(wanted, ())]
    return kind if kind in label["want"] or not elders else elders[0]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What was found and whether it is right."""

    faulty: bool  # the label wants a finding
    found: str | None  # kind of the first finding that counts
    found_severity: str | None
    right: bool  # the kind alone
    severity_right: bool
    accused: tuple  # of a healthy capture: kinds that are problems and not allowed, in the report's order
    sentence: str

    @property
    def word(self):
        """What stands in a table: the kind that decided, or `none`."""
        if not self.faulty:
            return self.accused[0] if self.accused else "none"
        return self.found or "none"


def wanted(label):
    """Words for what the label wants."""
    if not label["want"]:
        return "no problem"
    return " or ".join(label["want"])


def counted(label, findings):
    """The findings that count, in the report's order."""
    infos = label.get("want_severity") == "info"
    allowed = set(label.get("allowed") or []) - set(label["want"])
    return [f for f in findings if f["kind"] not in allowed and (infos or f["severity"] != "info")]


def judge(label, report):
    """Returns the Verdict on a report; KeyError if the label or the report lacks what every one of them has."""
    findings = counted(label, report["findings"])
    found = findings[0]["kind"] if findings else None
    severity = findings[0]["severity"] if findings else None
    if not label["want"]:
        accused = tuple(f["kind"] for f in findings if f["severity"] == "problem")
        sentence = (f"A healthy capture shows a problem: {', '.join(accused)}." if accused
                    else "A healthy capture shows no problem.")
        return Verdict(False, found, severity, not accused, not accused, accused, sentence)
    right = as_wanted(label, found) in label["want"]
    accepted = [label["want_severity"], *(label.get("severity_also_ok") or [])]
    severity_right = right and severity in accepted
    return Verdict(True, found, severity, right, severity_right, (),
                   _sentence(label, found, severity, right, severity_right, accepted))


def _sentence(label, found, severity, right, severity_right, accepted):
    if found is None:
        return f"The report shows nothing; {wanted(label)} is wanted."
    if not right:
        return f"The first finding is {found} ({severity}); {wanted(label)} is wanted."
    if not severity_right:
        return f"The first finding is {found} as wanted, but {severity} instead of {' or '.join(accepted)}."
    return f"The first finding is {found} ({severity}) as wanted."


def no_report(label, why):
    """Returns the Verdict on a capture of which the program made no report: it is wrong for every label."""
    return Verdict(bool(label["want"]), "no_report", None, False, False, () if label["want"] else ("no_report",),
                   f"The program made no report: {why}.")
