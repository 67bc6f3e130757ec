// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/end_by_signal.h"

#include "analyzer/cli/program.h"

#include <csignal>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

// Those that end the program, and SIGUSR2: our own, to the waiting thread, when the program is over.
sigset_t awaited_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        // nohup and background jobs of a shell have told us to ignore them.
        if (sigaction(s, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaddset(&set, s);
        }
    }
    return set;
}

} // namespace

EndBySignal::EndBySignal(UnfinishedFiles &unfinished) : unfinished_(unfinished) {
    // Before the thread is there, which inherits it: none of them may come too early.
    const sigset_t set = awaited_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::thread([this] { wait(); });
}

EndBySignal::~EndBySignal() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
}

void EndBySignal::wait() {
    const sigset_t set = awaited_signals();
    int signal = 0;
    while (sigwait(&set, &signal) != 0 || signal == SIGUSR2) {
        if (over_) {
            return;
        }
    }
    unfinished_.remove_all();
    if (is_terminal(STDERR_FILENO)) {
        [[maybe_unused]] const auto n = ::write(STDERR_FILENO, "\n", 1); // leave the progress line
    }
    std::signal(signal, SIG_DFL);
    // This one only: the main thread may be at its end too, and its SIGUSR2 must not be what we die of.
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, signal);
    pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
    std::raise(signal);
}

} // namespace iscsiscope::cli
