// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/claims.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using Kind = FindingKind;
using enum Cause;

using Causes = std::initializer_list<Cause>;
using Owners = std::initializer_list<Owner>;

constexpr auto network = Owner::network, target = Owner::target, host = Owner::host;
const Owners way_and_ends = {network, target, host}, the_way = {network}, bytes = {Owner::transfer};
// A sender that a window, a buffer or a loss holds back may send slowly, without idle gaps.
const Causes slow = {spacing}, of_window = {fast_retransmit, queueing, spacing};

const Claim all[] = {
    {Kind::delayed_ack, {Cause::delayed_ack}, way_and_ends},
    {Kind::delayed_ack, {queueing}, the_way},
    {Kind::nagle, {ack_held_status, ack_held_data, Cause::delayed_ack}, way_and_ends},
    {Kind::no_window_scaling, {window_closed}, way_and_ends},
    {Kind::no_window_scaling, of_window, the_way},
    {Kind::no_window_scaling, {transfer}, bytes},
    {Kind::small_receive_window, {window_closed}, way_and_ends},
    {Kind::small_receive_window, of_window, the_way},
    {Kind::small_receive_window, {transfer}, bytes},
    {Kind::small_send_buffer, {send_buffer}, way_and_ends},
    {Kind::small_send_buffer, slow, the_way},
    {Kind::small_send_buffer, {transfer}, bytes},
    {Kind::small_data_segments, {send_buffer}, way_and_ends},
    {Kind::small_data_segments, {target_data}, {target}},
    {Kind::small_data_segments, {initiator_data}, {host}},
    {Kind::small_data_segments, {transfer}, bytes},
    {Kind::r2t_ping_pong, {r2t_chain}, the_way},
    {Kind::no_unsolicited_data, {r2t_single}, the_way},
    {Kind::slow_r2t_answer, {initiator_burst, initiator_data, initiator_pause, control}, {host}},
    {Kind::queue_depth, {round_trip}, the_way},
    {Kind::command_window, {Cause::command_window}, {network, target}},
    {Kind::command_window, {round_trip}, the_way},
    {Kind::slow_target,
     {target_first_data, target_r2t, target_status, target_data, initiator_pause, control},
     {target}},
    {Kind::blocking_command, {blocked}, {target}},
    {Kind::nop_timeout, {Cause::outage, path_down}, the_way},
    {Kind::abort_storm, {task_ended}, {target, Owner::unknown}},
    {Kind::duplicate_initiator, {Cause::outage, path_down}, the_way},
    {Kind::address_conflict, {Cause::outage, path_down}, the_way},
    {Kind::target_restart, {Cause::outage, path_down}, the_way},
    {Kind::failover, {Cause::outage, path_down}, the_way},
    {Kind::target_closed, {path_down}, the_way},
    {Kind::connection_reset, {path_down}, the_way},
    {Kind::incast,
     {path_down, Cause::retransmission_timeout, fast_retransmit, cwnd_limited, send_buffer, queueing,
      spacing},
     the_way},
    {Kind::incast, {transfer}, bytes},
    {Kind::packet_loss, {fast_retransmit, cwnd_limited, send_buffer, queueing, spacing}, the_way},
    {Kind::packet_loss, {transfer}, bytes},
    {Kind::retransmission_timeout, {Cause::retransmission_timeout, path_down}, the_way},
    {Kind::outage, {Cause::outage}, the_way},
    {Kind::mtu_black_hole, {Cause::outage, path_down, Cause::retransmission_timeout}, the_way},
    {Kind::zero_window, {window_closed}, way_and_ends},
    {Kind::zero_window, of_window, the_way},
    {Kind::zero_window, {transfer}, bytes},
    {Kind::slow_start, {Cause::slow_start}, the_way},
    {Kind::reordering, {fast_retransmit, send_buffer}, the_way},
    {Kind::digest_error, {path_down}, the_way},
    {Kind::protocol_violation, {path_down}, the_way},
    {Kind::protocol_violation, {task_ended}, {target, Owner::unknown}},
    {Kind::capture_quality, {capture_loss}, {network, Owner::unknown}},
};

template <class T>
bool holds(std::initializer_list<T> list, T value) {
    return std::ranges::find(list, value) != list.end();
}

} // namespace

std::span<const Claim> claims() {
    return all;
}

bool may_claim(FindingKind kind, Cause cause, Owner owner) {
    return std::ranges::any_of(
        all,
        [&](const Claim &c) { return c.kind == kind && holds(c.causes, cause) && holds(c.owners, owner); });
}

} // namespace iscsiscope
