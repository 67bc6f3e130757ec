// SPDX-License-Identifier: GPL-2.0-or-later
// Records as the engine would hand them on, made up for tests.
#pragma once

#include "analyzer/figures/collector.h"

namespace synthetic {

using namespace iscsiscope;

inline Time at_us(std::int64_t us) {
    return time_from_ns(1'700'000'000'000'000'000 + us * 1000);
}

inline Duration us(std::int64_t n) {
    return std::chrono::microseconds(n);
}

inline IpAddress v4(std::uint8_t last) {
    IpAddress a;
    a.bytes[10] = a.bytes[11] = 0xff;
    a.bytes[12] = 192;
    a.bytes[14] = 2;
    a.bytes[15] = last;
    return a;
}

// A good read of 8 KiB: 10 µs of command, then wait, data of 30 µs, no status of its own.
inline CycleRecord read_cycle(std::uint64_t number, std::int64_t start_us, std::int64_t wait_us) {
    CycleRecord r;
    r.cycle = CycleId{number};
    r.itt = static_cast<std::uint32_t>(number + 1);
    r.cmd_sn = static_cast<std::uint32_t>(number);
    r.type = TaskType::read;
    r.opcode = std::uint8_t{0x28};
    r.lba = 64 * number;
    r.blocks = 16;
    r.bytes_expected = 8192;
    r.bytes_moved = 8192;
    r.command_frame = 10 * number + 1;
    r.first_data_frame = 10 * number + 2;
    r.last_data_frame = r.status_frame = r.end_frame = 10 * number + 5;
    r.start = at_us(start_us);
    r.phases.command = us(10);
    r.phases.first_data_wait = us(wait_us);
    r.phases.data = us(30);
    r.has_phases = true;
    r.response_time = us(40 + wait_us);
    r.end = r.start + *r.response_time;
    r.next_command_wait = us(20);
    r.cycle_time = *r.response_time + us(20);
    r.queue_depth = r.session_depth = 1;
    r.data_pdus = 2;
    r.outcome = TaskOutcome::good;
    r.status = std::uint8_t{0};
    r.complete = true;
    return r;
}

inline GapRecord gap(std::int64_t start_us, std::int64_t length_us, GapKind kind, FrameNumber before) {
    GapRecord g;
    g.start = at_us(start_us);
    g.length = g.active_part = us(length_us);
    g.kind = kind;
    g.before_frame = before;
    g.after_frame = before + 1;
    g.in_active_life = true;
    return g;
}

// One connection of one session, its active life [0, 1000 µs).
inline ConnectionRecord connection() {
    ConnectionRecord c;
    c.initiator = {v4(1), 50000};
    c.target = {v4(2), 3260};
    c.cid = std::uint16_t{0};
    c.initiator_name = "iqn.2001-04.com.example:host";
    c.target_name = "iqn.2001-04.com.example:storage";
    c.first_frame = 1;
    c.last_frame = 99;
    c.start = at_us(0);
    c.end = at_us(1000);
    c.active_start = at_us(0);
    c.active_end = at_us(1000);
    c.bytes_to_target = 480;
    c.bytes_to_initiator = 82'000;
    c.segments_to_target = 10;
    c.segments_to_initiator = 60;
    c.tasks = 10;
    c.without_task = us(150);
    c.rtt_to_initiator = us(5);
    c.rtt_to_target = us(95);
    c.capture_position = CapturePosition{0.05, 0.04, 0.06};
    c.outcome = ConnectionOutcome::logged_out;
    c.pdus.add(0, 0x01, 10);
    c.pdus.add(1, 0x25, 20);
    return c;
}

inline CaptureSummary summary() {
    CaptureSummary s;
    s.path = "example.pcap";
    s.info.format = "pcap";
    s.info.compression = "none";
    s.info.interfaces.push_back({1, 262144, "", std::nullopt});
    s.info.frames = 100;
    s.info.bytes = s.info.captured_bytes = 90'000;
    s.info.first_time = at_us(0);
    s.info.last_time = at_us(1000);
    s.protocols.tcp = 100;
    s.coverage.connections = 1;
    s.coverage.pdus = 30;
    s.coverage.stream_bytes = 82'480;
    s.tcp_connections = 1;
    return s;
}

// Ten reads, every 100 µs, one after the other; each waits 40 µs, the last one 400 µs.
inline void feed(RecordSink &to) {
    const RecordTables sink(to);
    SessionRecord session;
    session.from_login = true;
    session.initiator_name = "iqn.2001-04.com.example:host";
    session.target_name = "iqn.2001-04.com.example:storage";
    session.session_type = "Normal";
    session.tsih = 1;
    sink.put(session);
    ConnectionRecord c = connection();
    for (std::uint64_t i = 0; i < 10; ++i) {
        const auto start = static_cast<std::int64_t>(100 * i);
        const std::int64_t wait = i == 9 ? 400 : 40;
        sink.put(read_cycle(i, start, wait));
        const GapRecord g =
            gap(start + 10, 40, i == 9 ? GapKind::target_first_data : GapKind::initiator_idle, 10 * i + 1);
        sink.put(g);
        c.gap_time[static_cast<std::size_t>(g.kind)] += g.active_part;
        ++c.gaps[static_cast<std::size_t>(g.kind)];
        c.transfer += us(60);
    }
    sink.put(c);
}

} // namespace synthetic
