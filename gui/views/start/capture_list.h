// SPDX-License-Identifier: GPL-2.0-or-later
// A list of captures, two lines each: title, size and date; what it is. Missing ones are grey.
#pragma once

#include "gui/views/start/capture_entries.h"

#include <QListWidget>

namespace iscsiscope::gui {

class CaptureList : public QListWidget {
    Q_OBJECT
public:
    explicit CaptureList(QWidget *parent = nullptr);
    void setEntries(const std::vector<CaptureEntry> &, bool removable);
    const std::vector<CaptureEntry> &entries() const { return entries_; }

signals:
    void chosen(const QString &path); // click, Enter
    void removeWanted(const QString &path);

protected:
    void keyPressEvent(QKeyEvent *) override;
    void focusInEvent(QFocusEvent *) override;
    void contextMenuEvent(QContextMenuEvent *) override;

private:
    QString pathOf(const QListWidgetItem *) const;

    std::vector<CaptureEntry> entries_;
    bool removable_ = false;
};

} // namespace iscsiscope::gui
