// SPDX-License-Identifier: GPL-2.0-or-later
// CycleBrush holds the box that is drawn over the cycles at this moment. It is provisional: it limits the
// aggregates only, until keep() turns it into the document's range and one filter.
#pragma once

#include "gui/document/document.h"
#include "gui/models/aggregates/cycle_box.h"

namespace iscsiscope::gui {

class CycleBrush : public QObject {
    Q_OBJECT
public:
    explicit CycleBrush(Document &, QObject *parent = nullptr);

    const std::optional<CycleBox> &box() const { return box_; }
    void setBox(std::optional<CycleBox>);
    void clear() { setBox(std::nullopt); }
    // The range becomes the box's part of it, its expression a filter; then the box is gone.
    void keep();

signals:
    void changed();

private:
    Document &document_;
    std::optional<CycleBox> box_;
};

} // namespace iscsiscope::gui
