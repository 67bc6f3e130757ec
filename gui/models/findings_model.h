// SPDX-License-Identifier: GPL-2.0-or-later
// FindingsModel lists the findings of a report, worst first, each with sentence, remedy and evidence.
#pragma once

#include "gui/document/document.h"

#include <QAbstractListModel>

namespace iscsiscope::gui {

class FindingsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        SentenceRole = Qt::UserRole,
        RemedyRole,
        SeverityRole,
        LostRole,
        ShareRole,
        FramesRole,
        KindRole
    };

    explicit FindingsModel(Document &, QObject *parent = nullptr);
    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    const Finding &finding(int row) const {
        return report_->findings->findings[static_cast<std::size_t>(row)];
    }
    // Returns the sentence to show in place of an empty list.
    QString emptyWords() const;
    // What the findings cover, as the text report says it beside its heading and below it; may be empty.
    QString scopeWords() const;
    QString coverWords() const;

private:
    Document &document_;
    ReportPtr report_;
};

} // namespace iscsiscope::gui
