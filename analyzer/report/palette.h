// SPDX-License-Identifier: GPL-2.0-or-later
// The colours of phases and gap kinds, the same in every front end. Families by who is waited for: blue
// the target, orange the initiator, purple windows and buffers, green held ACKs, red losses, grey the
// rest; within a family by lightness, so that they stay apart for colour-blind eyes and in print
// (tests/gui/palette_test.cpp holds the distances as such eyes see them). Colour never stands alone: a name
// is always beside it.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/figures/cycle_figures.h"

#include <cstdint>

namespace iscsiscope::palette {

// 0xRRGGBB.
using Color = std::uint32_t;

inline constexpr Color transfer = 0x5a8f1e;
inline constexpr Color read = 0x0072b2, write = 0xd55e00, control = 0x8a8a8a; // Okabe and Ito
// Series that only have to differ: connections, sessions.
inline constexpr Color series[] = {0x0072b2, 0xd55e00, 0x8f336c, 0xffa607,
                                   0x646a53, 0x8a9688, 0xacd09a, 0xd3bacc};

constexpr Color of(GapKind k) {
    switch (k) {
    case GapKind::capture_loss:
        return 0x5a5a5a;
    case GapKind::path_down:
        return 0x67000d;
    case GapKind::retransmission_timeout:
        return 0xb2182b;
    case GapKind::fast_retransmit:
        return 0xe8837a;
    case GapKind::window_closed:
        return 0x4a1486;
    case GapKind::delayed_ack:
        return 0x00441b;
    case GapKind::ack_held_status:
        return 0x2f9e6b;
    case GapKind::ack_held_data:
        return 0x8fd0ab;
    case GapKind::cwnd_limited:
        return 0x8056a8;
    case GapKind::send_buffer:
        return 0xb08fd0;
    case GapKind::command_window:
        return 0xe3b3d9;
    case GapKind::target_first_data:
        return 0x08519c;
    case GapKind::target_r2t:
        return 0x2f7fc1;
    case GapKind::target_status:
        return 0x6baed6;
    case GapKind::target_data:
        return 0xabcfe6;
    case GapKind::initiator_burst:
        return 0x8c2d04;
    case GapKind::initiator_data:
        return 0xcc5500;
    case GapKind::initiator_idle:
        return 0xf9d39b;
    case GapKind::initiator_pause:
        return 0xec9430;
    case GapKind::control:
        return 0x969696;
    case GapKind::unclassified:
        return 0xc4c4c4;
    }
    return 0xc4c4c4;
}

constexpr Color of(CycleFigure f) {
    switch (f) {
    case CycleFigure::command:
        return 0x8a8a8a;
    case CycleFigure::first_data_wait:
        return of(GapKind::target_first_data);
    case CycleFigure::data:
        return transfer;
    case CycleFigure::unsolicited:
        return 0x9fcf45;
    case CycleFigure::r2t_wait:
        return of(GapKind::target_r2t);
    case CycleFigure::burst_response:
        return of(GapKind::initiator_burst);
    case CycleFigure::burst_data:
        return transfer;
    case CycleFigure::status_wait:
        return of(GapKind::target_status);
    case CycleFigure::next_command_wait:
        return of(GapKind::initiator_idle);
    default:
        return 0xc4c4c4;
    }
}

constexpr Color of(TaskType t) {
    return t == TaskType::read ? read : t == TaskType::write ? write : control;
}

} // namespace iscsiscope::palette
