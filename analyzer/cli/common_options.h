// SPDX-License-Identifier: GPL-2.0-or-later
// Options that every sub-command takes.
#pragma once

#include "analyzer/report/read_capture.h"
#include "analyzer/report/time_range.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace iscsiscope::cli {

// As written by the user.
struct CommonOptions {
    std::string range, filter, gap_threshold, position = "auto";
    std::vector<std::uint16_t> ports;
    std::string output = "-";
    bool strict = false, quiet = false, no_progress = false;
};

// As understood.
struct CommonSettings {
    TimeRange range;
    EngineOptions engine;
};

void add_common_options(CLI::App &, CommonOptions &);
// A mistake is a sentence.
std::variant<CommonSettings, std::string> understand(const CommonOptions &);

// Sum of the sizes of the files, for progress; 0 if one of them is no regular file.
std::uint64_t total_size(const std::vector<std::string> &paths);

} // namespace iscsiscope::cli
