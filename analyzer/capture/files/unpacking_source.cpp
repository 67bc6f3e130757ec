// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/unpacking_source.h"

namespace iscsiscope {

UnpackingSource::UnpackingSource(std::unique_ptr<ByteSource> packed)
    : input_(std::make_unique_for_overwrite<std::byte[]>(input_size)), packed_(std::move(packed)) {}

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
