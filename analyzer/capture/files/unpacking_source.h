// SPDX-License-Identifier: GPL-2.0-or-later
// UnpackingSource: a ByteSource that decompresses a gzip (RFC 1952) or zstd (RFC 8878) stream.
#pragma once

#include "analyzer/capture/files/byte_source.h"

#include <memory>

namespace iscsiscope {

// Both accept several members or frames in sequence, as the gzip and zstd programs do.
std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed);
std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed);

// The part common to both formats: the compressed bytes and the position in them.
class UnpackingSource : public ByteSource {
public:
    explicit UnpackingSource(std::unique_ptr<ByteSource> packed);

    End end() const override { return end_; }
    std::uint64_t file_bytes_read() const override { return packed_->file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return packed_->file_size(); }

protected:
    // Refills the compressed bytes when all are consumed; false if the packed source has ended.
    bool have_input();
    // Ends the stream where the compressed bytes end: whole between two members, else cut. Returns 0.
    std::size_t out_of_input(bool between_members);
    // Ends the stream as damaged. Returns 0.
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
