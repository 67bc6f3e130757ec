// SPDX-License-Identifier: GPL-2.0-or-later
// MemorySource: the bytes of a capture file in memory, for tests, fuzzing and callers that hold one.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace iscsiscope {

class MemorySource final : public ByteSource {
public:
    // The bytes must outlive the source. Each read() returns at most `chunk` bytes (> 0), as a pipe may.
    explicit MemorySource(std::span<const std::byte> bytes, std::size_t chunk = SIZE_MAX)
        : bytes_(bytes), chunk_(chunk) {}

    std::size_t read(std::byte *to, std::size_t room) override {
        const std::size_t count = std::min({room, chunk_, bytes_.size() - position_});
        if (count != 0)
            std::memcpy(to, bytes_.data() + position_, count);
        position_ += count;
        return count;
    }
    End end() const override { return End::whole; }
    std::uint64_t file_bytes_read() const override { return position_; }
    std::optional<std::uint64_t> file_size() const override { return bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
    std::size_t chunk_;
    std::size_t position_ = 0;
};

} // namespace iscsiscope
