// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/rules.h"

#include <array>

namespace iscsiscope {
namespace {

constexpr NamedRule table[] = {
    {FindingKind::delayed_ack, rules::delayed_ack},
    {FindingKind::nagle, rules::nagle},
    {FindingKind::no_window_scaling, rules::no_window_scaling},
    {FindingKind::small_receive_window, rules::small_receive_window},
    {FindingKind::small_send_buffer, rules::small_send_buffer},
    {FindingKind::small_data_segments, rules::small_data_segments},
    {FindingKind::r2t_ping_pong, rules::r2t_ping_pong},
    {FindingKind::no_unsolicited_data, rules::no_unsolicited_data},
    {FindingKind::slow_r2t_answer, rules::slow_r2t_answer},
    {FindingKind::queue_depth, rules::queue_depth},
    {FindingKind::command_window, rules::command_window},
    {FindingKind::slow_target, rules::slow_target},
    {FindingKind::blocking_command, rules::blocking_command},
    {FindingKind::head_of_line, rules::head_of_line},
    {FindingKind::nop_timeout, rules::nop_timeout},
    {FindingKind::abort_storm, rules::abort_storm},
    {FindingKind::connection_reset, rules::connection_reset},
    {FindingKind::incast, rules::incast},
    {FindingKind::packet_loss, rules::packet_loss},
    {FindingKind::retransmission_timeout, rules::retransmission_timeout},
    {FindingKind::bufferbloat, rules::bufferbloat},
    {FindingKind::mtu_black_hole, rules::mtu_black_hole},
    {FindingKind::zero_window, rules::zero_window},
    {FindingKind::reordering, rules::reordering},
    {FindingKind::duplication, rules::duplication},
    {FindingKind::path_imbalance, rules::path_imbalance},
    {FindingKind::connection_imbalance, rules::connection_imbalance},
    {FindingKind::mirror_laggard, rules::mirror_laggard},
    {FindingKind::digest_error, rules::digest_error},
    {FindingKind::digest_cost, rules::digest_cost},
    {FindingKind::login_trouble, rules::login_trouble},
    {FindingKind::access_trouble, rules::access_trouble},
    {FindingKind::command_errors, rules::command_errors},
    {FindingKind::io_split, rules::io_split},
    {FindingKind::misaligned_io, rules::misaligned_io},
    {FindingKind::one_direction_slow, rules::one_direction_slow},
    {FindingKind::application_idle, rules::application_idle},
    {FindingKind::capture_quality, rules::capture_quality},
};
static_assert(std::size(table) == finding_kind_count);

} // namespace

std::span<const NamedRule> finding_rules() {
    return table;
}

} // namespace iscsiscope
