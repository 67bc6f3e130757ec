// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/disk_writer.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>

namespace iscsiscope::testbed::shim {
namespace {

Status write_all(int fd, const std::vector<std::uint8_t> &bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t size = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return Failure{fmt::format("writing a capture: {}", std::strerror(errno))};
        done += static_cast<std::size_t>(size);
    }
    return {};
}

} // namespace

DiskWriter::DiskWriter() : thread_([this] { work(); }) {}

DiskWriter::~DiskWriter() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void DiskWriter::give(int fd, std::vector<std::uint8_t> bytes) {
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_bytes_ < max_waiting_bytes; });
        waiting_bytes_ += bytes.size();
        waiting_.push_back({fd, std::move(bytes)});
    }
    changed_.notify_all();
}

Status DiskWriter::flush() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
    return failure_;
}

bool DiskWriter::has_failed() const {
    const std::lock_guard lock(mutex_);
    return failure_.has_value();
}

void DiskWriter::work() {
    sigset_t all;
    sigfillset(&all); // signals are the main thread's
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty())
            return;
        Piece piece = std::move(waiting_.front());
        waiting_.pop_front();
        writing_ = true;
        const bool broken = failure_.has_value();
        lock.unlock();
        Status failure = broken ? Status{} : write_all(piece.fd, piece.bytes);
        lock.lock();
        writing_ = false;
        waiting_bytes_ -= piece.bytes.size();
        if (failure)
            failure_ = std::move(failure);
        changed_.notify_all();
    }
}

} // namespace iscsiscope::testbed::shim
