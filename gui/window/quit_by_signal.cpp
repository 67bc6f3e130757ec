// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/quit_by_signal.h"

#include <QApplication>
#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace iscsiscope::gui {
namespace {

constexpr std::array handled{SIGINT, SIGTERM, SIGHUP};
std::array<int, 2> ends{-1, -1}; // of a pipe: a signal handler may only write

void onSignal(int signal) {
    const auto number = static_cast<char>(signal);
    [[maybe_unused]] const auto n = ::write(ends[1], &number, 1);
}

} // namespace

QuitBySignal::QuitBySignal() {
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return; // signals keep their default action
    notifier_ = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
    connect(notifier_, &QSocketNotifier::activated, this, &QuitBySignal::came);
    for (const int s : handled) {
        struct sigaction action {};
        if (::sigaction(s, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            action = {};
            action.sa_handler = onSignal;
            action.sa_flags = SA_RESTART;
            ::sigaction(s, &action, nullptr);
        }
    }
}

QuitBySignal::~QuitBySignal() {
    for (const int s : handled)
        std::signal(s, SIG_DFL);
    for (int &end : ends)
        if (end >= 0)
            ::close(std::exchange(end, -1));
}

void QuitBySignal::came() {
    char number = 0;
    if (::read(ends[0], &number, 1) != 1)
        return;
    signal_ = number;
    // A second one does not wait for what is being tidied up.
    for (const int s : handled)
        std::signal(s, SIG_DFL);
    QApplication::exit(128 + signal_);
}

void QuitBySignal::endBySignal() {
    if (signal_ != 0)
        std::raise(signal_); // its default action by now
}

} // namespace iscsiscope::gui
