// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of plots after the palette, dark or light.
#pragma once

#include <QColor>
#include <QPalette>

class QCustomPlot;
class QCPAxisRect;

namespace iscsiscope::gui {

struct Theme {
    QColor background, text, dim, grid, range, selection, mark, lane, otherLane;
    bool dark = false;

    static Theme of(const QPalette &);
    // A colour of the data made legible on this background.
    QColor legible(QColor) const;
};

void applyTheme(QCustomPlot &, const Theme &);
void applyTheme(QCPAxisRect &, const Theme &);
// The legend into a row of its own, where it hides nothing.
void legendBelow(QCustomPlot &);

enum class ColourScheme { system, light, dark };
// Sets the application's palette.
void applyScheme(ColourScheme);

} // namespace iscsiscope::gui
