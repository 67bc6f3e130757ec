// SPDX-License-Identifier: GPL-2.0-or-later
// The options that all commands which read captures share.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/pipeline/read_capture.h"
#include "analyzer/pipeline/time_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {
struct TextStyle;
}

namespace CLI { // NOLINT(readability-identifier-naming): the library names it so
class App;
}

namespace iscsiscope::cli {

// The options as the user wrote them.
struct CommonOptions {
    std::string range, filter, gap_threshold, position = "auto", interval, unpack_time = "1h";
    double unpack_ratio = UnpackBounds{}.ratio;
    std::vector<std::uint16_t> ports;
    std::string output = "-";
    bool strict = false, quiet = false, no_progress = false;
    bool join = false, merge = false; // of commands that take several files as one capture
    std::optional<int> threads;       // of one capture

    bool one_capture() const { return join || merge; }
};

// The parsed options.
struct CommonSettings {
    TimeRange range;
    EngineOptions engine;
    Duration interval = std::chrono::seconds{5}; // T_m of the throughput's deviation
    UnpackBounds unpack;
    FileUnion files_are = FileUnion::joined;
    int threads = 1; // ReadOptions::threads
};

// Adds --quantiles; the values are shares from 0 to 1.
void add_quantiles_option(CLI::App &, std::vector<double> &);
void add_common_options(CLI::App &, CommonOptions &);
// Adds -o; an empty name is refused.
void add_output_option(CLI::App &, std::string &output, const char *meaning = "Write there");
// Adds --join and --merge.
void add_union_options(CLI::App &, CommonOptions &);
// Returns the first mistake in the files of one command; empty if there is none.
std::string mistake_in_files(const CommonOptions &, const std::vector<std::string> &files);
// Parses the options. The failure is a sentence.
// several: captures are read at the same time, and then with one thread each unless the user names a number.
Result<CommonSettings> understand(const CommonOptions &, bool several = false);

// Returns the style of a text report to that output. Empty quantiles: those of TextStyle.
TextStyle terminal_style(const std::string &output, const std::vector<double> &quantiles);

// Returns the columns of a page that is written to that output, 40 to 160: COLUMNS, or else the terminal's
// width, or 80 for what is no terminal.
std::size_t terminal_width(const std::string &output);

// Returns a sentence if the output is one of the inputs, even under another name; otherwise empty.
std::string overwritten_input(const std::string &output, const std::vector<std::string> &inputs);

// Returns a sentence for standard error if the capture is not complete or Ctrl-C ended it; otherwise empty.
std::string capture_remark(const std::string &path, const CaptureInfo &, const UnpackBounds &);
// The same for a capture of one or several files; of several it names those that are not complete.
std::string capture_remark(const CaptureSummary &, const UnpackBounds &);

// Returns the sum of the files' sizes in bytes, for progress; 0 if one of them is not a regular file.
std::uint64_t total_size(const std::vector<std::string> &paths);

} // namespace iscsiscope::cli
