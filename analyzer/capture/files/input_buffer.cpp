// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/input_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace iscsiscope {

namespace {
// Large enough that the cost of system calls is negligible, small enough that the bytes which read() has
// copied are still in the second-level cache when they are decoded.
constexpr std::size_t initial_capacity = 256 * 1024;
} // namespace

InputBuffer::InputBuffer(std::unique_ptr<ByteSource> source)
    : capacity_(initial_capacity), memory_(std::make_shared_for_overwrite<std::byte[]>(initial_capacity)),
      source_(std::move(source)) {
    next_ = end_ = memory_.get();
}

// Returns memory of the present capacity that nobody holds.
std::shared_ptr<std::byte[]> InputBuffer::unheld_memory() {
    for (std::shared_ptr<std::byte[]> &m : earlier_) {
        if (m.use_count() == 1) {
            std::swap(m, earlier_.back());
            std::shared_ptr<std::byte[]> found = std::move(earlier_.back());
            earlier_.pop_back();
            return found;
        }
    }
    return std::make_shared_for_overwrite<std::byte[]>(capacity_);
}

// Moves the unread bytes to the front: of a buffer of twice the size if they fill more than half of this one,
// of another one if this one is held. Thus every move frees room for at least as many bytes as it copies,
// whatever lengths are requested.
void InputBuffer::make_room() {
    const std::size_t kept = available();
    if (kept > capacity_ / 2) {
        auto larger = std::make_shared_for_overwrite<std::byte[]>(2 * capacity_);
        std::memcpy(larger.get(), next_, kept);
        memory_ = std::move(larger);
        capacity_ *= 2;
        earlier_.clear();
    } else if (memory_.use_count() > 1) {
        std::shared_ptr<std::byte[]> unheld = unheld_memory();
        if (kept != 0)
            std::memcpy(unheld.get(), next_, kept);
        earlier_.push_back(std::move(memory_));
        memory_ = std::move(unheld);
    } else if (kept != 0) {
        std::memmove(memory_.get(), next_, kept);
    }
    next_ = memory_.get();
    end_ = next_ + kept;
}

const std::byte *InputBuffer::fill(std::size_t count) {
    while (available() < count) {
        if (end_ == memory_.get() + capacity_ || next_ == end_)
            make_room();
        const std::size_t room = static_cast<std::size_t>(memory_.get() + capacity_ - end_);
        const std::size_t got = source_->read(end_, room);
        if (got == 0)
            return nullptr;
        end_ += got;
    }
    return next_;
}

bool InputBuffer::skip(std::uint64_t count) {
    for (;;) {
        const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, available()));
        consume(now);
        count -= now;
        if (count == 0)
            return true;
        if (need(1) == nullptr)
            return false;
    }
}

} // namespace iscsiscope
