// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/ended_pipe.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace iscsiscope {
namespace {

using Clock = std::chrono::steady_clock;

// The pipes of the process, and the request that all of them end.
struct Pipes {
    std::mutex mutex;
    int open = 0;
    std::optional<Clock::time_point> last_closed;
    std::atomic<bool> requested{false};
    const int event =
        ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); // becomes readable by the request; below 0: none
};

Pipes &pipes() {
    static Pipes all;
    return all;
}

} // namespace

bool end_reading_of_pipes() {
    Pipes &all = pipes();
    const std::lock_guard lock(all.mutex);
    const bool lately = all.last_closed && Clock::now() - *all.last_closed < pipe_drain_time;
    if (all.event < 0 || (all.open == 0 && !lately))
        return false;
    all.requested = true;
    const std::uint64_t one = 1;
    return ::write(all.event, &one, sizeof one) == static_cast<ssize_t>(sizeof one);
}

EndedPipe::EndedPipe(int descriptor) : descriptor_(descriptor) {
    const std::lock_guard lock(pipes().mutex);
    ++pipes().open;
}

EndedPipe::~EndedPipe() {
    const std::lock_guard lock(pipes().mutex);
    --pipes().open;
    pipes().last_closed = Clock::now();
}

bool EndedPipe::requested() {
    return pipes().requested;
}

bool EndedPipe::wait() {
    for (;;) {
        if (!deadline_ && requested())
            deadline_ = Clock::now() + pipe_drain_time;
        int timeout = -1;
        if (deadline_) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
            if (left.count() <= 0)
                return false;
            timeout = static_cast<int>(left.count());
        }
        pollfd awaited[] = {{descriptor_, POLLIN, 0}, {pipes().event, POLLIN, 0}};
        const int n = ::poll(awaited, deadline_ ? 1 : 2, timeout);
        if (n < 0 && errno != EINTR)
            return true; // read(2) reports what is wrong
        if (n > 0 && awaited[0].revents != 0)
            return true;
    }
}

} // namespace iscsiscope
