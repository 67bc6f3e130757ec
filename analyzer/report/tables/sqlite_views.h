// SPDX-License-Identifier: GPL-2.0-or-later
// The views and indices of the SQLite report.
#pragma once

namespace iscsiscope {

// Views for common questions, and the indices that make them fast.
inline constexpr const char *sqlite_views = R"sql(
CREATE INDEX cycles_cycle ON cycles(cycle);
CREATE INDEX cycles_start ON cycles(start_ns);
CREATE INDEX cycles_response ON cycles(response_time_ns);
CREATE INDEX cycles_lun ON cycles(session, lun);
CREATE INDEX bursts_cycle ON bursts(cycle);
CREATE INDEX gaps_kind ON gaps(kind);
CREATE INDEX gaps_cycle ON gaps(cycle);
CREATE INDEX gaps_start ON gaps(start_ns);
CREATE INDEX tcp_samples_time ON tcp_samples(stream, direction, time_ns);

CREATE VIEW slowest_cycles AS
  SELECT cycle, type, lun, lba, bytes_expected, response_time_ns / 1e6 AS response_ms, first_data_wait_ns, data_ns,
         r2t_wait_ns, status_wait_ns, command_frame, end_frame, outcome
  FROM cycles WHERE response_time_ns IS NOT NULL ORDER BY response_time_ns DESC LIMIT 100;
CREATE VIEW latency_by_lun AS
  SELECT session, lun, type, count(*) AS tasks, sum(bytes_moved) AS bytes, min(response_time_ns) / 1e6 AS min_ms,
         avg(response_time_ns) / 1e6 AS mean_ms, max(response_time_ns) / 1e6 AS max_ms,
         avg(target_service_ns) / 1e6 AS mean_service_ms
  FROM cycles GROUP BY session, lun, type;
CREATE VIEW latency_by_size AS
  SELECT type, bytes_expected, count(*) AS tasks, min(response_time_ns) / 1e6 AS min_ms,
         avg(response_time_ns) / 1e6 AS mean_ms, max(response_time_ns) / 1e6 AS max_ms
  FROM cycles GROUP BY type, bytes_expected;
CREATE VIEW latency_by_second AS
  SELECT start_ns / 1000000000 AS second, type, count(*) AS tasks, sum(bytes_moved) / 1e6 AS megabytes,
         avg(response_time_ns) / 1e6 AS mean_ms, max(response_time_ns) / 1e6 AS max_ms
  FROM cycles GROUP BY second, type;
CREATE VIEW phase_times AS
  SELECT type, sum(command_ns) AS command_ns, sum(first_data_wait_ns) AS first_data_wait_ns, sum(data_ns) AS data_ns,
         sum(unsolicited_ns) AS unsolicited_ns, sum(r2t_wait_ns) AS r2t_wait_ns,
         sum(burst_response_ns) AS burst_response_ns, sum(burst_data_ns) AS burst_data_ns,
         sum(status_wait_ns) AS status_wait_ns, sum(next_command_wait_ns) AS next_command_wait_ns
  FROM cycles GROUP BY type;
CREATE VIEW gap_time_by_kind AS
  SELECT kind, count(*) AS gaps, sum(length_ns) / 1e6 AS total_ms, max(length_ns) / 1e6 AS longest_ms
  FROM gaps GROUP BY kind ORDER BY total_ms DESC;
CREATE VIEW longest_gaps AS
  SELECT kind, stream, cycle, length_ns / 1e6 AS length_ms, before_frame, after_frame
  FROM gaps ORDER BY length_ns DESC LIMIT 100;
CREATE VIEW failed_tasks AS
  SELECT cycle, stream, type, opcode, lun, outcome, status, sense, command_frame, end_frame
  FROM cycles WHERE outcome <> 'good';
CREATE VIEW throughput_by_connection AS
  SELECT stream, initiator_address, target_address, target_port, tasks, bytes_to_target, bytes_to_initiator,
         (bytes_to_target + bytes_to_initiator) * 1e3 / nullif(end_ns - start_ns, 0) AS megabytes_per_second
  FROM connections;
CREATE VIEW retransmissions_by_connection AS
  SELECT stream, direction, segments, retransmitted_segments, retransmissions_fast, retransmissions_timeout,
         100.0 * retransmitted_segments / nullif(segments, 0) AS percent
  FROM tcp_directions;
CREATE VIEW causes AS
  SELECT f.finding, f.kind, f.severity, f.lost_time_ns / 1e6 AS lost_ms, f.share, f.sentence, f.remedy,
         (SELECT group_concat(frame) FROM evidence e WHERE e.finding = f.finding) AS frames
  FROM findings f ORDER BY f.finding;
)sql";

} // namespace iscsiscope
