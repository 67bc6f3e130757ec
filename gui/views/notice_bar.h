// SPDX-License-Identifier: GPL-2.0-or-later
// A line above the views with one message and buttons for it. It takes no focus by itself and stops nothing;
// a further message takes the place of the one before.
#pragma once

#include <QFrame>

#include <functional>
#include <utility>
#include <vector>

class QBoxLayout;
class QLabel;

namespace iscsiscope::gui {

class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Tone { notice, mistake };
    struct Button {
        QString text, what; // what: for tooltip and screen readers
        std::function<void()> run;
    };

    // name: object name of the label that holds the message.
    NoticeBar(Tone, const char *name, QWidget *parent = nullptr);
    // Shows the message. Buttons are made anew only where their texts differ, so that one with the focus
    // keeps it.
    void show(const QString &message, const std::vector<Button> &);
    QString message() const;

protected:
    void changeEvent(QEvent *) override;

private:
    void colour();

    Tone tone_;
    QLabel *label_;
    QBoxLayout *buttons_;
    QStringList texts_;
};

} // namespace iscsiscope::gui
