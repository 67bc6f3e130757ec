// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/output_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <vector>

namespace iscsiscope {
namespace {

std::string reason(int error) {
    return std::strerror(error);
}

} // namespace

std::string unfinished_name(const std::string &path) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
    return fmt::format("{}.{}.{}.part", folder, file, ::getpid());
}

void UnfinishedFiles::add(const std::string &path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
}

void UnfinishedFiles::done(const std::string &path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(path);
}

void UnfinishedFiles::remove_all() {
    const std::lock_guard lock(mutex_);
    for (const std::string &p : paths_)
        ::unlink(p.c_str());
    // A folder sorts before its content; in reverse order the content is removed first.
    for (auto p = paths_.rbegin(); p != paths_.rend(); ++p)
        ::rmdir(p->c_str());
    paths_.clear();
}

OutputFile::OutputFile(const std::string &path, UnfinishedFiles &unfinished)
    : unfinished_(unfinished), path_(path) {
    if (path.empty() || path == "-") {
        path_ = "standard output";
        fd_ = STDOUT_FILENO;
        return;
    }
    owned_ = true;
    struct stat st {};
    if (::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) {
        fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        temporary_ = unfinished_name(path);
        unfinished_.add(temporary_);
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (fd_ < 0)
        fail(errno);
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() {
    if (owned_ && fd_ >= 0)
        ::close(fd_);
    fd_ = -1;
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        unfinished_.done(temporary_);
        temporary_.clear();
    }
}

void OutputFile::fail(int error) {
    if (error_.empty())
        error_ = fmt::format("cannot write {}: {}", path_, reason(error));
    discard();
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

bool OutputFile::commit() {
    if (fd_ >= 0 && owned_) {
        const int fd = fd_;
        fd_ = -1;
        // Some file systems report a full disk only on close().
        if (::close(fd) != 0)
            fail(errno);
    }
    fd_ = -1;
    if (ok() && !temporary_.empty()) {
        if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
            fail(errno);
        } else {
            unfinished_.done(temporary_);
            temporary_.clear();
        }
    }
    return ok();
}

} // namespace iscsiscope
