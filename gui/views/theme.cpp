// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/theme.h"

#include <QApplication>
#include <QStyle>
#include <QStyleFactory>
#include <qcustomplot.h>

namespace iscsiscope::gui {
namespace {

QPalette darkPalette() {
    QPalette p;
    const QColor window(0x23, 0x26, 0x2a), base(0x1b, 0x1d, 0x20), text(0xe6, 0xe6, 0xe6),
        dim(0x85, 0x8a, 0x90);
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, QColor(0x21, 0x24, 0x28));
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::Button, QColor(0x31, 0x35, 0x3a));
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, Qt::white);
    p.setColor(QPalette::ToolTipBase, QColor(0x31, 0x35, 0x3a));
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::PlaceholderText, dim);
    p.setColor(QPalette::Highlight, QColor(0x2f, 0x7f, 0xc1));
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::Link, QColor(0x6b, 0xae, 0xd6));
    p.setColor(QPalette::Mid, QColor(0x3a, 0x3e, 0x44));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, dim);
    return p;
}

QPalette lightPalette() {
    QPalette p(QColor(0xef, 0xf0, 0xf1));
    p.setColor(QPalette::Base, Qt::white);
    p.setColor(QPalette::AlternateBase, QColor(0xf6, 0xf7, 0xf8));
    p.setColor(QPalette::Highlight, QColor(0x2f, 0x7f, 0xc1));
    p.setColor(QPalette::HighlightedText, Qt::white);
    p.setColor(QPalette::PlaceholderText, QColor(0x70, 0x74, 0x78));
    return p;
}

void style(QCPAxis &a, const Theme &t) {
    a.setBasePen(QPen(t.dim));
    a.setTickPen(QPen(t.dim));
    a.setSubTickPen(QPen(t.dim));
    a.setTickLabelColor(t.text);
    a.setLabelColor(t.text);
    a.grid()->setPen(QPen(t.grid));
    a.grid()->setZeroLinePen(QPen(t.grid));
    a.grid()->setSubGridVisible(false);
}

} // namespace

Theme Theme::of(const QPalette &p) {
    Theme t;
    t.background = p.color(QPalette::Base);
    t.text = p.color(QPalette::Text);
    t.dark = t.background.lightness() < 128;
    t.dim = t.dark ? QColor(0x85, 0x8a, 0x90) : QColor(0x80, 0x84, 0x88);
    t.grid = t.dark ? QColor(0x33, 0x37, 0x3c) : QColor(0xe4, 0xe6, 0xe8);
    t.range = t.dark ? QColor(255, 255, 255, 34) : QColor(0x2f, 0x7f, 0xc1, 40);
    t.selection = t.dark ? QColor(0xff, 0xd7, 0x4a) : QColor(0x11, 0x11, 0x11);
    t.mark = t.dark ? QColor(0xff, 0x7a, 0xd9) : QColor(0xb0, 0x10, 0x80);
    t.lane = p.color(QPalette::Base);
    t.otherLane = t.dark ? t.lane.lighter(122) : t.lane.darker(104);
    return t;
}

QColor Theme::legible(QColor c) const {
    if (dark && c.lightness() < 90)
        return QColor::fromHsl(c.hslHue(), c.hslSaturation(), 110 + c.lightness() / 4);
    return c;
}

void applyTheme(QCPAxisRect &rect, const Theme &t) {
    rect.setBackground(QBrush(t.background));
    for (QCPAxis *axis : rect.axes())
        style(*axis, t);
}

void applyTheme(QCustomPlot &plot, const Theme &t) {
    plot.setBackground(QBrush(t.background));
    for (QCPAxisRect *rect : plot.axisRects())
        applyTheme(*rect, t);
    if (plot.legend == nullptr)
        return; // it goes with the first axis rect
    plot.legend->setBrush(QBrush(QColor(t.background.red(), t.background.green(), t.background.blue(), 200)));
    plot.legend->setTextColor(t.text);
    plot.legend->setBorderPen(QPen(t.grid));
}

void legendBelow(QCustomPlot &plot) {
    if (plot.plotLayout()->elementCount() == 1) {
        auto *row = new QCPLayoutGrid;
        plot.plotLayout()->addElement(1, 0, row);
        row->addElement(0, 0, plot.legend);
        plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
        plot.plotLayout()->setRowStretchFactor(1, 0.001);
    }
}

void applyScheme(ColourScheme scheme) {
    if (scheme == ColourScheme::system) {
        QApplication::setPalette(QApplication::style()->standardPalette());
        return;
    }
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(scheme == ColourScheme::dark ? darkPalette() : lightPalette());
}

} // namespace iscsiscope::gui
