// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the table tcp.
#include "analyzer/query/column.h"
#include "analyzer/query/column_choices.h"

namespace iscsiscope {
namespace {

using Row = TcpRow;

constexpr std::string_view directions[] = {"to_target", "to_initiator"};

// A number of bytes of which 0 means not known.
std::optional<std::uint32_t> unless_zero(std::uint32_t v) {
    return v == 0 ? std::nullopt : std::optional(v);
}

std::span<const Column> tcp_columns() {
    static const auto states = names_of<SenderState, SenderState::unknown>();
    static const auto limits = names_of<SendLimit, SendLimit::unknown>();
    static const auto anchors = names_of<Anchor, Anchor::tap>();
    static const Column columns[] = {
        make_column<Row>("stream", Unit::none, [](const Row &r) { return r.connection.stream; }),
        make_column<Row>(
            "direction", Unit::none,
            [](const Row &r) { return directions[static_cast<std::size_t>(r.direction)]; }, directions),
        make_column<Row>("frame", Unit::none, [](const Row &r) { return frame_cell(r.sample.frame); }),
        make_column<Row>("time_ns", Unit::instant, [](const Row &r) { return r.sample.time; }),
        make_column<Row>("flight_bytes", Unit::bytes, [](const Row &r) { return r.sample.flight; }),
        make_column<Row>("cwnd_bytes", Unit::bytes, [](const Row &r) { return r.sample.cwnd; }),
        make_column<Row>("cwnd_low_bytes", Unit::bytes, [](const Row &r) { return r.sample.cwnd_low; }),
        make_column<Row>("cwnd_high_bytes", Unit::bytes, [](const Row &r) { return r.sample.cwnd_high; }),
        make_column<Row>(
            "state", Unit::none, [](const Row &r) { return name(r.sample.state); }, states),
        make_column<Row>(
            "limit", Unit::none, [](const Row &r) { return name(r.sample.limit); }, limits),
        make_column<Row>("receive_window_bytes", Unit::bytes,
                         [](const Row &r) { return r.sample.receive_window; }),
        make_column<Row>("rtt_ns", Unit::time,
                         [](const Row &r) -> std::optional<Duration> { return r.sample.rtt; }),
        make_column<Row>("mss", Unit::bytes, [](const Row &r) { return unless_zero(r.sample.mss); }),
        make_column<Row>("flight_low_bytes", Unit::bytes, [](const Row &r) { return r.sample.flight_low; }),
        make_column<Row>("flight_high_bytes", Unit::bytes, [](const Row &r) { return r.sample.flight_high; }),
        make_column<Row>("flight_at_tap_bytes", Unit::bytes,
                         [](const Row &r) { return r.sample.flight_at_tap; }),
        make_column<Row>(
            "anchor", Unit::none, [](const Row &r) { return name(r.sample.anchor); }, anchors),
    };
    return columns;
}

} // namespace

const Table &tcp_table() {
    static const Table table{"tcp", tcp_columns()};
    return table;
}

} // namespace iscsiscope
