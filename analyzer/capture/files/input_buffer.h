// SPDX-License-Identifier: GPL-2.0-or-later
// The one buffer of a reader: records are handed out as pointers into it, never copied.
#pragma once

#include "analyzer/capture/files/byte_source.h"

#include <memory>

namespace iscsiscope {

class InputBuffer {
public:
    explicit InputBuffer(std::unique_ptr<ByteSource> source);

    // The next `count` bytes, valid until the next call of need() or skip(); nullptr if the source
    // ends before. Memory grows with bytes that are there, never with the count asked for.
    const std::byte *need(std::size_t count) {
        if (available() >= count) [[likely]] {
            return next_;
        }
        return fill(count);
    }
    // Moves past bytes that need() has shown.
    void consume(std::size_t count) { next_ += count; }
    // Moves past bytes whether shown or not; false if the source ends before.
    bool skip(std::uint64_t count);
    std::size_t available() const { return static_cast<std::size_t>(end_ - next_); }

    const ByteSource &source() const { return *source_; }

private:
    const std::byte *fill(std::size_t count);
    void make_room();

    std::byte *next_;
    std::byte *end_;
    std::size_t capacity_;
    std::unique_ptr<std::byte[]> memory_;
    std::unique_ptr<ByteSource> source_;
};

} // namespace iscsiscope
