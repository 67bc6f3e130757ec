// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/output_folder.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {

namespace {

// Removes the files of a folder without allocating memory: the run may end because there is none.
void remove_files(int folder) noexcept {
    alignas(dirent64) std::array<char, 4096> entries;
    bool removed = true;
    while (removed && ::lseek(folder, 0, SEEK_SET) == 0) {
        removed = false;
        for (ssize_t size; (size = ::getdents64(folder, entries.data(), entries.size())) > 0;)
            for (ssize_t at = 0; at < size;) {
                const auto *entry = reinterpret_cast<const dirent64 *>(entries.data() + at);
                removed |= ::unlinkat(folder, entry->d_name, 0) == 0; // refused for "." and ".."
                at += entry->d_reclen;
            }
    }
}

// Gives a file its final name. An older file goes to the temporary name (exchanged), where the file system
// can do that. Returns 0 or the error.
int give_name(const char *from, const char *to, bool &exchanged) {
    struct stat there {};
    if (::lstat(to, &there) != 0)
        return errno == ENOENT && ::rename(from, to) == 0 ? 0 : errno;
    if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
        return S_ISDIR(there.st_mode) ? EISDIR : EEXIST;
    exchanged = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0;
    if (exchanged)
        return 0;
    return (errno == EINVAL || errno == ENOSYS) && ::rename(from, to) == 0 ? 0 : errno;
}

} // namespace

Result<FolderLock> FolderLock::take(const std::string &folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return Failure{fmt::format("making the folder {}: {}", folder, error.message())};
    shim::FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.valid())
        return Failure{fmt::format("opening the folder {}: {}", folder, std::strerror(errno))};
    if (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0)
        return Failure{errno == EWOULDBLOCK
                           ? fmt::format("another run is writing into the folder {}", folder)
                           : fmt::format("locking the folder {}: {}", folder, std::strerror(errno))};
    return FolderLock(std::move(opened));
}

Result<OutputFolder> OutputFolder::create(const std::string &folder, const std::string &name) {
    Result<FolderLock> lock = FolderLock::take(folder);
    if (!lock.ok())
        return lock.failure();
    OutputFolder made(std::move(lock.value()), folder);
    std::string hidden = fmt::format("{}/.{}-XXXXXX", folder, name);
    if (::mkdtemp(hidden.data()) == nullptr)
        return Failure{fmt::format("making a folder in {}: {}", folder, std::strerror(errno))};
    made.hidden_ = std::move(hidden);
    made.content_ = shim::FileDescriptor(::open(made.hidden_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!made.content_.valid())
        return Failure{fmt::format("opening the folder {}: {}", made.hidden_, std::strerror(errno))};
    return made;
}

OutputFolder::OutputFolder(OutputFolder &&other) noexcept
    : lock_(std::move(other.lock_)), folder_(std::move(other.folder_)),
      hidden_(std::exchange(other.hidden_, {})), content_(std::move(other.content_)) {}

OutputFolder::~OutputFolder() {
    if (hidden_.empty())
        return;
    remove_files(content_.get());
    ::rmdir(hidden_.c_str());
}

Result<std::vector<std::string>> OutputFolder::publish(const std::vector<std::string> &files) {
    std::vector<std::string> from, to;
    for (const std::string &file : files) {
        from.push_back(temporary(file));
        to.push_back(folder_ + "/" + file);
    }
    // From here on no memory is needed until all have their names, or none has.
    std::vector<bool> replaced(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        bool exchanged = false;
        const int error = give_name(from[i].c_str(), to[i].c_str(), exchanged);
        replaced[i] = exchanged;
        if (error == 0)
            continue;
        for (std::size_t back = 0; back < i; ++back)
            ::renameat2(AT_FDCWD, to[back].c_str(), AT_FDCWD, from[back].c_str(),
                        replaced[back] ? RENAME_EXCHANGE : 0);
        return Failure{fmt::format("moving {}: {}", to[i], std::strerror(error))};
    }
    return to;
}

} // namespace iscsiscope::testbed::run
