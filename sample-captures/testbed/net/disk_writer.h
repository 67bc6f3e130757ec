// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/net/byte_sink.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace iscsiscope::testbed::shim {

// Writes full buffers to files on a thread of its own, so that a slow disk does not hold up packets.
// When more than `max_waiting_bytes` wait, give() blocks (and the shim's stall record shows it).
class DiskWriter {
public:
    static constexpr std::size_t max_waiting_bytes = std::size_t{256} << 20U;

    DiskWriter();
    ~DiskWriter(); // writes what waits
    DiskWriter(const DiskWriter &) = delete;
    DiskWriter &operator=(const DiskWriter &) = delete;

    // Appends `bytes` to the file `fd`, which the caller keeps open until flush().
    void give(int fd, std::vector<std::uint8_t> bytes);
    // Waits until all is written. The first error since the start (disk full), if any.
    Status flush();
    // Without waiting.
    bool has_failed() const;

private:
    struct Piece {
        int fd;
        std::vector<std::uint8_t> bytes;
    };
    void work();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Piece> waiting_;
    std::size_t waiting_bytes_ = 0;
    bool writing_ = false;
    bool ending_ = false;
    Status failure_;
    std::thread thread_; // last: starts when the rest is there
};

// A file that a DiskWriter writes. The writer outlives it; the file is complete after the writer's flush(),
// and this lives until then.
class DiskFile final : public ByteSink {
public:
    DiskFile(FileDescriptor file, DiskWriter &writer) : file_(std::move(file)), writer_(writer) {}
    bool give(std::vector<std::uint8_t> bytes) override {
        writer_.give(file_.get(), std::move(bytes));
        return true;
    }

private:
    FileDescriptor file_;
    DiskWriter &writer_;
};

} // namespace iscsiscope::testbed::shim
