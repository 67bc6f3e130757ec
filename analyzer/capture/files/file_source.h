// SPDX-License-Identifier: GPL-2.0-or-later
// FileSource: the bytes of a file or of standard input. It uses read(2), not mmap(2), because mapped
// pages would count as resident memory of the program, which would then grow with the file.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/capture/bytes/byte_source.h"
#include "analyzer/capture/ended_pipe.h"

#include <memory>
#include <string>

namespace iscsiscope {

class FileSource final : public ByteSource {
public:
    // Opens `path`; "-" is standard input. What is neither a regular file nor a terminal can be ended by
    // end_reading_of_pipes(). A failure says why in a sentence that begins with the path.
    static Result<std::unique_ptr<FileSource>> open(const std::string &path);
    ~FileSource() override;
    FileSource(const FileSource &) = delete;
    FileSource &operator=(const FileSource &) = delete;

    std::size_t read(std::byte *to, std::size_t room) override;
    End end() const override;
    std::uint64_t file_bytes_read() const override { return read_; }
    std::optional<std::uint64_t> file_size() const override { return size_; }

private:
    explicit FileSource(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
    bool failed_ = false;
    std::uint64_t read_ = 0;
    std::optional<std::uint64_t> size_;
    std::optional<EndedPipe> pipe_;
};

} // namespace iscsiscope
