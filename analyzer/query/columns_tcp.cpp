// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the table tcp.
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

std::span<const Column> tcp_columns() {
    static const auto states = names_of<SenderState, SenderState::unknown>();
    static const auto limits = names_of<SendLimit, SendLimit::unknown>();
    static const auto anchors = names_of<Anchor, Anchor::tap>();
    static const Column columns[] = {
        make_column<TcpSampleRecord>("stream", Unit::none, [](const TcpSampleRecord &r) { return r.stream; }),
        make_column<TcpSampleRecord>(
            "direction", Unit::none,
            [](const TcpSampleRecord &r) { return direction_names[static_cast<std::size_t>(r.direction)]; },
            direction_names),
        make_column<TcpSampleRecord>("frame", Unit::none,
                                     [](const TcpSampleRecord &r) { return frame_cell(r.frame); }),
        make_column<TcpSampleRecord>("time_ns", Unit::instant,
                                     [](const TcpSampleRecord &r) { return r.time; }),
        make_column<TcpSampleRecord>("flight_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.flight; }),
        make_column<TcpSampleRecord>("cwnd_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.cwnd; }),
        make_column<TcpSampleRecord>("cwnd_low_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.cwnd_low; }),
        make_column<TcpSampleRecord>("cwnd_high_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.cwnd_high; }),
        make_column<TcpSampleRecord>(
            "state", Unit::none, [](const TcpSampleRecord &r) { return name(r.state); }, states),
        make_column<TcpSampleRecord>(
            "limit", Unit::none, [](const TcpSampleRecord &r) { return name(r.limit); }, limits),
        make_column<TcpSampleRecord>("receive_window_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.receive_window; }),
        make_column<TcpSampleRecord>(
            "rtt_ns", Unit::time, [](const TcpSampleRecord &r) -> std::optional<Duration> { return r.rtt; }),
        make_column<TcpSampleRecord>("mss", Unit::bytes, [](const TcpSampleRecord &r) { return r.mss; }),
        make_column<TcpSampleRecord>("flight_low_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.flight_low; }),
        make_column<TcpSampleRecord>("flight_high_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.flight_high; }),
        make_column<TcpSampleRecord>("flight_at_tap_bytes", Unit::bytes,
                                     [](const TcpSampleRecord &r) { return r.flight_at_tap; }),
        make_column<TcpSampleRecord>(
            "anchor", Unit::none, [](const TcpSampleRecord &r) { return name(r.anchor); }, anchors),
    };
    return columns;
}

} // namespace

const Table &tcp_table() {
    static const Table table{"tcp", tcp_columns()};
    return table;
}

} // namespace iscsiscope
