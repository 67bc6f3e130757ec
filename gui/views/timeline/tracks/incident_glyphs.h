// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/lanes/incidents.h"
#include "gui/views/theme.h"

#include <QPainter>

namespace iscsiscope::gui {

inline constexpr int glyphSize = 9, smallGlyph = 6; // pixels

// Paints the glyph of a kind of incident around a point.
void paintIncident(QPainter &, IncidentKind, QPointF middle, const Theme &, int size = glyphSize);

} // namespace iscsiscope::gui
