// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/unfinished_files.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope {
namespace {

constexpr int attempts = 16; // two random names of 64 bits are equal only if the generator fails

int random_name(const std::string &folder, std::string &name) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
        return errno != 0 ? errno : EIO;
    name = fmt::format("{}.iscsiscope-{:016x}.part", folder, number);
    return 0;
}

// O_EXCL creates neither over a file nor through a link.
int create_exclusively(const std::string &path, int &descriptor) {
    descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return descriptor < 0 ? errno : 0;
}

// Returns whether each entry of the folder `old` is a file that the folder `fresh` has too.
bool replaceable(const std::string &old, const std::string &fresh) {
    std::error_code error;
    for (std::filesystem::directory_iterator i(old, error), end; !error && i != end; i.increment(error)) {
        struct stat st {};
        const std::string name = i->path().filename().string();
        if (::lstat(fmt::format("{}/{}", old, name).c_str(), &st) != 0 || !S_ISREG(st.st_mode) ||
            ::access(fmt::format("{}/{}", fresh, name).c_str(), F_OK) != 0)
            return false;
    }
    return !error;
}

// For file systems that cannot exchange two names: for a moment no folder has the name. The old folder is at
// `temporary` then.
int exchange_by_turns(const std::string &temporary, const std::string &path) {
    const std::string aside = temporary + ".old";
    if (::rename(path.c_str(), aside.c_str()) != 0)
        return errno;
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::rename(aside.c_str(), path.c_str());
        return error;
    }
    return ::rename(aside.c_str(), temporary.c_str()) != 0 ? errno : 0;
}

} // namespace

template <class Create>
int UnfinishedFiles::create(const std::string &path, Create create_it) {
    const std::lock_guard lock(mutex_);
    if (ended_)
        return ECANCELED;
    const auto listed = paths_.insert(path); // before it exists: memory may run out here
    const int error = create_it();
    if (error != 0 && listed.second)
        paths_.erase(listed.first);
    return error;
}

int UnfinishedFiles::create_file(const std::string &folder, std::string &made, int &descriptor) {
    int error = EEXIST;
    for (int i = 0; i < attempts && error == EEXIST; ++i) {
        error = random_name(folder, made);
        if (error == 0)
            error = create(made, [&] { return create_exclusively(made, descriptor); });
    }
    if (error != 0)
        made.clear();
    return error;
}

int UnfinishedFiles::create_folder(const std::string &folder, std::string &made) {
    int error = EEXIST;
    for (int i = 0; i < attempts && error == EEXIST; ++i) {
        error = random_name(folder, made);
        if (error == 0)
            error = create(made, [&] { return ::mkdir(made.c_str(), 0700) == 0 ? 0 : errno; });
    }
    if (error != 0)
        made.clear();
    return error;
}

int UnfinishedFiles::create_named(const std::string &path, int &descriptor) {
    return create(
        path, [&] { return create_exclusively(path, descriptor); });
}

int UnfinishedFiles::create_named_folder(const std::string &path) {
    return create(
        path, [&] { return ::mkdir(path.c_str(), 0777) == 0 ? 0 : errno; });
}

int UnfinishedFiles::rename_file(const std::string &temporary, const std::string &path) {
    const std::lock_guard lock(mutex_);
    if (ended_)
        return ECANCELED;
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return errno;
    paths_.erase(temporary);
    return 0;
}

int UnfinishedFiles::rename_folder(const std::string &temporary, const std::string &path) {
    const std::lock_guard lock(mutex_);
    if (ended_)
        return ECANCELED;
    if (::rename(temporary.c_str(), path.c_str()) == 0) { // there was none, or an empty one
        forget_below(temporary);
        return 0;
    }
    const int reason = errno;
    if (reason != ENOTEMPTY && reason != EEXIST)
        return reason;
    if (!replaceable(path, temporary))
        return ENOTEMPTY;
    // The two folders change names in one step: whoever looks finds the old tables or the new ones.
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0) {
        if (errno != EINVAL && errno != ENOSYS)
            return errno;
        if (const int error = exchange_by_turns(temporary, path); error != 0)
            return error;
    }
    remove_below(temporary); // the old tables, all of which have names of the new ones
    return 0;
}

void UnfinishedFiles::remove_below(const std::string &folder) {
    for (auto p = paths_.lower_bound(folder); p != paths_.end() && p->starts_with(folder);
         p = paths_.erase(p))
        if (*p != folder)
            ::unlink(p->c_str());
    ::rmdir(folder.c_str());
}

void UnfinishedFiles::forget_below(const std::string &folder) {
    for (auto p = paths_.lower_bound(folder); p != paths_.end() && p->starts_with(folder);)
        p = paths_.erase(p);
}

void UnfinishedFiles::remove_file(const std::string &path) {
    const std::lock_guard lock(mutex_);
    if (paths_.erase(path) != 0)
        ::unlink(path.c_str());
}

void UnfinishedFiles::remove_folder(const std::string &path) {
    const std::lock_guard lock(mutex_);
    if (paths_.contains(path))
        remove_below(path);
}

void UnfinishedFiles::remove_all() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const std::string &p : paths_)
        ::unlink(p.c_str());
    // A folder sorts before its content; in reverse order the content is removed first.
    for (auto p = paths_.rbegin(); p != paths_.rend(); ++p)
        ::rmdir(p->c_str());
    paths_.clear();
}

} // namespace iscsiscope
