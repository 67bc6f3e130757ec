// SPDX-License-Identifier: GPL-2.0-or-later
// Facts in which findings on tasks, their data and the load are found.
#include "analyzer/sessions/figures/session_figures.h"
#include "cases.h"
#include "findings/made_facts.h"

namespace iscsiscope::made {

namespace {

Facts waiting(const WaitKey &cause) {
    Facts f = one_connection();
    wait(f, cause, 10ms, 60);
    return f;
}

AccessFigures &accesses(SessionFigures &s) {
    AccessFigures &a = s.access.emplace_back();
    a.commands = 100;
    a.blocks = 12800;
    a.block_length = 512;
    return a;
}

} // namespace

FindingsResult words_of_small_data_segments() {
    Facts f = one_connection();
    f.connections[0].record.transfer = 900ms;
    f.types[0].data_pdus = f.types[0].bytes / 512;
    return found(f);
}

FindingsResult words_of_r2t_ping_pong() {
    return found(waiting(waits::r2t_chain));
}

FindingsResult words_of_no_unsolicited_data() {
    return found(waiting(waits::r2t_single));
}

FindingsResult words_of_slow_r2t_answer() {
    Facts f = waiting(waits::r2t_answer);
    f.types[1].r2ts = 100;
    return found(f);
}

FindingsResult words_of_queue_depth() {
    return found(waiting(waits::round_trip));
}

FindingsResult words_of_command_window() {
    SessionFigures s;
    WindowFigures &w = s.windows.emplace_back();
    w.closings_waiting = 60;
    w.closed_waiting = 600ms;
    w.closed_waiting_share = 0.6;
    w.granted_max = 2;
    const Facts f = waiting(waits::command_window);
    return found(f, &s);
}

FindingsResult words_of_slow_target() {
    return found(waiting(waits::target_time));
}

FindingsResult words_of_blocking_command() {
    Facts f = one_connection();
    f.blocking = {3, 20, 20, 200ms, 2s, 40ms, 0x93, 1, 2};
    return found(f);
}

FindingsResult words_of_head_of_line() {
    Facts f = one_connection();
    f.head_of_line = {20, 20, 800ms, 40ms, 60ms, 1, 2, 3};
    return found(f);
}

FindingsResult words_of_digest_error() {
    Facts f = one_connection();
    f.anomalies[static_cast<std::size_t>(AnomalyKind::digest_mismatch)] = 2;
    return found(f);
}

FindingsResult words_of_digest_cost() {
    Facts f = one_connection();
    Login login;
    login.accepted = true;
    login.keys.parameters.data_digest_crc32c = true;
    f.connections[0].record.login = login;
    f.connections[0].record.transfer = 900ms;
    f.connections[0].record.gap_time[static_cast<std::size_t>(GapKind::target_data)] = 200ms;
    return found(f);
}

FindingsResult words_of_short_data() {
    Facts f = one_connection();
    ShortTasks &t = f.short_tasks.emplace_back();
    t.count = 10;
    t.bytes = 81920;
    t.longest = 8192;
    t.first_command = 3;
    return found(f);
}

FindingsResult words_of_command_errors() {
    Facts f = one_connection();
    f.senses[0x031100] = {2, 2, 30, 0}; // unrecovered read error
    return found(f);
}

FindingsResult words_of_io_split() {
    SessionFigures s;
    accesses(s).split = AccessFigures::Split{130560, 512000, 120320, 4, 20, 22, 9};
    return found(one_connection(), &s);
}

FindingsResult words_of_misaligned_io() {
    SessionFigures s;
    AccessFigures &a = accesses(s);
    a.misaligned = 90;
    a.misaligned_frames = {5, 6, 7};
    return found(one_connection(), &s);
}

FindingsResult words_of_one_direction_slow() {
    Facts f = one_connection();
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        ModelInput &m = f.models.emplace_back();
        m.type = type;
        m.tasks = 100;
        m.block = 65536;
        m.depth = 4;
        m.measured_throughput = type == TaskType::read ? 30e6 : 200e6;
        m.measured_cycle = 1e6;
    }
    return found(f);
}

FindingsResult words_of_application_idle() {
    Facts f = one_connection();
    pause(f, 10ms, 60);
    return found(f);
}

} // namespace iscsiscope::made
