// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// What the command line of `watch` says.
struct WatchCommand {
    std::string scenario; // a file or a bundled name
    std::vector<std::string> sets;
    std::string place; // host, tap or link; empty: the first host
    std::string output = "-";
    std::string duration;    // empty: as the scenario says
    std::string filter;      // libpcap's language; empty: none
    bool check_only = false; // name the mistakes, run nothing
    bool quiet = false;
    bool force_user_namespace = false;
};

// Runs the scenario and writes the capture of one place to a stream. Returns the program's exit code.
int watch(const WatchCommand &command);

} // namespace iscsiscope::testbed::run
