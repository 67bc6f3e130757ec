// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/bytes/unpacking_source.h"

#include <new>
#include <zstd.h>
#include <zstd_errors.h>

namespace iscsiscope {

namespace {

class ZstdSource final : public UnpackingSource {
public:
    ZstdSource(std::unique_ptr<ByteSource> packed, const UnpackBounds &bounds)
        : UnpackingSource(std::move(packed), bounds), stream_(::ZSTD_createDStream()) {
        if (stream_ == nullptr)
            throw std::bad_alloc();
    }
    ~ZstdSource() override { ::ZSTD_freeDStream(stream_); }
    ZstdSource(const ZstdSource &) = delete;
    ZstdSource &operator=(const ZstdSource &) = delete;

private:
    std::size_t unpack(std::byte *to, std::size_t room) override;

    ZSTD_DStream *stream_;
    bool between_frames_ = false; // the last frame is complete
    bool more_output_ = false;    // the decoder may hold bytes that did not fit
};

std::size_t ZstdSource::unpack(std::byte *to, std::size_t room) {
    while (!finished_) {
        if (!have_input() && !more_output_)
            return out_of_input(between_frames_);
        ZSTD_inBuffer in{input_.get() + input_begin_, input_end_ - input_begin_, 0};
        ZSTD_outBuffer out{to, room, 0};
        unpacking_begins();
        const std::size_t result = ::ZSTD_decompressStream(stream_, &out, &in);
        unpacking_ends();
        input_begin_ += in.pos;
        if (::ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
            throw std::bad_alloc();
        if (took_too_long())
            return out.pos;
        if (::ZSTD_isError(result) != 0) {
            (void)damaged();
            return out.pos;
        }
        between_frames_ = result == 0;
        more_output_ = !between_frames_ && out.pos == out.size;
        if (out.pos != 0)
            return out.pos;
    }
    return 0;
}

} // namespace

std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed, const UnpackBounds &bounds) {
    return std::make_unique<ZstdSource>(std::move(packed), bounds);
}

} // namespace iscsiscope
