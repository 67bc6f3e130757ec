// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/end_by_signal.h"

#include "analyzer/base/process/guarded.h"
#include "analyzer/capture/ended_pipe.h"
#include "analyzer/cli/program.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <optional>
#include <unistd.h>

namespace iscsiscope::cli {
namespace {

// The signals that end the program from outside (signal(7)), and SIGUSR2, by which the destructor wakes the
// waiting thread. Not those of its own mistakes, nor SIGPIPE and SIGXFSZ, which are ignored.
sigset_t awaited_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGXCPU,
                        SIGPOLL, SIGPWR, SIGSTKFLT}) {
        struct sigaction now {};
        // A signal that is ignored at the start (nohup, background jobs) stays ignored.
        if (sigaction(s, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, s);
    }
    return set;
}

// Within this time a second SIGINT is the same request: some senders signal a process and then its group.
constexpr std::chrono::milliseconds one_request{100};

// What std::terminate finds: a terminate handler has no argument.
std::atomic<UnfinishedFiles *> unfinished_at_end = nullptr;

[[noreturn]] void end_without_exception() {
    if (UnfinishedFiles *unfinished = unfinished_at_end)
        unfinished->remove_all();
    if (std::current_exception()) // one that cannot leave the function that it is in
        last_words("iscsiscope", reason_of_exception());
    else if (std::uncaught_exceptions() >
             0) // a value that one left half made: only too little memory does so
        last_words("iscsiscope", "there is not enough memory");
    else
        std::abort();
    ::_exit(exit_error);
}

} // namespace

EndBySignal::EndBySignal(UnfinishedFiles &unfinished) : unfinished_(unfinished) {
    unfinished_at_end = &unfinished_;
    std::set_terminate(end_without_exception);
    // Blocked before the thread starts, which inherits the mask: no signal may take its default action.
    const sigset_t set = awaited_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::thread([this] { wait(); });
}

EndBySignal::~EndBySignal() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
    unfinished_at_end = nullptr;
}

void EndBySignal::wait() {
    const sigset_t set = awaited_signals();
    int signal = 0;
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> pipes_ended;
    for (bool ends = false; !ends;) {
        if (sigwait(&set, &signal) != 0 || signal == SIGUSR2) {
            if (over_)
                return;
        } else if (signal != SIGINT) {
            ends = true;
        } else if (!pipes_ended) {
            if (end_reading_of_pipes())
                pipes_ended = Clock::now();
            ends = !pipes_ended;
        } else {
            ends = Clock::now() - *pipes_ended >= one_request;
        }
    }
    unfinished_.remove_all();
    if (is_terminal(STDERR_FILENO)) [[maybe_unused]]
        const auto n = ::write(STDERR_FILENO, "\n", 1); // ends the progress line
    std::signal(signal, SIG_DFL);
    // Only this signal is unblocked: the destructor may send SIGUSR2 meanwhile, which must not end the
    // program.
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, signal);
    pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
    std::raise(signal);
}

} // namespace iscsiscope::cli
