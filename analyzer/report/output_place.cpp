// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/output_place.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace iscsiscope {
namespace {

constexpr int max_links = 40; // as Linux allows in one path

std::string folder_of(const std::string &path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// Replaces `path` by the target of the link that it is. Returns 0 or an errno value.
int follow(std::string &path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t n = ::readlink(path.c_str(), target.data(), target.size());
    if (n < 0)
        return errno;
    const std::string to(target.data(), static_cast<std::size_t>(n));
    path = to.starts_with('/') ? to : folder_of(path) + to;
    return 0;
}

// The mode bits that new files do not get. umask() itself could only be asked by changing it for all threads.
mode_t mode_mask() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (unsigned mask = 0; word == "Umask:" && status >> std::oct >> mask)
            return mask;
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

} // namespace

OutputPlace find_output_place(const std::string &path) {
    OutputPlace place;
    struct stat st {};
    if (::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        place.path = path; // a device or pipe; the links of /proc to open pipes have no target that is a path
        place.is = st;
        return place;
    }
    place.path = path.substr(0, path.find_last_not_of('/') + 1); // with / at its end a link would be followed
    if (place.path.empty())
        place.path = "/";
    for (int links = 0; !place.is; ++links) {
        if (::lstat(place.path.c_str(), &st) != 0) {
            place.error = errno == ENOENT ? 0 : errno;
            break;
        }
        if (S_ISLNK(st.st_mode))
            place.error = links == max_links ? ELOOP : follow(place.path);
        else
            place.is = st;
        if (place.error != 0)
            return place;
    }
    const bool folder_itself = place.is && S_ISDIR(place.is->st_mode); // "." and ".." have a name elsewhere
    const std::string known = folder_itself ? place.path : folder_of(place.path);
    const std::unique_ptr<char, decltype(&std::free)> real(
        ::realpath(known.empty() ? "." : known.c_str(), nullptr), &std::free);
    if (place.error == 0 && real == nullptr)
        place.error = errno;
    if (place.error != 0)
        return place;
    if (folder_itself) {
        place.path = real.get();
        place.folder = folder_of(place.path);
    } else {
        place.folder = real.get();
        if (place.folder != "/")
            place.folder += '/';
        place.path = place.folder + place.path.substr(known.size());
    }
    return place;
}

int copy_owner_and_mode(int descriptor, const struct stat &from) {
    struct stat now {};
    if (::fstat(descriptor, &now) != 0)
        return errno;
    mode_t mode = from.st_mode & (S_ISDIR(from.st_mode) ? 07777 : 0777);
    if ((now.st_uid != from.st_uid || now.st_gid != from.st_gid) &&
        ::fchown(descriptor, from.st_uid, from.st_gid) != 0) {
        if (errno != EPERM)
            return errno;
        if (now.st_gid != from.st_gid && ::fchown(descriptor, static_cast<uid_t>(-1), from.st_gid) != 0)
            mode = (mode & ~mode_t{S_ISUID | S_ISGID | S_IRWXG}) | (mode & (mode & S_IRWXO) << 3U);
    }
    return ::fchmod(descriptor, mode) != 0 ? errno : 0;
}

int set_ordinary_mode(int descriptor) {
    struct stat now {};
    if (::fstat(descriptor, &now) != 0)
        return errno;
    const mode_t all = S_ISDIR(now.st_mode) ? 0777 : 0666;
    return ::fchmod(descriptor, all & ~mode_mask()) != 0 ? errno : 0;
}

int flush_to_disk(int descriptor) {
    while (::fsync(descriptor) != 0) {
        if (errno == EINVAL || errno == ENOTSUP)
            return 0;
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

void flush_folder(const std::string &folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    (void)flush_to_disk(descriptor);
    ::close(descriptor);
}

} // namespace iscsiscope
