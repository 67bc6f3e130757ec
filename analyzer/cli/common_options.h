// SPDX-License-Identifier: GPL-2.0-or-later
// Options that every sub-command takes.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/pipeline/read_capture.h"
#include "analyzer/pipeline/time_range.h"

#include <cstdint>
#include <string>
#include <vector>

namespace iscsiscope {
struct TextStyle;
}

namespace CLI {
class App;
}

namespace iscsiscope::cli {

// As written by the user.
struct CommonOptions {
    std::string range, filter, gap_threshold, position = "auto", interval;
    std::vector<std::uint16_t> ports;
    std::string output = "-";
    bool strict = false, quiet = false, no_progress = false;
};

// As understood.
struct CommonSettings {
    TimeRange range;
    EngineOptions engine;
    Duration interval = std::chrono::seconds{5}; // T_m of the throughput's deviation
};

// --quantiles: shares from 0 to 1.
void add_quantiles_option(CLI::App &, std::vector<double> &);
void add_common_options(CLI::App &, CommonOptions &);
// A mistake is a sentence.
Result<CommonSettings> understand(const CommonOptions &);

// Colour, characters and quantiles of a text report to that output; no quantiles: the report's own.
TextStyle terminal_style(const std::string &output, const std::vector<double> &quantiles);

// Whether that output is one of the captures to be read, under whatever name: a sentence then, else empty.
std::string overwritten_input(const std::string &output, const std::vector<std::string> &inputs);

// Sum of the sizes of the files, for progress; 0 if one of them is no regular file.
std::uint64_t total_size(const std::vector<std::string> &paths);

} // namespace iscsiscope::cli
