// SPDX-License-Identifier: GPL-2.0-or-later
// The outermost boundary of a program: it states in a sentence what ended the run, without allocating memory.
#pragma once

#include <exception>

namespace iscsiscope {

// Writes "PROGRAM: MESSAGE" to standard error without allocating memory; control characters become "?".
void last_words(const char *program, const char *message) noexcept;

// For a catch block: what the exception in flight says; valid until the end of the block.
const char *reason_of_exception() noexcept;

// Takes the stack that a run needs at once. Where memory has run out it could not grow, and the exception
// that says so would end the program by a signal while it unwinds. Returns false if the stack may not become
// so large (RLIMIT_STACK, which also bounds those of threads).
bool take_stack() noexcept;

// Returns what run() returns. If an exception leaves it, its objects have been destroyed (files under
// temporary names are removed); then writes why and returns `failed`.
template <class Run>
int guarded(const char *program, int failed, const Run &run) {
    if (!take_stack()) {
        last_words(program, "the stack may not grow to the 512 KiB that are needed (ulimit -s)");
        return failed;
    }
    try {
        return run();
    } catch (...) {
        last_words(program, reason_of_exception());
        return failed;
    }
}

} // namespace iscsiscope
