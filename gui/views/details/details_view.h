// SPDX-License-Identifier: GPL-2.0-or-later
// The view Details: every section of the fullest text report, to be searched, of the range and the filters.
#pragma once

#include "gui/document/document.h"
#include "gui/models/details/details_page.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace iscsiscope::gui {

class DetailsView : public QWidget {
    Q_OBJECT
public:
    explicit DetailsView(Document &, QWidget *parent = nullptr);
    const std::vector<DetailsSection> &sections() const { return sections_; }
    QWidget &list();
    bool showSection(const QString &heading); // false: there is none

signals:
    void frameWanted(quint64 frame);

protected:
    void showEvent(QShowEvent *) override;

private:
    void refresh();
    void narrow();
    void showCurrent();
    void showFound();

    Document &document_;
    std::vector<DetailsSection> sections_;
    ReportPtr of_; // that sections_ were made from
    QLabel *scope_;
    QLineEdit *find_;
    QListWidget *list_;
    QTextBrowser *text_;
};

} // namespace iscsiscope::gui
