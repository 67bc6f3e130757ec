// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/net/byte_sink.h"

#include <deque>
#include <mutex>
#include <thread>

namespace iscsiscope::testbed::shim {

// Writes a capture to a pipe on a thread of its own while the run goes on. The run never waits for the
// reader: when `max_waiting_bytes` would be exceeded, what is given is left out. States: open, then ended:
// the reader has closed the pipe, or a write failed; nothing is written any more.
class StreamWriter final : public ByteSink {
public:
    static constexpr std::size_t max_waiting_bytes = std::size_t{64} << 20U;

    // `stream` is in non-blocking mode if it is a pipe.
    explicit StreamWriter(FileDescriptor stream);
    ~StreamWriter() override; // at once: bytes that still wait are lost
    StreamWriter(const StreamWriter &) = delete;
    StreamWriter &operator=(const StreamWriter &) = delete;

    bool give(std::vector<std::uint8_t> bytes) override;
    // Can be read from once the stream has ended.
    int ended_fd() const { return ended_event_.get(); }
    // True if nothing waits, or the stream has ended.
    bool done() const;
    // Of a write, other than that the reader has gone.
    Status failure() const;

private:
    void work();
    bool write_some();
    void end(Status failure);

    FileDescriptor stream_;
    FileDescriptor wake_event_; // for the thread: bytes to write, or time to leave
    FileDescriptor ended_event_;
    mutable std::mutex mutex_; // of all below but the thread
    std::deque<std::vector<std::uint8_t>> waiting_;
    std::size_t written_of_first_ = 0;
    std::size_t waiting_bytes_ = 0;
    bool leaving_ = false;
    bool ended_ = false;
    Status failure_;
    std::thread thread_; // last: starts when the rest is there
};

} // namespace iscsiscope::testbed::shim
