// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/bytes/unpacking_source.h"

#include <algorithm>
#include <new>
#include <zlib.h>

namespace iscsiscope {

namespace {

class GzipSource final : public UnpackingSource {
public:
    GzipSource(std::unique_ptr<ByteSource> packed, const UnpackBounds &bounds)
        : UnpackingSource(std::move(packed), bounds) {
        // 15: largest window; + 16: gzip framing only.
        if (::inflateInit2(&stream_, 15 + 16) != Z_OK)
            throw std::bad_alloc();
    }
    ~GzipSource() override { ::inflateEnd(&stream_); }
    GzipSource(const GzipSource &) = delete;
    GzipSource &operator=(const GzipSource &) = delete;

private:
    std::size_t unpack(std::byte *to, std::size_t room) override;
    bool starts_member();

    z_stream stream_{};
    bool between_members_ = false; // at least one member is complete and the next has not begun
};

// Members follow each other without a separator (RFC 1952 section 2.2). Bytes that do not begin a member
// are padding (of tapes or block devices), which the gzip program ignores too.
bool GzipSource::starts_member() {
    return input_[input_begin_] == std::byte{0x1f};
}

std::size_t GzipSource::unpack(std::byte *to, std::size_t room) {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(room, 1U << 30));
    while (!finished_) {
        if (!have_input())
            return out_of_input(between_members_);
        if (between_members_) {
            if (!starts_member() || ::inflateReset(&stream_) != Z_OK)
                return out_of_input(true);
            between_members_ = false;
        }
        stream_.next_in = reinterpret_cast<Bytef *>(input_.get() + input_begin_);
        stream_.avail_in = static_cast<uInt>(input_end_ - input_begin_);
        stream_.next_out = reinterpret_cast<Bytef *>(to);
        stream_.avail_out = wanted;
        unpacking_begins();
        const int result = ::inflate(&stream_, Z_NO_FLUSH);
        unpacking_ends();
        input_begin_ = input_end_ - stream_.avail_in;
        between_members_ = result == Z_STREAM_END;
        const std::size_t count = wanted - stream_.avail_out;
        if (result == Z_MEM_ERROR)
            throw std::bad_alloc();
        if (took_too_long())
            return count;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            // The bytes decompressed before the damage are good.
            (void)damaged();
            return count;
        }
        if (count != 0)
            return count;
    }
    return 0;
}

} // namespace

std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, const UnpackBounds &bounds) {
    return std::make_unique<GzipSource>(std::move(packed), bounds);
}

} // namespace iscsiscope
