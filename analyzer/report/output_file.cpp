// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/output_file.h"

#include "analyzer/report/output_place.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace iscsiscope {

OutputFile::OutputFile(const std::string &path, UnfinishedFiles &unfinished)
    : unfinished_(unfinished), shown_(path) {
    if (path.empty() || path == "-") {
        shown_ = "standard output";
        fd_ = STDOUT_FILENO;
        return;
    }
    owned_ = true;
    open(find_output_place(path));
}

OutputFile::OutputFile(const std::string &path, UnfinishedFiles &unfinished, std::string shown,
                       const std::optional<struct stat> &replaced)
    : unfinished_(unfinished), shown_(std::move(shown)), temporary_(path), replaced_(replaced), owned_(true) {
    if (const int error = unfinished_.create_named(path, fd_); error != 0) {
        temporary_.clear();
        fail(error);
    }
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::open(const OutputPlace &place) {
    if (place.error != 0)
        return fail(place.error);
    if (place.is && !S_ISREG(place.is->st_mode)) {
        fd_ = ::open(place.path.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd_ < 0)
            fail(errno);
        return;
    }
    final_ = place.path;
    folder_ = place.folder;
    replaced_ = place.is;
    const int error = unfinished_.create_file(folder_, temporary_, fd_);
    if (error != 0)
        fail(error);
}

void OutputFile::discard() {
    if (owned_ && fd_ >= 0)
        ::close(fd_);
    fd_ = -1;
    if (!temporary_.empty()) {
        unfinished_.remove_file(temporary_);
        temporary_.clear();
    }
}

void OutputFile::fail(int error) {
    reader_gone_ = reader_gone_ || (error == EPIPE && !owned_ && error_.empty());
    discard();
    if (error_.empty())
        error_ = fmt::format("cannot write {}: {}", shown_, std::strerror(error));
}

void OutputFile::write(std::string_view text) {
    while (fd_ >= 0 && !text.empty()) {
        const ssize_t n = ::write(fd_, text.data(), text.size());
        if (n < 0) {
            if (errno != EINTR)
                fail(errno);
            continue;
        }
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

// Returns 0 or an errno value.
int OutputFile::complete() {
    int error = 0;
    if (!temporary_.empty()) {
        error = replaced_ ? copy_owner_and_mode(fd_, *replaced_) : set_ordinary_mode(fd_);
        if (error == 0)
            error = flush_to_disk(fd_);
    }
    const int fd = fd_;
    fd_ = -1;
    // Some file systems report a full disk only on close().
    if (::close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && !final_.empty()) {
        error = unfinished_.rename_file(temporary_, final_);
        if (error == 0)
            flush_folder(folder_);
    }
    if (error == 0)
        temporary_.clear();
    return error;
}

bool OutputFile::commit() {
    if (fd_ >= 0 && owned_) {
        const int error = complete();
        if (error != 0)
            fail(error);
    }
    fd_ = -1;
    return ok();
}

} // namespace iscsiscope
