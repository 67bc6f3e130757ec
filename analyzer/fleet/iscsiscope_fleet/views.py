# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers that are ready: views over the tables of all captures. docs/fleet.md lists them; so does `query OUT`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    name: str
    meaning: str  # a sentence
    sql: str


# Quantiles are by nearest rank, as everywhere in iscsiscope: the least time that so many tasks do not exceed.
# Lost times of one kind of finding may be added; those of different kinds overlap.
TIMES = """count(*) AS tasks, quantile_disc(response_time_ns, 0.5) AS p50_ns,
       quantile_disc(response_time_ns, 0.99) AS p99_ns, max(response_time_ns) AS max_ns"""

VIEWS = (
    View(
        "named_sessions",
        "One row a session of a capture: who spoke to whom, by iSCSI names, or by addresses where no login was seen.",
        """SELECT c.capture, c.session, coalesce(max(s.initiator_name), max(c.initiator_name), min(c.initiator_address))
           AS initiator, coalesce(max(s.target_name), max(c.target_name), min(c.target_address)) AS target,
       count(*) AS connections, min(c.start_ns) AS start_ns, max(c.end_ns) AS end_ns, sum(c.tasks)::BIGINT AS tasks,
       sum(c.busy_ns)::BIGINT AS busy_ns
FROM connections c LEFT JOIN sessions s ON s.capture = c.capture AND s.session = c.session
WHERE c.session IS NOT NULL GROUP BY c.capture, c.session""",
    ),
    View(
        "named_findings",
        "The findings with path, initiator and target; these are null where a finding is of several.",
        """SELECT f.*, p.path, p.first_time_ns, coalesce(n.initiator, one.initiator) AS initiator,
       coalesce(n.target, one.target) AS target
FROM findings f
JOIN captures p ON p.capture = f.capture AND p.duplicate_of IS NULL
LEFT JOIN connections c ON c.capture = f.capture AND c.stream = f.stream AND f.session IS NULL
LEFT JOIN named_sessions n ON n.capture = f.capture AND n.session = coalesce(f.session, c.session)
LEFT JOIN (SELECT capture, CASE WHEN count(DISTINCT initiator) = 1 THEN min(initiator) END AS initiator,
                  CASE WHEN count(DISTINCT target) = 1 THEN min(target) END AS target
           FROM named_sessions GROUP BY capture) one ON one.capture = f.capture""",
    ),
    View(
        "findings_by_initiator",
        "How often each initiator has each finding, and the time lost.",
        """SELECT initiator, kind, count(*) AS findings, count(DISTINCT capture) AS captures,
       sum(lost_time_ns)::BIGINT AS lost_time_ns, max(share) AS largest_share
FROM named_findings GROUP BY initiator, kind ORDER BY lost_time_ns DESC NULLS LAST, findings DESC, initiator, kind""",
    ),
    View(
        "findings_by_target",
        "How often each target has each finding, and the time lost.",
        """SELECT target, kind, count(*) AS findings, count(DISTINCT capture) AS captures,
       sum(lost_time_ns)::BIGINT AS lost_time_ns, max(share) AS largest_share
FROM named_findings GROUP BY target, kind ORDER BY lost_time_ns DESC NULLS LAST, findings DESC, target, kind""",
    ),
    View(
        "slowest_luns",
        "Response times by target, LUN and type of task over all captures, the slowest first.",
        f"""SELECT n.target, c.lun, c.type, {TIMES}
FROM cycles c JOIN named_sessions n ON n.capture = c.capture AND n.session = c.session
WHERE c.response_time_ns IS NOT NULL GROUP BY n.target, c.lun, c.type ORDER BY p99_ns DESC, n.target, c.lun, c.type""",
    ),
    View(
        "times_by_day",
        "Response times of Reads and of Writes by day (UTC) of the command.",
        f"""SELECT date_trunc('day', make_timestamp(start_ns // 1000)) AS day, type, {TIMES}
FROM cycles WHERE response_time_ns IS NOT NULL AND type <> 'control' GROUP BY day, type ORDER BY day, type""",
    ),
    View(
        "times_by_hour",
        "Response times of Reads and of Writes by hour (UTC) of the command.",
        f"""SELECT date_trunc('hour', make_timestamp(start_ns // 1000)) AS hour, type, {TIMES}
FROM cycles WHERE response_time_ns IS NOT NULL AND type <> 'control' GROUP BY hour, type ORDER BY hour, type""",
    ),
    View(
        "worst_hours",
        "Hours (UTC) by the 99 % quantile of Reads and Writes together, the worst first.",
        f"""SELECT date_trunc('hour', make_timestamp(start_ns // 1000)) AS hour, count(DISTINCT capture) AS captures,
       {TIMES}
FROM cycles WHERE response_time_ns IS NOT NULL AND type <> 'control' GROUP BY hour ORDER BY p99_ns DESC, hour""",
    ),
    View(
        "worst_sessions",
        "Sessions by the time that their costliest finding lost, the worst first.",
        f"""SELECT n.capture, n.session, p.path, n.initiator, n.target, n.start_ns, n.busy_ns, t.tasks, t.p50_ns,
       t.p99_ns, t.max_ns, coalesce(t.failed, 0) AS failed, w.kind AS worst_finding, w.lost_time_ns, w.share
FROM named_sessions n
JOIN captures p ON p.capture = n.capture AND p.duplicate_of IS NULL
LEFT JOIN (SELECT capture, session, {TIMES}, count(*) FILTER (outcome <> 'good') AS failed
           FROM cycles WHERE response_time_ns IS NOT NULL AND type <> 'control'
           GROUP BY capture, session) t ON t.capture = n.capture AND t.session = n.session
LEFT JOIN (SELECT f.capture, coalesce(f.session, c.session, one.session) AS session,
                  arg_max(f.kind, f.lost_time_ns) AS kind, max(f.lost_time_ns) AS lost_time_ns,
                  arg_max(f.share, f.lost_time_ns) AS share
           FROM findings f
           LEFT JOIN connections c ON c.capture = f.capture AND c.stream = f.stream AND f.session IS NULL
           LEFT JOIN (SELECT capture, min(session) AS session FROM named_sessions
                      GROUP BY capture HAVING count(*) = 1) one ON one.capture = f.capture
           WHERE f.lost_time_ns > 0 GROUP BY ALL) w ON w.capture = n.capture AND w.session = n.session
ORDER BY w.lost_time_ns DESC NULLS LAST, t.p99_ns DESC NULLS LAST, p.path, n.session""",
    ),
    View(
        "busy_by_target",
        "Busy time by owner, by target.",
        """SELECT n.target, sum(o.busy_ns)::BIGINT AS busy_ns, sum(o.transfer_ns)::BIGINT AS transfer_ns,
       sum(o.network_ns)::BIGINT AS network_ns, sum(o.target_ns)::BIGINT AS target_ns,
       sum(o.host_ns)::BIGINT AS host_ns, sum(o.unknown_ns)::BIGINT AS unknown_ns
FROM owners o JOIN named_sessions n ON n.capture = o.capture AND n.session = o.session
WHERE o.lun IS NULL AND o.type IS NULL GROUP BY n.target ORDER BY busy_ns DESC, n.target""",
    ),
    View(
        "failures",
        "Captures that could not be read, with what was said.",
        "SELECT path, outcome, exit_code, messages, file_bytes FROM captures WHERE outcome <> 'read' ORDER BY path",
    ),
)
