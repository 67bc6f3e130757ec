// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/aggregates/cycle_brush.h"

#include <algorithm>

namespace iscsiscope::gui {

CycleBrush::CycleBrush(Document &document, QObject *parent) : QObject(parent), document_(document) {
    connect(&document, &Document::opened, this, &CycleBrush::clear);
}

void CycleBrush::setBox(std::optional<CycleBox> box) {
    if (box == box_)
        return;
    box_ = box;
    emit changed();
}

void CycleBrush::keep() {
    if (!box_)
        return;
    const CycleBox box = *box_;
    if (box.time) {
        Interval i = *box.time;
        if (const auto &r = document_.range())
            i = {std::max(i.from, r->from), std::min(i.to, r->to)};
        if (!i.empty())
            document_.setRange(i);
    }
    if (const QString expression = box.expression(); !expression.isEmpty())
        document_.addFilter(expression);
    clear();
}

} // namespace iscsiscope::gui
