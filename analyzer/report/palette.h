// SPDX-License-Identifier: GPL-2.0-or-later
// The colours of phases, gap kinds and owners in every front end. The hue names the awaited party or cause:
// blue the target, orange the initiator, purple windows and buffers, green held ACKs, red losses, grey all
// others. Colours of one hue differ in lightness, so that colour-blind readers and prints can distinguish
// them (tests/gui/palette_test.cpp checks the distances). A name is always shown beside a colour.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/figures/cycle_figures.h"

#include <cstdint>
#include <iterator>
#include <utility>

namespace iscsiscope::palette {

// 0xRRGGBB.
using Color = std::uint32_t;

inline constexpr Color transfer = 0x5a8f1e;
inline constexpr Color read = 0x0072b2, write = 0xd55e00, control = 0x8a8a8a; // Okabe and Ito
// For series without a meaning of their own: connections, sessions.
inline constexpr Color series[] = {0x0072b2, 0xd55e00, 0x8f336c, 0xffa607,
                                   0x646a53, 0x8a9688, 0xacd09a, 0xd3bacc};

// For lines on a dark ground and a light one, both at a contrast of 3 or more; the same script draws both.
inline constexpr Color lines[] = {0x1f86d0, 0xd9600f, 0x1b9e77, 0xb055b8,
                                  0xa08000, 0xe0457b, 0x0e9aa7, 0x9a6a45};
inline constexpr Color p99 = 0xb055b8, other = 0x808080; // of response times; of all else together

// In the order of GapKind.
inline constexpr Color gap_colors[] = {
    0x5a5a5a, // capture_loss
    0x67000d, // path_down
    0xb2182b, // retransmission_timeout
    0xe8837a, // fast_retransmit
    0x4a1486, // window_closed
    0x00441b, // delayed_ack
    0x2f9e6b, // ack_held_status
    0x8fd0ab, // ack_held_data
    0x8056a8, // cwnd_limited
    0xb08fd0, // send_buffer
    0xe3b3d9, // command_window
    0x08519c, // target_first_data
    0x2f7fc1, // target_r2t
    0x6baed6, // target_status
    0xabcfe6, // target_data
    0x8c2d04, // initiator_burst
    0xcc5500, // initiator_data
    0xf9d39b, // initiator_idle
    0xec9430, // initiator_pause
    0x969696, // control
    0xc4c4c4, // unclassified
};
static_assert(std::size(gap_colors) == gap_kind_count);

constexpr Color of(GapKind k) {
    return gap_colors[static_cast<std::size_t>(k)];
}

constexpr Color of(CycleFigure f) {
    constexpr std::pair<CycleFigure, Color> all[] = {
        {CycleFigure::command, 0x8a8a8a},
        {CycleFigure::first_data_wait, of(GapKind::target_first_data)},
        {CycleFigure::data, transfer},
        {CycleFigure::unsolicited, 0x9fcf45},
        {CycleFigure::r2t_wait, of(GapKind::target_r2t)},
        {CycleFigure::burst_response, of(GapKind::initiator_burst)},
        {CycleFigure::burst_data, transfer},
        {CycleFigure::status_wait, of(GapKind::target_status)},
        {CycleFigure::next_command_wait, of(GapKind::initiator_idle)},
    };
    for (const auto &[figure, color] : all)
        if (figure == f)
            return color;
    return 0xc4c4c4;
}

// In the order of Owner; the same hues as above.
inline constexpr Color owner_colors[] = {transfer, 0xb0458a, 0x56b4e9, 0xffc04d, 0xc4c4c4};
static_assert(std::size(owner_colors) == owner_count);

constexpr Color of(Owner o) {
    return owner_colors[static_cast<std::size_t>(o)];
}

constexpr Color of(TaskType t) {
    return t == TaskType::read ? read : t == TaskType::write ? write : control;
}

} // namespace iscsiscope::palette
