// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/startup/display_probe.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QThread>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace iscsiscope::gui {
namespace {

constexpr int longestWait = 10'000; // ms: a host that drops packets answers never

[[noreturn]] void probe(int argc, char **argv) {
    ::prctl(PR_SET_DUMPABLE, 0); // no core of a failed try
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &, const QString &) {
        if (type == QtFatalMsg)
            ::_exit(1);
    });
    std::vector<char *> arguments(argv, argv + argc + 1); // Qt takes its own out
    const QGuiApplication app(argc, arguments.data());
    ::_exit(0);
}

QString said(const char *variable) {
    return QString("%1 is %2").arg(variable, qEnvironmentVariable(variable));
}

} // namespace

std::optional<QString> displayMistake(int argc, char **argv) {
    QStringList set;
    for (const char *variable : {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"})
        if (qEnvironmentVariableIsSet(variable))
            set << said(variable);
    if (set.isEmpty())
        return "neither DISPLAY nor WAYLAND_DISPLAY is set";
    const pid_t child = ::fork();
    if (child == 0)
        probe(argc, argv);
    if (child < 0)
        return std::nullopt; // Qt will say
    QElapsedTimer clock;
    clock.start();
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (clock.elapsed() > longestWait) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            status = 1;
            break;
        }
        QThread::msleep(2);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return std::nullopt;
    return set.join(", ") + ": no window can be opened there";
}

} // namespace iscsiscope::gui
