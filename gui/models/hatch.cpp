// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/hatch.h"

namespace iscsiscope::gui {

Hatch hatchOf(GapKind k) {
    switch (k) {
    case GapKind::target_first_data:
    case GapKind::target_r2t:
    case GapKind::target_status:
    case GapKind::target_data:
        return Hatch::rising;
    case GapKind::initiator_burst:
    case GapKind::initiator_data:
    case GapKind::initiator_idle:
    case GapKind::initiator_pause:
        return Hatch::falling;
    case GapKind::window_closed:
    case GapKind::cwnd_limited:
    case GapKind::send_buffer:
    case GapKind::command_window:
        return Hatch::level;
    case GapKind::delayed_ack:
    case GapKind::ack_held_status:
    case GapKind::ack_held_data:
        return Hatch::upright;
    case GapKind::path_down:
    case GapKind::retransmission_timeout:
    case GapKind::fast_retransmit:
        return Hatch::crossed;
    default: // capture_loss, control, unclassified
        return Hatch::dotted;
    }
}

Qt::BrushStyle brushOf(Hatch h) {
    constexpr Qt::BrushStyle styles[] = {Qt::NoBrush,      Qt::BDiagPattern, Qt::FDiagPattern,
                                         Qt::HorPattern,   Qt::VerPattern,   Qt::DiagCrossPattern,
                                         Qt::Dense6Pattern}; // by Hatch
    return styles[static_cast<std::size_t>(h)];
}

bool onHatch(Hatch h, int x, int y, int period) {
    const bool rising = (x + y) % period == 0, falling = (x - y + 4096 * period) % period == 0;
    switch (h) {
    case Hatch::none:
        return false;
    case Hatch::rising:
        return rising;
    case Hatch::falling:
        return falling;
    case Hatch::level:
        return y % period == 0;
    case Hatch::upright:
        return x % period == 0;
    case Hatch::crossed:
        return rising || falling;
    case Hatch::dotted:
        return x % period == 0 && y % period == 0;
    }
    return false;
}

} // namespace iscsiscope::gui
