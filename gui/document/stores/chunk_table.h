// SPDX-License-Identifier: GPL-2.0-or-later
// ChunkTable keeps rows in chunks that never move. One thread appends; a copy of the table is a cheap
// snapshot that other threads may read while the first goes on appending behind the copy's end.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace iscsiscope::gui {

// Chunk: a struct of arrays of Chunk::rows members each.
template <class Chunk>
class ChunkTable {
public:
    std::size_t size() const { return size_; }
    const Chunk &chunkOf(std::size_t row) const { return *chunks_[row / Chunk::rows]; }
    static std::size_t placeOf(std::size_t row) { return row % Chunk::rows; }

    // For the writer: the chunk of the row behind the last. The row becomes part of the table with added().
    Chunk &chunkToAppend() {
        if (size_ % Chunk::rows == 0)
            chunks_.push_back(std::make_shared<Chunk>());
        return *chunks_.back();
    }
    std::size_t placeToAppend() const { return size_ % Chunk::rows; }
    void added() { ++size_; }

    std::size_t memory() const { return chunks_.size() * (sizeof(Chunk) + sizeof(std::shared_ptr<Chunk>)); }

private:
    std::vector<std::shared_ptr<Chunk>> chunks_;
    std::size_t size_ = 0;
};

} // namespace iscsiscope::gui
