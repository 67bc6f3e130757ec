// SPDX-License-Identifier: GPL-2.0-or-later
// Every rule, each in its own rule_<kind>.cpp.
#pragma once

#include "analyzer/findings/rules/rule.h"

namespace iscsiscope::rules {

Verdict delayed_ack(const RuleContext &);
Verdict nagle(const RuleContext &);
Verdict no_window_scaling(const RuleContext &);
Verdict small_receive_window(const RuleContext &);
Verdict small_send_buffer(const RuleContext &);
Verdict small_data_segments(const RuleContext &);
Verdict r2t_ping_pong(const RuleContext &);
Verdict no_unsolicited_data(const RuleContext &);
Verdict slow_r2t_answer(const RuleContext &);
Verdict queue_depth(const RuleContext &);
Verdict command_window(const RuleContext &);
Verdict slow_target(const RuleContext &);
Verdict blocking_command(const RuleContext &);
Verdict head_of_line(const RuleContext &);
Verdict nop_timeout(const RuleContext &);
Verdict abort_storm(const RuleContext &);
Verdict connection_reset(const RuleContext &);
Verdict incast(const RuleContext &);
Verdict packet_loss(const RuleContext &);
Verdict retransmission_timeout(const RuleContext &);
Verdict bufferbloat(const RuleContext &);
Verdict mtu_black_hole(const RuleContext &);
Verdict zero_window(const RuleContext &);
Verdict reordering(const RuleContext &);
Verdict duplication(const RuleContext &);
Verdict path_imbalance(const RuleContext &);
Verdict connection_imbalance(const RuleContext &);
Verdict mirror_laggard(const RuleContext &);
Verdict digest_error(const RuleContext &);
Verdict digest_cost(const RuleContext &);
Verdict login_trouble(const RuleContext &);
Verdict access_trouble(const RuleContext &);
Verdict command_errors(const RuleContext &);
Verdict io_split(const RuleContext &);
Verdict misaligned_io(const RuleContext &);
Verdict one_direction_slow(const RuleContext &);
Verdict application_idle(const RuleContext &);
Verdict capture_quality(const RuleContext &);

} // namespace iscsiscope::rules
