// SPDX-License-Identifier: GPL-2.0-or-later
// How idle time is hatched: one way for each family of kinds, so that families stay apart for eyes that do
// not tell their colours apart (analyzer/report/palette.h); within a family lightness does.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <Qt>

namespace iscsiscope::gui {

enum class Hatch : std::uint8_t {
    none,    // not idle
    rising,  // the target is waited for
    falling, // the initiator
    level,   // a window or buffer
    upright, // a held ACK
    crossed, // what was lost
    dotted,  // the rest
};

Hatch hatchOf(GapKind);
Qt::BrushStyle brushOf(Hatch);
// Whether the hatching's lines pass through the pixel; period: pixels from line to line.
bool onHatch(Hatch, int x, int y, int period);

} // namespace iscsiscope::gui
