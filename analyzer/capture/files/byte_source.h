// SPDX-License-Identifier: GPL-2.0-or-later
// Where the bytes of a capture come from: a file, standard input, memory, or one of these unpacked.
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
        cut,     // a compressed stream that lacks its end
        damaged, // a compressed stream that contradicts itself, or a device that cannot be read
    };

    virtual ~ByteSource() = default;

    // Puts 1 to room bytes at `to` and returns how many; 0 when there are no more, for ever.
    virtual std::size_t read(std::byte *to, std::size_t room) = 0;
    virtual End end() const = 0;

    // Bytes taken from the file itself (before unpacking), and its size where it has one.
    virtual std::uint64_t file_bytes_read() const = 0;
    virtual std::optional<std::uint64_t> file_size() const = 0;
};

} // namespace iscsiscope
