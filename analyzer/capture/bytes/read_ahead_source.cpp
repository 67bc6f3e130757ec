// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/bytes/read_ahead_source.h"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace iscsiscope {

ReadAheadSource::ReadAheadSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    for (Piece &piece : ring_)
        piece.bytes = std::make_unique_for_overwrite<std::byte[]>(piece_size);
    try {
        thread_ = std::thread([this] { work(); });
    } catch (const std::system_error &) {
        // read() reads on demand.
    }
}

ReadAheadSource::~ReadAheadSource() {
    if (!thread_.joinable())
        return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ReadAheadSource::work() {
    for (bool more = true; more;) {
        std::size_t place = 0;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_ || filled_ - taken_ < pieces; });
            if (stopping_)
                return;
            place = filled_ % pieces;
        }
        Piece &piece = ring_[place]; // nobody else touches it until it is filled
        try {
            piece.size = source_->read(piece.bytes.get(), piece_size);
        } catch (...) {
            piece.size = 0;
            piece.error = std::current_exception();
        }
        piece.bound = source_->bound_reached();
        piece.file_bytes = source_->file_bytes_read();
        more = !last(piece);
        {
            const std::lock_guard lock(mutex_);
            ++filled_;
        }
        changed_.notify_all();
    }
}

ReadAheadSource::Piece &ReadAheadSource::ready() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ > taken_; });
    return ring_[taken_ % pieces];
}

void ReadAheadSource::release() {
    given_ = 0;
    {
        const std::lock_guard lock(mutex_);
        ++taken_;
    }
    changed_.notify_all();
}

std::size_t ReadAheadSource::read(std::byte *to, std::size_t room) {
    if (!thread_.joinable()) {
        const std::size_t count = source_->read(to, room);
        given_bound_ = source_->bound_reached();
        given_file_bytes_ = source_->file_bytes_read();
        return count;
    }
    Piece &piece = ready();
    given_bound_ = piece.bound;
    given_file_bytes_ = piece.file_bytes;
    if (piece.error)
        std::rethrow_exception(piece.error);
    if (last(piece))
        return 0; // stays in front: the next read() finds it again
    const std::size_t count = std::min(room, piece.size - given_);
    std::memcpy(to, piece.bytes.get() + given_, count);
    given_ += count;
    if (given_ == piece.size)
        release();
    return count;
}

} // namespace iscsiscope
