// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of TCP figures by direction (`tcp` in the JSON report, tcp_directions elsewhere).
#include "analyzer/query/cell.h"
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

std::uint64_t repeats(const TcpDirectionRow &r, RetransmissionClass c) {
    return r.figures->retransmissions[static_cast<std::size_t>(c)];
}

std::span<const Column> direction_columns() {
    static const Column columns[] = {
        make_column<TcpDirectionRow>("stream", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->stream; }),
        make_column<TcpDirectionRow>(
            "direction", Unit::none,
            [](const TcpDirectionRow &r) { return direction_names[static_cast<std::size_t>(r.direction)]; },
            direction_names),
        make_column<TcpDirectionRow>("bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->bytes; }),
        make_column<TcpDirectionRow>("segments", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->segments; }),
        make_column<TcpDirectionRow>("retransmitted_segments", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->retransmitted(); }),
        make_column<TcpDirectionRow>("unseen_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->unseen_bytes; }),
        // The round trip from the tap to the receiver; the sender's whole round trip is round_trip.
        make_column<TcpDirectionRow>(
            "rtt_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->rtt_to_receiver.minimum; }),
        make_column<TcpDirectionRow>(
            "rtt_samples", Unit::none,
            [](const TcpDirectionRow &r) { return r.figures->rtt_to_receiver.samples; }),
        make_column<TcpDirectionRow>(
            "rtt_median_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->rtt_to_receiver.median; }),
        make_column<TcpDirectionRow>("rtt_p95_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->rtt_to_receiver.p95; }),
        make_column<TcpDirectionRow>(
            "rtt_to_sender_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->rtt_to_sender.minimum; }),
        make_column<TcpDirectionRow>("round_trip_samples", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->rtt.samples; }),
        make_column<TcpDirectionRow>("round_trip_min_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->rtt.minimum; }),
        make_column<TcpDirectionRow>("round_trip_median_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->rtt.median; }),
        make_column<TcpDirectionRow>("round_trip_p95_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->rtt.p95; }),
        make_column<TcpDirectionRow>("round_trip_p99_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->rtt.p99; }),
        make_column<TcpDirectionRow>("queue_delay_median_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->queue_delay.median; }),
        make_column<TcpDirectionRow>("queue_delay_p95_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->queue_delay.p95; }),
        make_column<TcpDirectionRow>("retransmitted_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->retransmitted_bytes; }),
        make_column<TcpDirectionRow>(
            "retransmissions_fast", Unit::none,
            [](const TcpDirectionRow &r) { return repeats(r, RetransmissionClass::fast); }),
        make_column<TcpDirectionRow>(
            "retransmissions_timeout", Unit::none,
            [](const TcpDirectionRow &r) { return repeats(r, RetransmissionClass::timeout); }),
        make_column<TcpDirectionRow>(
            "retransmissions_tail_probe", Unit::none,
            [](const TcpDirectionRow &r) { return repeats(r, RetransmissionClass::tail_probe); }),
        make_column<TcpDirectionRow>(
            "retransmissions_spurious", Unit::none,
            [](const TcpDirectionRow &r) { return repeats(r, RetransmissionClass::spurious); }),
        make_column<TcpDirectionRow>(
            "retransmissions_unknown", Unit::none,
            [](const TcpDirectionRow &r) { return repeats(r, RetransmissionClass::unknown); }),
        make_column<TcpDirectionRow>("lost_before_tap", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->lost_before_tap; }),
        make_column<TcpDirectionRow>("lost_behind_tap", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->lost_behind_tap; }),
        make_column<TcpDirectionRow>("lost_unknown_place", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->lost_unknown_place; }),
        make_column<TcpDirectionRow>(
            "first_retransmission_frame", Unit::none,
            [](const TcpDirectionRow &r) { return frame_cell(r.figures->first_retransmission); }),
        make_column<TcpDirectionRow>("timeouts", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->timeouts.count; }),
        make_column<TcpDirectionRow>("timeout_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->timeouts.total; }),
        make_column<TcpDirectionRow>("reorderings", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->reorderings; }),
        make_column<TcpDirectionRow>(
            "overtaken_behind_tap", Unit::none,
            [](const TcpDirectionRow &r) { return r.figures->overtaken_behind_tap; }),
        make_column<TcpDirectionRow>("duplicate_acks", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->duplicate_acks; }),
        make_column<TcpDirectionRow>("zero_windows", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->zero_window.count; }),
        make_column<TcpDirectionRow>("zero_window_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->zero_window.total; }),
        make_column<TcpDirectionRow>("window_full", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->window_full.count; }),
        make_column<TcpDirectionRow>("window_full_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->window_full.total; }),
        make_column<TcpDirectionRow>("smallest_window_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->smallest_window; }),
        make_column<TcpDirectionRow>("largest_window_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->largest_window; }),
        make_column<TcpDirectionRow>("delayed_acks", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->delayed_acks.count; }),
        make_column<TcpDirectionRow>(
            "delayed_acks_costly", Unit::none,
            [](const TcpDirectionRow &r) { return r.figures->delayed_acks_costly.count; }),
        make_column<TcpDirectionRow>(
            "delayed_acks_costly_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->delayed_acks_costly.total; }),
        make_column<TcpDirectionRow>("nagle_waits", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->nagle.count; }),
        make_column<TcpDirectionRow>("nagle_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->nagle.total; }),
        make_column<TcpDirectionRow>(
            "life_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->end - r.figures->start; }),
        make_column<TcpDirectionRow>("busy_ns", Unit::time,
                                     [](const TcpDirectionRow &r) { return r.figures->busy; }),
        make_column<TcpDirectionRow>(
            "limit_application_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->limit(SendLimit::application); }),
        make_column<TcpDirectionRow>(
            "limit_receive_window_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->limit(SendLimit::receive_window); }),
        make_column<TcpDirectionRow>(
            "limit_send_buffer_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->limit(SendLimit::send_buffer); }),
        make_column<TcpDirectionRow>(
            "limit_cwnd_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->limit(SendLimit::cwnd); }),
        make_column<TcpDirectionRow>(
            "limit_pacing_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->limit(SendLimit::pacing); }),
        make_column<TcpDirectionRow>(
            "limit_unknown_ns", Unit::time,
            [](const TcpDirectionRow &r) { return r.figures->limit(SendLimit::unknown); }),
        make_column<TcpDirectionRow>("largest_flight_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->largest_flight; }),
        make_column<TcpDirectionRow>("median_cwnd_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->median_cwnd; }),
        make_column<TcpDirectionRow>("largest_cwnd_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->largest_cwnd; }),
        make_column<TcpDirectionRow>("send_plateau_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->send_plateau; }),
        make_column<TcpDirectionRow>("full_segment_bytes", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->full_segment; }),
        make_column<TcpDirectionRow>("mss_offered", Unit::bytes,
                                     [](const TcpDirectionRow &r) { return r.figures->mss_offered; }),
        make_column<TcpDirectionRow>("window_scale", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->window_scale; }),
        make_column<TcpDirectionRow>(
            "window_scale_inferred",
            Unit::none, [](const TcpDirectionRow &r) { return r.figures->window_scale_inferred; }),
        make_column<TcpDirectionRow>("sack", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->sack_offered; }),
        make_column<TcpDirectionRow>("timestamps", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->timestamps; }),
        make_column<TcpDirectionRow>("ecn", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->ecn; }),
        make_column<TcpDirectionRow>("ce_marks", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->ce_marks; }),
        make_column<TcpDirectionRow>("duplicate_frames", Unit::none,
                                     [](const TcpDirectionRow &r) { return r.figures->duplicate_frames; }),
    };
    return columns;
}

} // namespace

const Table &tcp_direction_table() {
    static const Table table{"tcp_directions", direction_columns()};
    return table;
}

} // namespace iscsiscope
