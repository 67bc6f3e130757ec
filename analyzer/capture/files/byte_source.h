// SPDX-License-Identifier: GPL-2.0-or-later
// ByteSource: the sequential bytes of a capture, read from a file, standard input or memory, or
// decompressed from another ByteSource. Reading never throws; end() tells a complete input from a
// truncated or damaged one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class ByteSource {
public:
    // Why read() returned 0.
    enum class End : std::uint8_t {
        whole,   // the last byte has been read
        cut,     // the compressed stream is truncated
        damaged, // the compressed stream is corrupt, or the file cannot be read (I/O error)
    };

    virtual ~ByteSource() = default;

    // Stores 1 to `room` bytes at `to` and returns their number. Returns 0 at the end, and at every
    // later call.
    virtual std::size_t read(std::byte *to, std::size_t room) = 0;
    // Valid once read() has returned 0.
    virtual End end() const = 0;

    // Bytes read from the file itself, before decompression, and its size; the size is empty for a
    // pipe or device.
    virtual std::uint64_t file_bytes_read() const = 0;
    virtual std::optional<std::uint64_t> file_size() const = 0;
};

} // namespace iscsiscope
