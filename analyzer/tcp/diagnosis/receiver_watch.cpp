// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/receiver_watch.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Bounds of a delayed ACK (docs/figures.md, "Idle gap": delayed_ack).
constexpr Duration min_hold = 20ms, longest_hold = 500ms;

} // namespace

void ReceiverWatch::window(const Segment &s, const ConnectionEnd &receiver, const Offer &offer, bool any_sent,
                           AckSeen &a, DirectionTally &tally) {
    TcpDirectionCounts &figures = tally.counts;
    const std::uint64_t window = receiver.receive_window;
    if (s.window == 0) {
        if (!zero_since_)
            zero_since_ = s.time;
    } else if (zero_since_) {
        tally.troubles().zero_window.add(std::max(Duration{}, s.time - *zero_since_), s.frame);
        zero_since_.reset();
    }
    figures.largest_window = std::max(figures.largest_window.value_or(0), window);
    if (window > 0)
        figures.smallest_window = std::min(figures.smallest_window.value_or(window), window);
    // An inferred scale is a lower bound: no window counts as full by it. Zero does not depend on the scale.
    if (!receiver.window_scale_known && s.window != 0) {
        a.set_edge(0);
        return;
    }
    // Senders ignore a right edge that moves back (RFC 9293 section 3.8.6).
    a.set_edge(std::max(a.edge(), a.acked + window));
    const bool room = a.edge() >= offer.sent_to + std::max(offer.full_segment.value_or(1), 1U);
    if (room && full_since_) {
        tally.troubles().window_full.add(std::max(Duration{}, s.time - *full_since_), s.frame);
        full_since_.reset();
    } else if (!room && !full_since_ && any_sent && offer.full_segment) {
        full_since_ = s.time;
        if (window > 0) {
            if (tally.troubles().full_windows.count == 0)
                tally.troubles().first_full_window = window;
            tally.troubles().full_windows.add(static_cast<double>(window));
        }
    }
    last_offer_ = offer;
}

void ReceiverWatch::held(AckSeen &a, const SentLog::Sent &last, Duration tap_rtt, DirectionTally &tally) {
    const Duration reaction = std::max(Duration{}, a.time - last.first - tap_rtt);
    std::size_t bin = 0;
    while (bin < ack_delay_edges_ms.size() && reaction >= std::chrono::milliseconds{ack_delay_edges_ms[bin]})
        ++bin;
    ++tally.counts.ack_delays[bin];
    const Duration usual = usual_reaction_.value_or(Duration{});
    if (reaction > std::max<Duration>(min_hold, 2 * usual) && reaction <= longest_hold) {
        a.held_data = last.frame;
        tally.troubles().delayed_acks.add(reaction, a.frame);
    } else {
        usual_reaction_ = usual + (reaction - usual) / 8;
    }
}

void ReceiverWatch::finish(Time at, DirectionTally &tally) {
    if (zero_since_)
        tally.troubles().zero_window.add(std::max(Duration{}, at - *zero_since_), 0);
    if (full_since_)
        tally.troubles().window_full.add(std::max(Duration{}, at - *full_since_), 0);
}

} // namespace iscsiscope
