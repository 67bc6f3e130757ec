// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/output_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace iscsiscope {
namespace {

bool is_current_folder(const struct stat &st) {
    struct stat here {};
    return ::stat(".", &here) == 0 && here.st_dev == st.st_dev && here.st_ino == st.st_ino;
}

} // namespace

OutputFolder::OutputFolder(const std::string &path, std::string_view extension, UnfinishedFiles &unfinished)
    : unfinished_(unfinished), shown_(path), place_(find_output_place(path)) {
    std::string reason = place_.error != 0                           ? std::strerror(place_.error)
                         : place_.is && !S_ISDIR(place_.is->st_mode) ? "a file of that name is there"
                         : place_.is                                 ? why_not_replaceable(extension)
                                                                     : "";
    if (reason.empty()) {
        if (const int error = unfinished_.create_folder(place_.folder, temporary_); error != 0)
            reason = std::strerror(error);
    }
    if (!reason.empty())
        error_ = fmt::format("cannot make the folder {}: {}", shown_, reason);
}

OutputFolder::~OutputFolder() {
    if (!temporary_.empty())
        unfinished_.remove_folder(temporary_);
}

std::string OutputFolder::why_not_replaceable(std::string_view extension) const {
    if (is_current_folder(*place_.is))
        return "the current folder cannot be replaced; name a folder in it";
    if (::access(place_.path.c_str(), R_OK | W_OK | X_OK) != 0) // the old tables could not be removed
        return std::strerror(errno);
    std::error_code error;
    for (std::filesystem::directory_iterator i(place_.path, error), end; !error && i != end;
         i.increment(error)) {
        const std::string name = i->path().filename().string();
        if (!name.ends_with(extension))
            return fmt::format("it is there and holds {}, which is no table of a report; name a new folder",
                               name);
    }
    return error ? error.message() : "";
}

std::unique_ptr<OutputFile> OutputFolder::create(const std::string &name) {
    struct stat st {};
    std::optional<struct stat> replaced;
    if (place_.is && ::lstat(fmt::format("{}/{}", place_.path, name).c_str(), &st) == 0 &&
        S_ISREG(st.st_mode))
        replaced = st;
    return std::make_unique<OutputFile>(fmt::format("{}/{}", temporary_, name), unfinished_,
                                        fmt::format("{}/{}", shown_, name), replaced);
}

bool OutputFolder::commit() {
    if (!ok())
        return false;
    const int folder = ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = folder < 0 ? errno : 0;
    if (error == 0)
        error = place_.is ? copy_owner_and_mode(folder, *place_.is) : set_ordinary_mode(folder);
    if (error == 0)
        error = flush_to_disk(folder);
    if (folder >= 0)
        ::close(folder);
    if (error == 0)
        error = unfinished_.rename_folder(temporary_, place_.path);
    if (error != 0) {
        error_ = fmt::format("cannot make the folder {}: {}", shown_,
                             error == ENOTEMPTY
                                 ? "it is there and holds other files than the tables of this report"
                                 : std::strerror(error));
        return false;
    }
    temporary_.clear();
    flush_folder(place_.folder);
    return true;
}

} // namespace iscsiscope
