// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/storage/store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope::testbed {
namespace {

class FileStore final : public Store {
public:
    FileStore(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
    ~FileStore() override { ::close(fd_); }
    FileStore(const FileStore &) = delete;
    FileStore &operator=(const FileStore &) = delete;

    std::uint64_t size() const override { return size_; }

    bool read(std::uint64_t offset, std::span<std::byte> to) override {
        while (!to.empty()) {
            const ssize_t n = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0) // 0: the file was cut short behind our back
                return false;
            to = to.subspan(static_cast<std::size_t>(n));
            offset += static_cast<std::uint64_t>(n);
        }
        return true;
    }

    bool write(std::uint64_t offset, std::span<const std::byte> from) override {
        while (!from.empty()) {
            const ssize_t n = ::pwrite(fd_, from.data(), from.size(), static_cast<off_t>(offset));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            from = from.subspan(static_cast<std::size_t>(n));
            offset += static_cast<std::uint64_t>(n);
        }
        return true;
    }

    bool discard(std::uint64_t offset, std::uint64_t length) override {
        if (::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                        static_cast<off_t>(length)) == 0)
            return true;
        // The file system cannot punch holes: zeros do.
        static constexpr std::array<std::byte, 65536> zeros{};
        while (length > 0) {
            const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(length, zeros.size()));
            if (!write(offset, std::span(zeros).first(part)))
                return false;
            offset += part;
            length -= part;
        }
        return true;
    }

    bool flush() override { return ::fdatasync(fd_) == 0; }

private:
    int fd_;
    std::uint64_t size_;
};

} // namespace

Result<std::unique_ptr<Store>> open_file_store(const std::string &path, std::uint64_t create_size,
                                               bool read_only) {
    bool made = false;
    int fd = ::open(path.c_str(), (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && create_size != 0 && !read_only) {
        fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        made = fd >= 0;
    }
    if (fd < 0)
        return Failure{fmt::format("{}: {}", path, std::strerror(errno))};
    if (made && ::ftruncate(fd, static_cast<off_t>(create_size)) != 0) {
        Failure failure{fmt::format("{}: cannot set its size: {}", path, std::strerror(errno))};
        ::close(fd);
        ::unlink(path.c_str());
        return failure;
    }
    // One writer: this and other processes, and other logical units of this one. The lock ends with fd.
    if (!read_only && ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        Failure failure{errno == EWOULDBLOCK
                            ? fmt::format("{}: is in use by another writer; readonly=yes may share it", path)
                            : fmt::format("{}: cannot be locked: {}", path, std::strerror(errno))};
        ::close(fd);
        return failure;
    }
    // lseek gives the size of block devices too.
    const off_t size = ::lseek(fd, 0, SEEK_END);
    if (size <= 0) {
        ::close(fd);
        return Failure{
            fmt::format("{}: is empty; name a size to make a new file (file:{},size=1GiB)", path, path)};
    }
    return std::unique_ptr<Store>(std::make_unique<FileStore>(fd, static_cast<std::uint64_t>(size)));
}

} // namespace iscsiscope::testbed
