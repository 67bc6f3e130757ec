# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares PDU counts by opcode and the outcomes of logins with an independent walk of the same capture.

In: the evidence of one tap (JSON of tests/stacks/walker, key `ini` or `tgt`) and the report of that capture. Out:
differences as plain sentences; an empty list if both agree. There are no units.

- A PDU whose end is not in the capture is partial for the walk. The report may count it or not.
- The outcome of a login is the status class and detail of the last Login Response of its connection: accepted if both
  are zero and it goes over to the full feature phase (a walk of before does not tell that), refused with another
  status, not finished otherwise, without a response, or with more requests than responses. Connections are matched by
  addresses and ports; those without a login are left out.
"""

import collections

ACCEPTED, NOT_FINISHED = "0000", None


def comparable(tap_evidence):
    """Whether the walk covers every connection of the tap from its beginning to its end."""
    return all(c["walkable"] and c["reason"] is None for c in tap_evidence["connections"])


def reported_pdus(report):
    """Name → count, both directions summed."""
    found = collections.Counter()
    for counts in report["tasks"]["pdus"].values():
        found.update(counts)
    return found


def pdu_differences(tap, report):
    truth, found = collections.Counter(tap["pdus"]), reported_pdus(report)
    partial = sum(c.get("partial_pdus", 0) for c in tap["connections"])
    names = [name for name in sorted(set(truth) | set(found)) if truth[name] != found[name]]
    if all(found[name] > truth[name] for name in names) and sum(found[n] - truth[n] for n in names) <= partial:
        return []
    return [f"{name}: the report counts {found[name]}, the walk {truth[name]}." for name in names]


def evident_logins(tap):
    """Connection → outcomes in order, more than one if its ports were used again."""
    found = collections.defaultdict(list)
    for c in tap["connections"]:
        requests, answers = c["pdus"].get("Login Request", 0), c["login_statuses"]
        if answers and (answers[-1] != ACCEPTED or (requests <= len(answers) and c.get("login_over", True))):
            found[c["tuple"]].append(answers[-1].lower())
        elif requests or answers:
            found[c["tuple"]].append(NOT_FINISHED)
    return found


def end(address, port):
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def reported_logins(report):
    """Connection → outcomes in order. The report has status 0/0 for a login without a response as well."""
    found = collections.defaultdict(list)
    connections = [c for session in report["sessions"] for c in session["connections"] if c["login"] is not None]
    for c in sorted(connections, key=lambda c: c["stream"]):
        login = c["login"]
        status = f"{login['status_class']:02x}{login['status_detail']:02x}"
        name = (end(c["initiator_address"], c["initiator_port"]) + ">" + end(c["target_address"], c["target_port"]))
        found[name].append(NOT_FINISHED if status == ACCEPTED and not login["accepted"] else status)
    return found


def words(outcomes):
    named = {ACCEPTED: "accepted", NOT_FINISHED: "not finished"}
    return ", ".join(named.get(o) or f"refused with {o[:2]}/{o[2:]}" for o in outcomes) or "absent"


def login_differences(tap, report):
    if report["left_out"]["connections"]:
        return ["The report leaves out connections, so that logins cannot be compared."]
    truth, found = evident_logins(tap), reported_logins(report)
    alike = collections.Counter()  # many connections may differ in the same way
    for name in [*truth, *(n for n in found if n not in truth)]:
        if truth.get(name, []) != found.get(name, []):
            alike[words(found.get(name, [])), words(truth.get(name, []))] += 1
    return [f"{n} {'login' if n == 1 else 'logins'}: {one} in the report, {other} in the walk."
            for (one, other), n in alike.items()]


def compare_pdus(tap_evidence, report):
    """Returns the differences between the evidence of a tap and the report of its capture, one sentence each."""
    return pdu_differences(tap_evidence, report) + login_differences(tap_evidence, report)
