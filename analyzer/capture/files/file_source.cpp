// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/file_source.h"

#include "analyzer/capture/files/capture_reader.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace iscsiscope {

namespace {

std::string open_failure(const std::string &path, int error) {
    switch (error) {
    case ENOENT:
        return path + ": there is no such file";
    case EACCES:
    case EPERM:
        return path + ": no permission to read it";
    default:
        return path + ": cannot be opened: " + std::generic_category().message(error);
    }
}

} // namespace

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string &path) {
    const bool standard_input = path == "-";
    const int descriptor = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return Failure{open_failure(path, errno)};
    std::unique_ptr<FileSource> source(new FileSource(descriptor));
    struct stat status {};
    if (::fstat(descriptor, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return Failure{(standard_input ? "standard input" : path) +
                           ": is a directory, not a capture file"};
        if (S_ISREG(status.st_mode) && status.st_size >= 0)
            source->size_ = static_cast<std::uint64_t>(status.st_size);
        if (!S_ISREG(status.st_mode) && ::isatty(descriptor) == 0)
            source->pipe_.emplace(descriptor);
    }
    // A hint for the kernel's read-ahead. It fails for pipes, which is harmless.
    (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    return source;
}

FileSource::~FileSource() {
    if (descriptor_ != STDIN_FILENO)
        ::close(descriptor_);
}

std::size_t FileSource::read(std::byte *to, std::size_t room) {
    if (failed_)
        return 0;
    for (;;) {
        if (pipe_ && !pipe_->wait())
            return 0;
        const ssize_t count = ::read(descriptor_, to, room);
        if (count >= 0) {
            read_ += static_cast<std::uint64_t>(count);
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR && !(pipe_ && errno == EAGAIN)) {
            failed_ = true;
            return 0;
        }
    }
}

ByteSource::End FileSource::end() const {
    if (failed_)
        return End::damaged;
    return pipe_ && EndedPipe::requested() ? End::ended : End::whole;
}

} // namespace iscsiscope
