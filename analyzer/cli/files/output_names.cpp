// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/files/output_names.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace iscsiscope::cli {

std::string base_name(const std::string &path) {
    return path == "-" ? "standard-input" : path.substr(path.rfind('/') + 1);
}

std::vector<std::string> output_names(const std::vector<std::string> &paths, std::string_view extension,
                                      bool with_index) {
    std::set<std::string, std::less<>> taken;
    if (with_index)
        taken.emplace(index_page);
    std::vector<std::string> names(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        std::string name = fmt::format("{}{}", base_name(paths[i]), extension);
        if (taken.insert(name).second)
            names[i] = std::move(name);
    }
    std::map<std::string, int> numbers; // the last one that was tried
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::string base = base_name(paths[i]);
        while (names[i].empty()) {
            int &number = numbers.try_emplace(base, 1).first->second;
            std::string name = fmt::format("{}.{}{}", base, ++number, extension);
            if (taken.insert(name).second)
                names[i] = std::move(name);
        }
    }
    return names;
}

} // namespace iscsiscope::cli
