// SPDX-License-Identifier: GPL-2.0-or-later
// gzip (RFC 1952) and zstd (RFC 8878) streams, unpacked straight into the reader's buffer.
#pragma once

#include "analyzer/capture/files/byte_source.h"

#include <memory>

namespace iscsiscope {

// Both read several members or frames one after the other, as gzip and zstd themselves do.
std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed);
std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed);

// What the two share: the packed bytes and the progress through them.
class UnpackingSource : public ByteSource {
public:
    explicit UnpackingSource(std::unique_ptr<ByteSource> packed);

    End end() const override { return end_; }
    std::uint64_t file_bytes_read() const override { return packed_->file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return packed_->file_size(); }

protected:
    // Refills the packed bytes when they are used up; false when there are no more.
    bool have_input();
    // No more packed bytes: whole if the stream was between members, else cut.
    std::size_t out_of_input(bool between_members);
    std::size_t damaged();

    static constexpr std::size_t input_size = 128 * 1024;
    std::unique_ptr<std::byte[]> input_;
    std::size_t input_begin_ = 0;
    std::size_t input_end_ = 0;
    bool finished_ = false;

private:
    std::unique_ptr<ByteSource> packed_;
    End end_ = End::whole;
};

} // namespace iscsiscope
