// SPDX-License-Identifier: GPL-2.0-or-later
// Hatching of idle time: one pattern for each family of gap kinds, so that colour-blind users can distinguish
// families (analyzer/report/palette.h); kinds of one family differ in lightness.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <Qt>

namespace iscsiscope::gui {

enum class Hatch : std::uint8_t {
    none,    // not idle
    rising,  // waiting for the target
    falling, // waiting for the initiator
    level,   // waiting for a window or buffer
    upright, // a held ACK
    crossed, // losses
    dotted,  // other kinds
};

Hatch hatchOf(GapKind);
Qt::BrushStyle brushOf(Hatch);
// Returns whether a line of the hatching passes through the pixel; period: pixels from line to line.
bool onHatch(Hatch, int x, int y, int period);

} // namespace iscsiscope::gui
