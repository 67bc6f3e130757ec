// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of this process, removed at its end.
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

namespace fuzz {

class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("iscsiscope-fuzz-" + std::to_string(std::random_device{}()))) {
        std::filesystem::create_directories(path_);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const char *name) const { return (path_ / name).string(); }
    // Writes a file; returns its path.
    std::string write(const char *name, std::string_view content) const {
        std::ofstream file(path_ / name, std::ios::binary | std::ios::trunc);
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

} // namespace fuzz
