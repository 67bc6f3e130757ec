// SPDX-License-Identifier: GPL-2.0-or-later
// The fields, subtrees and expert infos that Wireshark knows of us.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/findings/finding.h"
#include "plugin/compat/wireshark_versions.h"

namespace iscsiscope::plugin {

enum class Field : std::uint8_t {
    cycle,
    cycle_id,
    cycle_type,
    cycle_role,
    cycle_itt,
    cycle_opcode,
    cycle_lun,
    cycle_lba,
    cycle_blocks,
    cycle_bytes,
    cycle_outstanding,
    cycle_command_frame,
    cycle_first_data_frame,
    cycle_last_data_frame,
    cycle_status_frame,
    cycle_end_frame,
    cycle_outcome,
    cycle_bytes_moved,
    cycle_response_time,
    cycle_command,
    cycle_first_data_wait,
    cycle_data,
    cycle_unsolicited,
    cycle_r2t_wait,
    cycle_burst_response,
    cycle_burst_data,
    cycle_status_wait,
    cycle_r2t_count,
    cycle_clip_filter,
    cycle_time,
    cycle_next_command_wait,
    cycle_target_service,
    cycle_idle,
    cycle_idle_ratio,
    cycle_retransmitted_segments,
    burst,
    burst_number,
    burst_r2tsn,
    burst_ttt,
    burst_offset,
    burst_length,
    burst_sent,
    burst_r2t_frame,
    burst_first_frame,
    burst_last_frame,
    burst_wait,
    burst_response,
    burst_time,
    gap,
    gap_time,
    gap_kind,
    gap_cycle,
    gap_stream,
    gap_before_frame,
    gap_after_frame,
    gap_proof,
    gap_proof_frame,
    tcp,
    tcp_direction,
    tcp_flight,
    tcp_flight_low,
    tcp_flight_high,
    tcp_cwnd_estimate,
    tcp_cwnd_low,
    tcp_cwnd_high,
    tcp_receive_window,
    tcp_rtt,
    tcp_state,
    tcp_limit,
    session_id,
    session_cid,
    stream,
    event,
    anomaly,
    finding,
    finding_kind,
    finding_evidence,
    finding_lost_time,
    finding_share,
    finding_sentence,
    finding_remedy,
    count,
};

// Field id as Wireshark gave it.
int hf(Field);

enum class Subtree : std::uint8_t { protocol, cycle, burst, gap, tcp, finding, count };
gint ett(Subtree);

// Registers all of the above and the expert infos.
void register_fields(int protocol);

// How much of a warning a lost time is. Null: too short for one.
expert_field *expert_of_gap(GapKind, Duration);
expert_field *expert_of_outcome();
expert_field *expert_of_event();
expert_field *expert_of_digest();
// By lost time; what is no problem is a note at most.
expert_field *expert_of_finding(const Finding &);

} // namespace iscsiscope::plugin
