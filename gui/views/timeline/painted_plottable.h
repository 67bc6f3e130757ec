// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <qcustomplot.h>

namespace iscsiscope::gui {

// A plottable that only paints into its axis rect: it has no range, no legend entry and no selection.
class PaintedPlottable : public QCPAbstractPlottable {
public:
    explicit PaintedPlottable(QCPAxisRect *rect)
        : QCPAbstractPlottable(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)) {}
    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override {
        found = false;
        return {};
    }

protected:
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}
    QRect place() const { return mKeyAxis->axisRect()->rect(); }
};

} // namespace iscsiscope::gui
