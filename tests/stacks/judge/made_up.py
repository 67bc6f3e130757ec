# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up findings, labels and reports for the unit checks of the judge.

In: what matters to a check. Out: dictionaries of the form that labels and `iscsiscope report --format json` have, with
no more in them than the judge reads. Times in nanoseconds.
"""


def finding(kind, severity):
    return {"kind": kind, "severity": severity}


def label(want, severity="problem", also=None, allowed=()):
    made = {"want": want, "want_severity": severity, "allowed": list(allowed)}
    return made if also is None else made | {"severity_also_ok": also}


def made_report(findings=(), reads=0, service=None, logins=(), counts=None):
    """A report with one connection for each login: (accepted, status class, status detail), or None without a login."""
    connections = [{"stream": i, "bytes_to_target": 10 * i, "bytes_to_initiator": 100, "rtt_to_initiator_ns": 1000 * i,
                    "rtt_to_target_ns": 2000000, "initiator_address": "10.0.0.1", "initiator_port": 50000 + i,
                    "target_address": "fe80::2", "target_port": 3260,
                    "login": x and {"accepted": x[0], "status_class": x[1], "status_detail": x[2]}}
                   for i, x in enumerate(logins)]
    empty = {"bytes": 0, "times": {"target_service": {"sum_ns": 0, "quantiles_ns": {"0.5": None}},
                                   "response_time": {"sum_ns": 0}}}
    read = {"bytes": reads, "times": {"target_service": {"sum_ns": service or 0, "quantiles_ns": {"0.5": service}},
                                      "response_time": {"sum_ns": 2 * (service or 0)}}}
    return {"findings": [finding(*f) for f in findings], "sessions": [{"connections": connections[::-1]}],
            "left_out": {"connections": 0}, "cycles": {"read": read, "write": empty},
            "rates": {"both": {"throughput": reads or None}},
            "tasks": {"first_start": 1000, "last_end": 1000001000,
                      "pdus": {"to_target": counts or {}, "to_initiator": {"SCSI Response": 2, "Data-In": 3}}}}
