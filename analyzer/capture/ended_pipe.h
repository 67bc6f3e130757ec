// SPDX-License-Identifier: GPL-2.0-or-later
// Ends the reading of pipes on request, so that Ctrl-C in `tcpdump -w - | iscsiscope report -` ends the
// capture and not the report of it.
#pragma once

#include <chrono>
#include <optional>

namespace iscsiscope {

// How long after the request a pipe is still read: its writer, which got the same signal, writes what it
// holds.
inline constexpr std::chrono::milliseconds pipe_drain_time{1000};

// Requests that all pipes which captures are read from, standard input among them, end. Each is read to its
// end, but for no longer than pipe_drain_time. Returns false, without effect, if no pipe is being read and
// none has been in the last pipe_drain_time, within which the writer may have ended it because of the same
// signal. Thread-safe, but not for signal handlers.
bool end_reading_of_pipes();

// A pipe that is being read, as long as the object lives.
class EndedPipe {
public:
    // descriptor: a pipe, socket or device. It stays the caller's.
    explicit EndedPipe(int descriptor);
    ~EndedPipe();
    EndedPipe(const EndedPipe &) = delete;
    EndedPipe &operator=(const EndedPipe &) = delete;

    // Waits until read(2) does not block. Returns false if the pipe is to be read no longer.
    bool wait();
    // True if the end was requested.
    static bool requested();

private:
    int descriptor_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
};

} // namespace iscsiscope
