// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into a program of others: on SIGUSR1, while it waits for input, it writes to the file descriptor
// named by ISCSISCOPE_HEAP_FD how many bytes of its heap are in use, as a line. Resident memory also counts
// the holes that glibc keeps between what is in use.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <unistd.h>

namespace {

int answers = -1;

void answer(int /*signal*/) {
    const struct mallinfo2 heap = mallinfo2();
    char line[32];
    const int length = std::snprintf(line, sizeof line, "%zu\n", heap.uordblks + heap.hblkhd);
    if (write(answers, line, static_cast<std::size_t>(length)) != length)
        std::abort();
}

__attribute__((constructor)) void begin() {
    const char *fd = std::getenv("ISCSISCOPE_HEAP_FD");
    if (fd == nullptr)
        return;
    answers = std::atoi(fd);
    struct sigaction action {};
    action.sa_handler = answer;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
}

} // namespace
