// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of plots, derived from the dark or light palette of the application.
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
    // Returns the colour, made lighter or darker where it would not be legible on this background.
    QColor legible(QColor) const;
};

void applyTheme(QCustomPlot &, const Theme &);
void applyTheme(QCPAxisRect &, const Theme &);
// Puts the legend into a row of its own below the plot, where it hides nothing.
void legendBelow(QCustomPlot &);

enum class ColourScheme { system, light, dark };
// Sets the application's palette.
void applyScheme(ColourScheme);

} // namespace iscsiscope::gui
