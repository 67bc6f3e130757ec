// SPDX-License-Identifier: GPL-2.0-or-later
// InputBuffer: the only buffer between a ByteSource and a capture file reader. Records are handed out as
// pointers into the buffer and are not copied.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"

#include <memory>
#include <span>

namespace iscsiscope {

class InputBuffer {
public:
    explicit InputBuffer(std::unique_ptr<ByteSource> source);

    // Returns the next `count` bytes, valid until the next call of need() or skip(); nullptr if the
    // source ends before. Memory grows with the bytes that were read, never with the count requested.
    const std::byte *need(std::size_t count) {
        if (available() >= count) [[likely]]
            return next_;
        return fill(count);
    }
    // Advances past bytes that need() has returned.
    void consume(std::size_t count) { next_ += count; }
    // Advances past any number of bytes; false if the source ends before.
    bool skip(std::uint64_t count);
    // Bytes in the buffer that are not yet consumed.
    std::size_t available() const { return static_cast<std::size_t>(end_ - next_); }
    std::span<const std::byte> rest() const { return {next_, available()}; }

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
