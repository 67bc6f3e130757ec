// SPDX-License-Identifier: GPL-2.0-or-later
// TogetherDialog asks how two captures that are opened together belong together. It looks at their frames
// in the background and preselects what they say, unless the user has chosen meanwhile.
#pragma once

#include "gui/document/together.h"

#include <QDialog>

class QButtonGroup;
class QLabel;

namespace iscsiscope::gui {

class TogetherDialog : public QDialog {
    Q_OBJECT
public:
    TogetherDialog(const QString &first, const QString &second, QWidget *parent);
    bool looking() const { return job_.running(); }
    CaptureRelation choice() const;

signals:
    void chosen(iscsiscope::CaptureRelation);

private:
    void suggest(const std::variant<Suggestion, QString> &);

    LatestJob job_;
    QButtonGroup *choices_;
    QLabel *reason_;
    bool touched_ = false; // by the user
};

} // namespace iscsiscope::gui
