// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/output_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>

namespace iscsiscope::testbed::run {

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
    std::string hidden = fmt::format("{}/.{}-XXXXXX", folder, name);
    if (::mkdtemp(hidden.data()) == nullptr)
        return Failure{fmt::format("making a folder in {}: {}", folder, std::strerror(errno))};
    return OutputFolder(std::move(lock.value()), folder, hidden);
}

OutputFolder::OutputFolder(OutputFolder &&other) noexcept
    : lock_(std::move(other.lock_)), folder_(std::move(other.folder_)),
      hidden_(std::exchange(other.hidden_, {})) {}

OutputFolder::~OutputFolder() {
    if (!hidden_.empty()) {
        std::error_code error; // nothing more can be done about it here
        std::filesystem::remove_all(hidden_, error);
    }
}

Result<std::vector<std::string>> OutputFolder::publish(const std::vector<std::string> &files) {
    std::vector<std::string> paths;
    for (const std::string &file : files) {
        const std::string path = folder_ + "/" + file;
        std::error_code error;
        std::filesystem::rename(temporary(file), path, error);
        if (error)
            return Failure{fmt::format("moving {}: {}", path, error.message())};
        paths.push_back(path);
    }
    return paths;
}

} // namespace iscsiscope::testbed::run
