// SPDX-License-Identifier: GPL-2.0-or-later
// CapturedTail: the last captured bytes of a stream, which may begin a header that the next piece completes.
// In: each piece that has been searched. Out: at most 47 bytes, in the pieces in which they came.
#pragma once

#include "analyzer/iscsi/pdu/pdu_framer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iscsiscope {

class CapturedTail {
public:
    // Puts bytes of a piece that came in a frame behind those that are there.
    void add(std::uint64_t offset, Time first_seen, FrameNumber frame, std::span<const std::byte>);
    // Keeps the last bytes, of the piece from `used` on and of those before it.
    void keep(const StreamPiece &, std::uint32_t used);
    void clear() { fragments_.clear(); }
    // Drops what does not end at this offset of the stream.
    void drop_unless_at(std::uint64_t offset);
    std::vector<std::byte> bytes() const;
    // Calls with a piece for each part that ends behind an offset, in order. Its bytes are valid until the
    // next call that is not const.
    template <class Call>
    void for_each_behind(std::uint64_t offset, Call call) const {
        for (const Fragment &f : fragments_)
            if (f.offset + f.bytes.size() > offset)
                call(f.piece());
    }

private:
    struct Fragment {
        std::uint64_t offset = 0;
        Time first_seen{};
        FrameNumber frame = 0;
        std::vector<std::byte> bytes;

        StreamPiece piece() const;
    };

    std::vector<Fragment> fragments_; // contiguous, in order
    std::uint64_t end_ = 0;           // of the last one
};

} // namespace iscsiscope
