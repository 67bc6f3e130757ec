// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/pages/page_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope {
namespace {

constexpr std::size_t pages_at_once = 64;
// The page with the byte that SQLite locks holds nothing (section 1.3).
constexpr PageNumber lock_page = (std::uint32_t{1} << 30) / page_bytes + 1;
constexpr std::size_t pages_in_header = 28, size_in_header = 16;

} // namespace

void put16(unsigned char *at, std::size_t v) {
    at[0] = static_cast<unsigned char>(v >> 8U);
    at[1] = static_cast<unsigned char>(v);
}

void put32(unsigned char *at, std::uint32_t v) {
    put16(at, v >> 16U);
    put16(at + 2, v & 0xffffU);
}

void PageFile::open(const std::string &path) {
    if (error_ != 0)
        return;
    fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat st {};
    std::array<unsigned char, 2> size{};
    if (fd_ < 0 || ::fstat(fd_, &st) != 0)
        error_ = errno;
    else if (::pread(fd_, size.data(), size.size(), size_in_header) != static_cast<ssize_t>(size.size()) ||
             static_cast<std::size_t>(size[0] << 8 | size[1]) != page_bytes)
        error_ = EIO; // it was written just now
    pages_ = static_cast<PageNumber>(static_cast<std::uint64_t>(st.st_size) / page_bytes);
}

// The header states how many pages there are.
void PageFile::close() {
    if (fd_ < 0)
        return;
    flush();
    std::array<unsigned char, 4> count{};
    put32(count.data(), pages_);
    write(count.data(), count.size(), pages_in_header);
    if (::close(fd_) != 0 && error_ == 0)
        error_ = errno;
    fd_ = -1;
}

void PageFile::write(const void *data, std::size_t size, std::uint64_t at) {
    const char *from = static_cast<const char *>(data);
    while (error_ == 0 && size != 0) {
        const ssize_t n = ::pwrite(fd_, from, size, static_cast<off_t>(at));
        if (n < 0) {
            if (errno != EINTR)
                error_ = errno;
            continue;
        }
        from += n;
        at += static_cast<std::uint64_t>(n);
        size -= static_cast<std::size_t>(n);
    }
}

void PageFile::flush() {
    const std::uint64_t end = std::uint64_t{pages_} * page_bytes;
    write(waiting_.data(), waiting_.size(), end - waiting_.size());
    waiting_.clear();
}

PageNumber PageFile::after(PageNumber page) {
    return page + 1 == lock_page ? page + 2 : page + 1;
}

PageNumber PageFile::append(const PageBytes &page) {
    if (pages_ + 1 == lock_page) {
        waiting_.append(page_bytes, '\0');
        ++pages_;
    }
    waiting_.append(reinterpret_cast<const char *>(page.data()), page.size());
    ++pages_;
    if (waiting_.size() >= pages_at_once * page_bytes)
        flush();
    return pages_;
}

void PageFile::replace(PageNumber number, const PageBytes &page) {
    write(page.data(), page.size(), std::uint64_t{number - 1} * page_bytes);
}

} // namespace iscsiscope
