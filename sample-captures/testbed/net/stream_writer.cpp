// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/stream_writer.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace iscsiscope::testbed::shim {
namespace {

void raise_event(const FileDescriptor &event) {
    const std::uint64_t one = 1;
    (void)!::write(event.get(), &one, sizeof one);
}

} // namespace

StreamWriter::StreamWriter(FileDescriptor stream)
    : stream_(std::move(stream)), wake_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      ended_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { work(); }) {}

StreamWriter::~StreamWriter() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    raise_event(wake_event_);
    thread_.join();
}

bool StreamWriter::give(std::vector<std::uint8_t> bytes) {
    bytes.shrink_to_fit(); // many small pieces may wait
    {
        const std::lock_guard lock(mutex_);
        if (ended_ || waiting_bytes_ + bytes.size() > max_waiting_bytes)
            return false;
        waiting_bytes_ += bytes.size();
        waiting_.push_back(std::move(bytes));
    }
    raise_event(wake_event_);
    return true;
}

bool StreamWriter::done() const {
    const std::lock_guard lock(mutex_);
    return ended_ || waiting_.empty();
}

Status StreamWriter::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void StreamWriter::end(Status failure) {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        failure_ = std::move(failure);
        waiting_.clear();
    }
    raise_event(ended_event_);
}

// Writes from the first piece that waits. Only this thread takes pieces out, so the piece stays where it is
// while the mutex is open. False: the stream has ended.
bool StreamWriter::write_some() {
    std::unique_lock lock(mutex_);
    const std::vector<std::uint8_t> &first = waiting_.front();
    lock.unlock();
    const ssize_t size =
        ::write(stream_.get(), first.data() + written_of_first_, first.size() - written_of_first_);
    if (size < 0) {
        if (errno == EINTR || errno == EAGAIN)
            return true;
        end(errno == EPIPE ? Status{}
                           : Failure{fmt::format("writing the capture: {}", std::strerror(errno))});
        return false;
    }
    written_of_first_ += static_cast<std::size_t>(size);
    if (written_of_first_ == first.size()) {
        lock.lock();
        waiting_bytes_ -= first.size();
        waiting_.pop_front();
        written_of_first_ = 0;
    }
    return true;
}

void StreamWriter::work() {
    sigset_t all;
    sigfillset(&all); // signals are the main thread's; a reader that has gone is EPIPE
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (true) {
        bool waits = false;
        {
            const std::lock_guard lock(mutex_);
            if (leaving_)
                return;
            waits = !waiting_.empty();
        }
        // Without events POLLERR is reported nevertheless: the reader has closed the pipe.
        std::array<pollfd, 2> files = {pollfd{stream_.get(), static_cast<short>(waits ? POLLOUT : 0), 0},
                                       pollfd{wake_event_.get(), POLLIN, 0}};
        if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR)
            return end(Failure{fmt::format("waiting for the reader: {}", std::strerror(errno))});
        if (files[1].revents != 0) {
            std::uint64_t count = 0;
            (void)!::read(wake_event_.get(), &count, sizeof count);
        }
        if ((files[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
            return end({});
        if ((files[0].revents & POLLOUT) != 0 && !write_some())
            return;
    }
}

} // namespace iscsiscope::testbed::shim
