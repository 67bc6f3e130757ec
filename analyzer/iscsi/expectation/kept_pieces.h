// SPDX-License-Identifier: GPL-2.0-or-later
// KeptPieces: the pieces that an open bridge was fed, with the bytes that the file has of them, for the
// search that follows if the bridge is refuted. Pieces go in in the order of the stream and come out in that
// order. The bytes of all pieces lie in one buffer, so that keeping a piece takes no memory of its own.
#pragma once

#include "analyzer/iscsi/pdu/pdu_framer.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace iscsiscope {

class KeptPieces {
public:
    struct Kept {
        StreamPiece piece;      // with its bytes, which are valid until the next call that is not const
        std::uint32_t used = 0; // bytes of the piece that had been read before the bridge got it
        Reached reached;
    };

    void keep(const StreamPiece &piece, std::uint32_t used, const Reached &reached) {
        if (pieces_.empty())
            clear_bytes();
        pieces_.push_back({piece, used, reached});
        pieces_.back().piece.bytes = {};
        bytes_.insert(bytes_.end(), piece.bytes.begin(), piece.bytes.end());
        sizes_.push_back(static_cast<std::uint32_t>(piece.bytes.size()));
    }

    // Drops the pieces that end at or before an offset of the stream.
    void drop_before(std::uint64_t offset) {
        while (!pieces_.empty() && pieces_.front().piece.offset + pieces_.front().piece.length <= offset) {
            begin_ += sizes_.front();
            pieces_.pop_front();
            sizes_.pop_front();
        }
        if (begin_ > bytes_.size() / 2) {
            bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
            begin_ = 0;
        }
    }

    std::size_t count() const { return pieces_.size(); }
    std::size_t byte_count() const { return bytes_.size() - begin_; }

    // Calls with each Kept, the earliest first.
    template <class Call>
    void for_each(Call call) const {
        std::size_t at = begin_;
        for (std::size_t i = 0; i < pieces_.size(); at += sizes_[i++]) {
            Kept kept = pieces_[i];
            kept.piece.bytes = std::span<const std::byte>(bytes_).subspan(at, sizes_[i]);
            call(kept);
        }
    }

private:
    void clear_bytes() {
        bytes_.clear();
        begin_ = 0;
    }

    std::deque<Kept> pieces_; // their bytes are in bytes_
    std::deque<std::uint32_t> sizes_;
    std::vector<std::byte> bytes_;
    std::size_t begin_ = 0; // of the first piece's bytes in bytes_
};

} // namespace iscsiscope
