// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/framing/captured_tail.h"

namespace iscsiscope {

StreamPiece CapturedTail::Fragment::piece() const {
    const auto length = static_cast<std::uint32_t>(bytes.size());
    return {.offset = offset,
            .length = length,
            .unseen = false,
            .first_seen = first_seen,
            .frame = frame,
            .captured = length,
            .bytes = bytes};
}

void CapturedTail::add(std::uint64_t offset, Time first_seen, FrameNumber frame,
                       std::span<const std::byte> bytes) {
    if (bytes.empty())
        return;
    fragments_.push_back(
        {.offset = offset, .first_seen = first_seen, .frame = frame, .bytes = {bytes.begin(), bytes.end()}});
    end_ = offset + bytes.size();
}

void CapturedTail::drop_unless_at(std::uint64_t offset) {
    if (end_ != offset)
        clear();
}

std::vector<std::byte> CapturedTail::bytes() const {
    std::vector<std::byte> out;
    for (const Fragment &f : fragments_)
        out.insert(out.end(), f.bytes.begin(), f.bytes.end());
    return out;
}

void CapturedTail::keep(const StreamPiece &piece, std::uint32_t used) {
    if (piece.bytes.size() < piece.length) { // the snap length took what follows
        clear();
        return;
    }
    add(piece.offset + used, piece.first_seen, piece.frame, piece.bytes.subspan(used));
    std::size_t total = 0;
    for (const Fragment &f : fragments_)
        total += f.bytes.size();
    std::size_t excess = total > basic_header_size - 1 ? total - (basic_header_size - 1) : 0;
    while (excess > 0 && fragments_.front().bytes.size() <= excess) {
        excess -= fragments_.front().bytes.size();
        fragments_.erase(fragments_.begin());
    }
    if (excess > 0) {
        Fragment &f = fragments_.front();
        f.bytes.erase(f.bytes.begin(), f.bytes.begin() + static_cast<std::ptrdiff_t>(excess));
        f.offset += excess;
    }
}

} // namespace iscsiscope
