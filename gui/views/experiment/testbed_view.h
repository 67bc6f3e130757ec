// SPDX-License-Identifier: GPL-2.0-or-later
// The testbed view: a scenario is chosen or edited, run by iscsiscope-testbed and shown as it runs.
#pragma once

#include "gui/models/experiment/testbed_runner.h"
#include "gui/models/experiment/testbed_scenario.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QCustomPlot;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTemporaryDir;

namespace iscsiscope::gui {

class TestbedView : public QWidget {
    Q_OBJECT
public:
    explicit TestbedView(QWidget *parent = nullptr);
    ~TestbedView() override;
    QWidget *editorOf(Field) const; // a QLineEdit or QComboBox
    void setValue(Field, const QString &);
    QString mistakeShown(Field) const; // empty: none
    bool valid() const;
    void start();
    // Chooses a bundled scenario by its name, or a file. False: there is none.
    bool choose(const QString &scenario);
    // The temporary folder that the captures of runs without a chosen folder are in; null: none yet. It is
    // removed with its last owner.
    const std::shared_ptr<QTemporaryDir> &ownFolder() const { return own_; }
    void cancel();
    TestbedRunner &runner() { return runner_; }
    const std::vector<RunProgress> &seen() const { return seen_; } // reports of this run
    void setFolder(const QString &);                               // for the captures

signals:
    void pairReady(const QString &initiator, const QString &target);
    void ended(const QString &problem);

protected:
    void changeEvent(QEvent *) override;

private:
    QString value(Field) const;
    void check(Field);
    void showRun(const RunProgress &);
    void finish(const QStringList &captures, const QString &problem);
    void style();

    TestbedRunner runner_;
    QComboBox *scenario_;
    std::vector<QWidget *> editors_;
    std::vector<QLabel *> mistakes_;
    QLineEdit *folder_;
    QPushButton *run_, *cancel_;
    QProgressBar *bar_;
    QLabel *status_;
    QCustomPlot *throughput_, *windows_, *drops_;
    std::vector<RunProgress> seen_;
    std::shared_ptr<QTemporaryDir> own_;
    int runs_ = 0;
};

} // namespace iscsiscope::gui
