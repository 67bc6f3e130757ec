// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/bytes/unpacking_source.h"

namespace iscsiscope {

UnpackingSource::UnpackingSource(std::unique_ptr<ByteSource> packed, const UnpackBounds &bounds)
    : input_(std::make_unique_for_overwrite<std::byte[]>(input_size)), packed_(std::move(packed)),
      bounds_(bounds) {}

std::size_t UnpackingSource::read(std::byte *to, std::size_t room) {
    const std::size_t count = unpack(to, room);
    unpacked_ += count;
    const std::uint64_t consumed = packed_->file_bytes_read() - (input_end_ - input_begin_);
    if (unpacked_ > bounds_.free_bytes &&
        static_cast<double>(unpacked_) > bounds_.ratio * static_cast<double>(consumed))
        return stop(UnpackBound::ratio);
    return count;
}

bool UnpackingSource::took_too_long() {
    if (spent_ > bounds_.time)
        (void)stop(UnpackBound::time);
    return bound_reached_ != UnpackBound::none;
}

std::size_t UnpackingSource::stop(UnpackBound bound) {
    if (bound_reached_ == UnpackBound::none)
        bound_reached_ = bound;
    finished_ = true;
    end_ = End::cut;
    return 0;
}

bool UnpackingSource::have_input() {
    if (input_begin_ == input_end_) {
        input_begin_ = 0;
        input_end_ = packed_->read(input_.get(), input_size);
    }
    return input_end_ != 0;
}

std::size_t UnpackingSource::out_of_input(bool between_members) {
    finished_ = true;
    end_ = packed_->end() != End::whole ? packed_->end() : between_members ? End::whole : End::cut;
    return 0;
}

std::size_t UnpackingSource::damaged() {
    finished_ = true;
    end_ = End::damaged;
    return 0;
}

} // namespace iscsiscope
