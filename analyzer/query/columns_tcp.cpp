// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the table tcp.
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

// A number of bytes of which 0 means not known.
std::optional<std::uint32_t> unless_zero(std::uint32_t v) {
    return v == 0 ? std::nullopt : std::optional(v);
}

std::span<const Column> tcp_columns() {
    static const auto states = names_of<SenderState, SenderState::unknown>();
    static const auto limits = names_of<SendLimit, SendLimit::unknown>();
    static const auto anchors = names_of<Anchor, Anchor::tap>();
    static const Column columns[] = {
        make_column<TcpRow>("stream", Unit::none, [](const TcpRow &r) { return r.connection.stream; }),
        make_column<TcpRow>(
            "direction", Unit::none,
            [](const TcpRow &r) { return direction_names[static_cast<std::size_t>(r.direction)]; },
            direction_names),
        make_column<TcpRow>("frame", Unit::none, [](const TcpRow &r) { return frame_cell(r.sample.frame); }),
        make_column<TcpRow>("time_ns", Unit::instant, [](const TcpRow &r) { return r.sample.time; }),
        make_column<TcpRow>("flight_bytes", Unit::bytes, [](const TcpRow &r) { return r.sample.flight; }),
        make_column<TcpRow>("cwnd_bytes", Unit::bytes, [](const TcpRow &r) { return r.sample.cwnd; }),
        make_column<TcpRow>("cwnd_low_bytes", Unit::bytes, [](const TcpRow &r) { return r.sample.cwnd_low; }),
        make_column<TcpRow>("cwnd_high_bytes", Unit::bytes,
                            [](const TcpRow &r) { return r.sample.cwnd_high; }),
        make_column<TcpRow>(
            "state", Unit::none, [](const TcpRow &r) { return name(r.sample.state); }, states),
        make_column<TcpRow>(
            "limit", Unit::none, [](const TcpRow &r) { return name(r.sample.limit); }, limits),
        make_column<TcpRow>("receive_window_bytes", Unit::bytes,
                            [](const TcpRow &r) { return r.sample.receive_window; }),
        make_column<TcpRow>("rtt_ns", Unit::time,
                            [](const TcpRow &r) -> std::optional<Duration> { return r.sample.rtt; }),
        make_column<TcpRow>("mss", Unit::bytes, [](const TcpRow &r) { return unless_zero(r.sample.mss); }),
        make_column<TcpRow>("flight_low_bytes", Unit::bytes,
                            [](const TcpRow &r) { return r.sample.flight_low; }),
        make_column<TcpRow>("flight_high_bytes", Unit::bytes,
                            [](const TcpRow &r) { return r.sample.flight_high; }),
        make_column<TcpRow>("flight_at_tap_bytes", Unit::bytes,
                            [](const TcpRow &r) { return r.sample.flight_at_tap; }),
        make_column<TcpRow>(
            "anchor", Unit::none, [](const TcpRow &r) { return name(r.sample.anchor); }, anchors),
    };
    return columns;
}

} // namespace

const Table &tcp_table() {
    static const Table table{"tcp", tcp_columns()};
    return table;
}

} // namespace iscsiscope
