// SPDX-License-Identifier: GPL-2.0-or-later
// TestbedRunner runs `iscsiscope-testbed` as a child process and emits the progress that it reports.
#pragma once

#include <QMap>
#include <QObject>
#include <QProcess>
#include <QStringList>

#include <optional>

namespace iscsiscope::gui {

struct RunProgress {
    double elapsed = 0;          // seconds of the run
    std::optional<double> share; // done, 0..1
    double megabytesPerSecond = 0;
    quint64 drops = 0;          // packets so far
    QMap<QString, double> cwnd; // bytes, by host
};

class TestbedRunner : public QObject {
    Q_OBJECT
public:
    explicit TestbedRunner(QObject *parent = nullptr);
    ~TestbedRunner() override;

    // scenario: a file or the name of a bundled scenario. The captures are written to the folder.
    void run(const QString &scenario, const QString &folder);
    void cancel(); // finished() is emitted when it has ended
    void end();    // waits until it has ended and has removed what it made; emits nothing
    bool running() const { return process_.state() != QProcess::NotRunning; }
    // Returns the testbed program: $ISCSISCOPE_TESTBED, else the one beside this program, else on the PATH.
    static QString program();
    static QStringList bundledScenarios();

signals:
    void phase(const QString &);
    void progressed(const iscsiscope::gui::RunProgress &);
    // captures: empty when it failed or was cancelled. problem: empty when it succeeded.
    void finished(const QStringList &captures, const QString &problem);

private:
    void readLines();
    void ended();

    QProcess process_;
    QByteArray pending_;
    QStringList captures_, reasons_;
    bool cancelled_ = false;
};

} // namespace iscsiscope::gui
