// SPDX-License-Identifier: GPL-2.0-or-later
// QuitBySignal: SIGINT, SIGTERM and SIGHUP end the program as closing its windows does, so that a run of the
// testbed is ended and temporary folders are removed.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace iscsiscope::gui {

// One object, made after the QApplication. A signal that was ignored at the start (nohup) stays ignored.
class QuitBySignal : public QObject {
    Q_OBJECT
public:
    QuitBySignal();
    ~QuitBySignal() override;
    // To be called last: if a signal came, the program ends by it, as shells and service managers expect.
    void endBySignal();

private:
    void came();

    QSocketNotifier *notifier_ = nullptr;
    int signal_ = 0; // 0: none came
};

} // namespace iscsiscope::gui
