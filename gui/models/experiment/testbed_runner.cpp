// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/experiment/testbed_runner.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTimer>

#include <csignal>
#include <sys/prctl.h>

namespace iscsiscope::gui {

TestbedRunner::TestbedRunner(QObject *parent) : QObject(parent) {
    connect(&process_, &QProcess::readyReadStandardOutput, this, &TestbedRunner::readLines);
    connect(&process_, &QProcess::finished, this, &TestbedRunner::ended);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError e) {
        if (e == QProcess::FailedToStart)
            emit finished({}, tr("%1 could not be started: %2").arg(program(), process_.errorString()));
    });
    // It ends with this program, even if that is killed.
    process_.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
}

TestbedRunner::~TestbedRunner() {
    end();
}

void TestbedRunner::end() {
    process_.disconnect(this);
    if (running()) {
        process_.terminate(); // it removes what it made
        if (!process_.waitForFinished(3000)) {
            process_.kill();
            process_.waitForFinished(1000);
        }
    }
}

QString TestbedRunner::program() {
    const QString given = qEnvironmentVariable("ISCSISCOPE_TESTBED");
    if (!given.isEmpty())
        return given;
    const QString name = "iscsiscope-testbed";
    const QString here = QCoreApplication::applicationDirPath();
    for (const QString &place : {here + "/" + name, here + "/../sample-captures/testbed/run/" + name})
        if (QFileInfo(place).isExecutable())
            return place;
    const QString found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? name : found;
}

QStringList TestbedRunner::bundledScenarios() {
    QProcess list;
    list.start(program(), {"list"});
    QStringList names;
    if (list.waitForFinished(3000))
        for (const QString &line :
             QString::fromUtf8(list.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts))
            names << line.section(' ', 0, 0, QString::SectionSkipEmpty);
    return names;
}

void TestbedRunner::run(const QString &scenario, const QString &folder) {
    if (running())
        return;
    pending_.clear();
    captures_.clear();
    reasons_.clear();
    cancelled_ = false;
    process_.setProcessChannelMode(QProcess::SeparateChannels);
    process_.start(program(), {"run", scenario, "-o", folder, "--progress", "jsonl"});
}

void TestbedRunner::cancel() {
    if (running()) {
        cancelled_ = true;
        process_.terminate();
        QTimer::singleShot(8000, &process_, [this] {
            if (cancelled_ && running())
                process_.kill();
        });
    }
}

void TestbedRunner::readLines() {
    pending_ += process_.readAllStandardOutput();
    for (qsizetype end = pending_.indexOf('\n'); end >= 0; end = pending_.indexOf('\n')) {
        const QJsonObject row = QJsonDocument::fromJson(pending_.left(end)).object();
        pending_.remove(0, end + 1);
        const QString event = row.value("event").toString();
        if (event == "phase") {
            emit phase(row.value("phase").toString());
        } else if (event == "progress") {
            RunProgress p;
            p.elapsed = row.value("elapsed_s").toDouble();
            if (row.value("share").isDouble())
                p.share = row.value("share").toDouble();
            p.megabytesPerSecond = row.value("mbytes_per_second").toDouble();
            p.drops = static_cast<quint64>(row.value("drops").toDouble());
            const QJsonObject windows = row.value("cwnd_bytes").toObject();
            for (auto w = windows.begin(); w != windows.end(); ++w)
                p.cwnd[w.key()] = w.value().toDouble();
            emit progressed(p);
        } else if (event == "end") {
            for (const auto &f : row.value("files").toArray())
                if (f.toString().endsWith(".pcapng"))
                    captures_ << f.toString();
            for (const auto &r : row.value("reasons").toArray())
                reasons_ << r.toString();
        }
    }
}

void TestbedRunner::ended() {
    readLines();
    if (cancelled_) {
        cancelled_ = false;
        emit finished({}, tr("Cancelled; nothing is kept."));
        return;
    }
    QString problem;
    if (process_.exitStatus() != QProcess::NormalExit || process_.exitCode() != 0) {
        const QString said = QString::fromUtf8(process_.readAllStandardError()).trimmed();
        problem = !reasons_.isEmpty() ? tr("The run is not valid: %1").arg(reasons_.join("; "))
                  : said.isEmpty()    ? tr("The run failed.")
                                      : said;
    }
    emit finished(captures_, problem);
}

} // namespace iscsiscope::gui
