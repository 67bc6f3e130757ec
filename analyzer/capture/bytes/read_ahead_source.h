// SPDX-License-Identifier: GPL-2.0-or-later
// ReadAheadSource: reads another ByteSource in a thread of its own, at most 1 MiB ahead of who asks. It gives
// the bytes, end, bound and exception that the source gives when it is read in pieces of 256 KiB; where no
// thread can be made it reads on demand.
#pragma once

#include "analyzer/capture/bytes/byte_source.h"

#include <array>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace iscsiscope {

class ReadAheadSource final : public ByteSource {
public:
    // The source must not wait for anything but a file: the destructor waits for its read() to return.
    explicit ReadAheadSource(std::unique_ptr<ByteSource> source);
    ~ReadAheadSource() override;
    ReadAheadSource(const ReadAheadSource &) = delete;
    ReadAheadSource &operator=(const ReadAheadSource &) = delete;

    std::size_t read(std::byte *to, std::size_t room) override;
    End end() const override { return source_->end(); }
    // As of the bytes given so far.
    UnpackBound bound_reached() const override { return given_bound_; }
    std::uint64_t file_bytes_read() const override { return given_file_bytes_; }
    std::optional<std::uint64_t> file_size() const override { return source_->file_size(); }

private:
    static constexpr std::size_t piece_size = 256 * 1024;
    static constexpr std::size_t pieces = 4;

    // What one read() of the source gave, and how the source stood after it.
    struct Piece {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0; // 0: the source has ended
        UnpackBound bound = UnpackBound::none;
        std::uint64_t file_bytes = 0;
        std::exception_ptr error;
    };

    void work();
    bool last(const Piece &piece) const { return piece.size == 0; }
    // The piece to give from; waits for it.
    Piece &ready();
    void release();

    std::unique_ptr<ByteSource> source_;
    std::array<Piece, pieces> ring_;
    std::size_t given_ = 0; // bytes of the piece in front
    UnpackBound given_bound_ = UnpackBound::none;
    std::uint64_t given_file_bytes_ = 0;

    std::mutex mutex_; // of what follows
    std::condition_variable changed_;
    std::size_t filled_ = 0, taken_ = 0; // pieces so far; their difference is at most `pieces`
    bool stopping_ = false;

    std::thread thread_; // not joinable: none could be made
};

} // namespace iscsiscope
