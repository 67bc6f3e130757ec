// SPDX-License-Identifier: GPL-2.0-or-later
// What a connection has to send, and what it does to the input: Data-In is produced as the link drains, and
// while too much waits nothing is read and the command window does not open.
#include "sample-captures/testbed/target/protocol/connection.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace iscsiscope::testbed {
namespace {

// Data-In that tasks have still to produce costs no memory, but above this more commands are of no use.
constexpr std::uint64_t max_promised = std::uint64_t{64} << 20;

// Other PDUs come on top of the Data-In that fills the link up to its bound.
std::size_t doubled(std::size_t bound) {
    return bound > std::numeric_limits<std::size_t>::max() / 2 ? bound : 2 * bound;
}

} // namespace

void Connection::send_data_of(std::shared_ptr<ScsiTask> task) {
    const std::uint32_t unsent = task->unsent();
    promised_ += unsent;
    senders_.push_back({std::move(task), unsent});
    send_waiting_data();
}

std::uint32_t Connection::largest_data_in() const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(link_->output_bound(), 0xffffff));
}

void Connection::send_waiting_data() {
    producing_ = true; // balance() comes once, at the end
    while (!senders_.empty() && link_->waiting() < link_->output_bound()) {
        const std::shared_ptr<ScsiTask> task = senders_.front().task;
        const bool more = task->send_data(link_->output_bound() - link_->waiting());
        Sender &front = senders_.front();
        const std::uint32_t unsent = more ? task->unsent() : 0;
        promised_ -= front.counted - unsent;
        front.counted = unsent;
        if (!more)
            senders_.pop_front();
    }
    producing_ = false;
    balance();
}

void Connection::on_room() {
    const auto self = shared_from_this();
    send_waiting_data();
}

void Connection::balance() {
    if (producing_)
        return;
    const std::size_t waiting = link_->waiting(), bound = link_->output_bound();
    if (!throttled_ && (waiting >= doubled(bound) || promised_ > max_promised)) {
        throttled_ = true;
        link_->hold_input(true);
    } else if (throttled_ && waiting < bound && promised_ <= max_promised / 2) {
        throttled_ = false;
        link_->hold_input(false);
        if (senders_.empty()) // else the next Data-In carries the window
            announce_window();
    }
    if (throttled_ || !senders_.empty())
        link_->ask_for_room();
}

// An initiator that has used up its window waits for a PDU that opens it (RFC 7143 section 11.19).
void Connection::announce_window() {
    if (!session_ || !session_->window_withheld() || session_->throttled())
        return;
    NopIn n;
    n.stat_sn = next_stat_sn(); // not used up
    n.exp_cmd_sn = session_->exp_cmd_sn();
    n.max_cmd_sn = session_->max_cmd_sn();
    transmit(n.encode(), {});
}

// The connection ends: what its tasks have not produced is not sent.
void Connection::end_sending() {
    senders_.clear();
    promised_ = 0;
    throttled_ = false;
}

} // namespace iscsiscope::testbed
