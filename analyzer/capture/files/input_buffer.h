// SPDX-License-Identifier: GPL-2.0-or-later
// InputBuffer: the only buffer between a ByteSource and a capture file reader. Records are handed out as
// pointers into the buffer and are not copied. Memory that is held (hold) is left as it is; the bytes that
// follow go to other memory, which is used again once nobody holds it.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"
#include "analyzer/capture/frame.h"

#include <memory>
#include <span>
#include <vector>

namespace iscsiscope {

class InputBuffer {
public:
    explicit InputBuffer(std::unique_ptr<ByteSource> source);

    // Returns the next `count` bytes, valid until the next call of need() or skip() or while they are held;
    // nullptr if the source ends before. Memory grows with the bytes that were read, never with the count
    // requested.
    const std::byte *need(std::size_t count) {
        if (available() >= count) [[likely]]
            return next_;
        return fill(count);
    }
    // Advances past bytes that need() has returned.
    void consume(std::size_t count) { next_ += count; }
    // Advances past any number of bytes; false if the source ends before.
    bool skip(std::uint64_t count);
    // Returns a hold on what need() returned last.
    FrameHold hold() const { return {memory_, capacity_}; }
    // Bytes in the buffer that are not yet consumed.
    std::size_t available() const { return static_cast<std::size_t>(end_ - next_); }
    std::span<const std::byte> rest() const { return {next_, available()}; }

    const ByteSource &source() const { return *source_; }

private:
    const std::byte *fill(std::size_t count);
    void make_room();
    std::shared_ptr<std::byte[]> unheld_memory();

    std::byte *next_;
    std::byte *end_;
    std::size_t capacity_;
    std::shared_ptr<std::byte[]> memory_;
    std::vector<std::shared_ptr<std::byte[]>> earlier_; // of the same capacity; held when it was left
    std::unique_ptr<ByteSource> source_;
};

} // namespace iscsiscope
