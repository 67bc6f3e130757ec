// SPDX-License-Identifier: GPL-2.0-or-later
// Facts in which findings on TCP and the path are found.
#include "cases.h"
#include "findings/made_facts.h"

namespace iscsiscope::made {

namespace {

constexpr std::int64_t ms = 1'000'000;

// Waits of a connection whose initiator's window is full; its SYNs offered scaling, or only the initiator's
// did.
Facts full_window(bool both_scale) {
    Facts f = one_connection();
    own(f.connections[0].to_target).syn_seen = own(f.connections[0].to_initiator).syn_seen = true;
    own(f.connections[0].to_initiator).window_scale_offered = std::uint8_t{7};
    own(f.connections[0].to_initiator).window_full.add(3ms, 5);
    if (both_scale)
        own(f.connections[0].to_target).window_scale_offered = std::uint8_t{7};
    wait(f, waits::window_closed, 3ms, 100);
    return f;
}

OutageInterval interval() {
    OutageInterval s;
    s.start = time_from_ns(100 * ms);
    s.end = time_from_ns(3700 * ms);
    s.before_frame = 20;
    s.after_frame = 30;
    s.ended_by_repair = true;
    s.lost_to_initiator = 4;
    s.bytes_again = 4 * 1448;
    return s;
}

} // namespace

FindingsResult words_of_delayed_ack() {
    Facts f = one_connection();
    for (int i = 0; i < 20; ++i)
        own(f.connections[0].to_initiator).delayed_acks_costly.add(40ms, 7);
    own(f.connections[0].to_initiator).ack_delays[4] = 20;
    wait(f, waits::delayed_ack, 40ms, 20);
    return found(f);
}

FindingsResult words_of_nagle() {
    Facts f = one_connection();
    wait(f, waits::nagle, 4ms, 100);
    return found(f);
}

FindingsResult words_of_no_window_scaling() {
    return found(full_window(false));
}

FindingsResult words_of_small_receive_window() {
    return found(full_window(true));
}

FindingsResult words_of_small_send_buffer() {
    Facts f = one_connection();
    wait(f, waits::send_buffer, 3ms, 200);
    own(f.connections[0].to_initiator).largest_flight = 16'000;
    f.connections[0].record.bytes_to_initiator = 3'500'000;
    return found(f);
}

FindingsResult words_of_slow_start() {
    Facts f = one_connection();
    wait(f, waits::slow_start, 4ms, 100);
    SlowStarts &s = own(f.connections[0].to_initiator).slow_starts;
    s.after_idle.add(400ms, 21);
    s.transfers_after_idle = 20;
    s.shortest_silence = 300ms;
    s.longest_silence = 2s;
    s.run = {{{10, 21}, {20, 42}, {40, 83}, {80, 164}, {160, 325}, {300, 626}}};
    s.run_waits = 7;
    s.run_after_idle = true;
    return found(f);
}

FindingsResult words_of_full_link() {
    Facts f = one_connection();
    f.connections[0].record.active_end = time_from_ns(10'000'000'000);
    f.connections[0].record.bytes_to_initiator = 1'100'000'000;
    f.connections[0].runs[Owner::transfer] = 9500ms;
    own(f.connections[0].to_initiator).segments = 760'000;
    return found(f);
}

FindingsResult words_of_incast() {
    Facts f = one_connection();
    for (std::uint64_t i = 1; i < 4; ++i) {
        f.connections.push_back(std::move(one_connection().connections[0]));
        f.connections.back().record.stream = StreamId{i};
    }
    for (ConnectionFacts &c : f.connections) {
        own(c.to_initiator).lost_behind_tap = 10;
        wait(c, waits::timeout, 250ms);
    }
    for (std::int64_t n = 0; n < 10; ++n)
        for (std::uint64_t i = 0; i < 4; ++i)
            f.losses.push_back(
                {time_from_ns(n * 100 * ms + static_cast<std::int64_t>(i) * 100'000), StreamId{i}});
    return found(f);
}

FindingsResult words_of_data_corruption() {
    Facts f = one_connection();
    f.anomalies[static_cast<std::size_t>(AnomalyKind::damaged_frame)] = 3;
    return found(f);
}

FindingsResult words_of_packet_loss() {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).segments = 2000;
    own(f.connections[0].to_initiator).lost_behind_tap = 20;
    wait(f, waits::recovery, 5ms, 20);
    return found(f);
}

FindingsResult words_of_retransmission_timeout() {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).segments = 2000;
    own(f.connections[0].to_initiator).lost_behind_tap = 3;
    wait(f, waits::timeout, 200ms, 3);
    return found(f);
}

FindingsResult words_of_outage() {
    Facts f = one_connection();
    f.connections[0].outages.push_back(interval());
    wait(f, waits::outage, 300ms, 2);
    return found(f);
}

FindingsResult words_of_connection_reset() {
    Facts f = one_connection();
    f.connections[0].record.login = login(0, 1);
    f.connections[0].record.outcome = ConnectionOutcome::reset;
    f.connections[0].record.end = time_from_ns(1000 * ms);
    own(f.connections[0].to_initiator).never_acked = 8192;
    own(f.connections[0].to_target).reset_frame = 50;
    ConnectionFacts next = f.connections[0];
    next.record.stream = 1;
    next.record.outcome = ConnectionOutcome::logged_out;
    next.record.login = login(8000 * ms, 2);
    next.record.end = time_from_ns(9000 * ms);
    own(next.to_initiator).never_acked = 0;
    own(next.to_target).reset_frame.reset();
    f.connections.push_back(next);
    return found(f);
}

FindingsResult words_of_bufferbloat() {
    Facts f = one_connection();
    TcpDirectionFigures &d = own(f.connections[0].to_target);
    d.largest_flight = 500'000;
    d.queue_delay.samples = 100;
    d.queue_delay.median = 60ms;
    return found(f);
}

FindingsResult words_of_mtu_black_hole() {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).smallest_black_holed = 8948;
    own(f.connections[0].to_initiator).retransmissions[0] = 3;
    own(f.connections[0].to_initiator).passed_black_hole = 1448;
    own(f.connections[0].to_initiator).black_hole_frame = 77;
    wait(f, waits::timeout, 200ms, 3);
    return found(f);
}

FindingsResult words_of_zero_window() {
    Facts f = full_window(true);
    own(f.connections[0].to_initiator).zero_window.add(300ms, 9);
    return found(f);
}

FindingsResult words_of_reordering() {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).segments = 2000;
    own(f.connections[0].to_initiator).reorderings = 30;
    wait(f, waits::recovery, 5ms, 20);
    return found(f);
}

FindingsResult words_of_duplication() {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).segments = 2000;
    own(f.connections[0].to_initiator).duplicates_received = 20;
    return found(f);
}

} // namespace iscsiscope::made
