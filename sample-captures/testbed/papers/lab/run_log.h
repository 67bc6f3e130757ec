// SPDX-License-Identifier: GPL-2.0-or-later
// What the truth file of a run has about the run itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iscsiscope::testbed::papers {

// What was dropped, by the shim's log.
struct LoggedDrop {
    std::int64_t time_ns = 0;
    std::string link;
};

// A decision of the tuner, by the initiator's log: which no capture shows.
struct TunerRow {
    std::int64_t time_ns = 0;
    unsigned connections = 0, next = 0;
    bool settled = false;
};

struct RunLog {
    bool valid = false;
    std::vector<std::string> reasons; // why it is not
    std::vector<std::string> warnings;
    std::string carrier, kernel;
    std::int64_t lateness_p50_ns = 0, lateness_p99_ns = 0; // of packets over their set time
    std::int64_t longest_stall_ns = 0;
    std::vector<LoggedDrop> drops;
    std::vector<TunerRow> tuner;
};

// The rows of a truth file that judge a run. A file that cannot be read gives a run that is not valid.
RunLog read_run_log(const std::string &path);

} // namespace iscsiscope::testbed::papers
