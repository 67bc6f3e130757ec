// SPDX-License-Identifier: GPL-2.0-or-later
// The signals that a run takes one at a time, where it waits for them.
#pragma once

#include <csignal>
#include <initializer_list>

namespace iscsiscope::testbed::run {

inline sigset_t signal_set(std::initializer_list<int> numbers) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : numbers)
        sigaddset(&set, number);
    return set;
}

// Those that end a run, and the end of a child.
inline sigset_t run_signals() {
    return signal_set({SIGINT, SIGTERM, SIGHUP, SIGCHLD});
}

} // namespace iscsiscope::testbed::run
