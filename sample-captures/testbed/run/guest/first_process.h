// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// Where the guest's first process finds the run's hidden folder, and the names of the files in it.
inline constexpr const char *guest_share = "/run/share";
inline constexpr const char *guest_arguments =
    "arguments";                                      // in: the program's arguments, a NUL byte after each
inline constexpr const char *guest_output = "output"; // out: its standard output
inline constexpr const char *guest_errors = "errors"; // out: its standard error
inline constexpr const char *guest_result = "result"; // out: "exit code, virtual ns since the boot"
inline constexpr const char *guest_made = "made";     // folder of what the run makes

// The life of the first process of a guest: mounts what programs expect, calls `program` with the arguments
// in a process of its own, leaves its result and powers the guest off. Returns only if this is not the first
// process.
int first_process(const std::function<int(std::vector<std::string>)> &program);

} // namespace iscsiscope::testbed::run
