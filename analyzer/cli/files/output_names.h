// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope::cli {

// The name that is shown for a capture's path: without its folders.
std::string base_name(const std::string &path);

// Returns the name of the file or folder of each capture's report in one folder: the capture's name and the
// extension. The first of several captures of one name has it, the others get the numbers .2, .3 and so on
// before the extension, in the order given, past names that other captures have. No report is called as the
// index page, if there is one.
std::vector<std::string> output_names(const std::vector<std::string> &paths, std::string_view extension,
                                      bool with_index);

inline constexpr std::string_view index_page = "index.html";

} // namespace iscsiscope::cli
