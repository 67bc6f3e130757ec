// SPDX-License-Identifier: GPL-2.0-or-later
// A file or standard input, read with plain read(): pages stay the kernel's, so that the program's
// resident memory does not grow with the file as it would under mmap.
#pragma once

#include "analyzer/capture/files/byte_source.h"

#include <memory>
#include <string>

namespace iscsiscope {

class FileSource final : public ByteSource {
public:
    // path "-" is standard input. Throws OpenError.
    explicit FileSource(const std::string &path);
    ~FileSource() override;
    FileSource(const FileSource &) = delete;
    FileSource &operator=(const FileSource &) = delete;

    std::size_t read(std::byte *to, std::size_t room) override;
    End end() const override { return failed_ ? End::damaged : End::whole; }
    std::uint64_t file_bytes_read() const override { return read_; }
    std::optional<std::uint64_t> file_size() const override { return size_; }

private:
    int descriptor_ = -1;
    bool failed_ = false;
    std::uint64_t read_ = 0;
    std::optional<std::uint64_t> size_;
};

} // namespace iscsiscope
