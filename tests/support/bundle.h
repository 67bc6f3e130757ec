// SPDX-License-Identifier: GPL-2.0-or-later
// Where the bundled captures are: a folder a scenario,
// sample-captures/bundle/<scenario>/<scenario>.<end>.pcapng.zst.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace iscsiscope::test {

inline std::filesystem::path bundle() {
    return std::filesystem::path(ISCSISCOPE_SOURCE_DIR) / "sample-captures" / "bundle";
}

// file: "plain-read.initiator.pcapng.zst".
inline std::string bundled(const std::string &file) {
    return (bundle() / file.substr(0, file.find('.')) / file).string();
}

// All of them, by name.
inline std::vector<std::filesystem::path> bundled_captures() {
    std::vector<std::filesystem::path> found;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(bundle()))
        if (entry.path().filename().string().ends_with(".pcapng.zst"))
            found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace iscsiscope::test
