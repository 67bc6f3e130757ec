// SPDX-License-Identifier: GPL-2.0-or-later
// UnpackingSource: a ByteSource that decompresses a gzip (RFC 1952) or zstd (RFC 8878) stream.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"

#include <chrono>
#include <memory>

namespace iscsiscope {

// Both accept several members or frames in sequence, as the gzip and zstd programs do.
// A stream that exceeds a bound ends there, as if it were cut. read() throws std::bad_alloc if there is not
// enough memory to unpack.
std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, const UnpackBounds &);
std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed, const UnpackBounds &);

// The part common to both formats: the compressed bytes and the position in them.
class UnpackingSource : public ByteSource {
public:
    UnpackingSource(std::unique_ptr<ByteSource> packed, const UnpackBounds &);

    std::size_t read(std::byte *to, std::size_t room) final;
    UnpackBound bound_reached() const override { return bound_reached_; }
    End end() const override { return end_; }
    std::uint64_t file_bytes_read() const override { return packed_->file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return packed_->file_size(); }

protected:
    // As ByteSource::read, without regard to the bounds.
    virtual std::size_t unpack(std::byte *to, std::size_t room) = 0;
    // To be called around each call of the library that unpacks.
    void unpacking_begins() { begun_ = Clock::now(); }
    void unpacking_ends() { spent_ += Clock::now() - begun_; }
    // True, and the stream has ended as cut, if it has taken too long: also before it gives a byte.
    bool took_too_long();
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
    using Clock = std::chrono::steady_clock;

    std::size_t stop(UnpackBound);

    std::unique_ptr<ByteSource> packed_;
    UnpackBounds bounds_;
    UnpackBound bound_reached_ = UnpackBound::none;
    std::uint64_t unpacked_ = 0; // bytes given so far
    Clock::time_point begun_;
    Clock::duration spent_{};
    End end_ = End::whole;
};

} // namespace iscsiscope
