// SPDX-License-Identifier: GPL-2.0-or-later
// ByteSource: the bytes of a capture in sequence, read from a file, standard input or memory, or
// decompressed from another ByteSource. Reading throws std::bad_alloc only; end() reports truncation and
// damage.
#pragma once

#include "analyzer/capture/bytes/unpack_bounds.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace iscsiscope {

class ByteSource {
public:
    // Why read() returned 0.
    enum class End : std::uint8_t {
        whole,   // the last byte has been read
        cut,     // the compressed stream is truncated, or its unpacking was ended by a bound
        ended,   // standard input or another pipe, whose reading was ended on request: nothing is missing
        damaged, // the compressed stream is corrupt, or the file cannot be read (I/O error)
    };

    virtual ~ByteSource() = default;

    // Stores 1 to `room` bytes at `to` and returns their number; at the end, and from then on, 0.
    virtual std::size_t read(std::byte *to, std::size_t room) = 0;
    // Valid once read() has returned 0.
    virtual End end() const = 0;

    // The bound that ended the unpacking; none for a source that unpacks nothing.
    virtual UnpackBound bound_reached() const { return UnpackBound::none; }

    // Bytes read from the file, before decompression, and its size; empty for a pipe or device.
    virtual std::uint64_t file_bytes_read() const = 0;
    virtual std::optional<std::uint64_t> file_size() const = 0;
};

} // namespace iscsiscope
