// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/output_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace iscsiscope::testbed::run {

Result<OutputFolder> OutputFolder::create(const std::string &folder, const std::string &name) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return Failure{fmt::format("making the folder {}: {}", folder, error.message())};
    std::string hidden = fmt::format("{}/.{}-XXXXXX", folder, name);
    if (::mkdtemp(hidden.data()) == nullptr)
        return Failure{fmt::format("making a folder in {}: {}", folder, std::strerror(errno))};
    return OutputFolder(folder, hidden);
}

OutputFolder::OutputFolder(OutputFolder &&other) noexcept
    : folder_(std::move(other.folder_)), hidden_(std::exchange(other.hidden_, {})) {}

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
