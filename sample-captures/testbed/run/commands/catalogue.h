// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/scenario/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::run {

// Scenarios by file or by bundled name. Mistakes go to standard error, "file:line: key: message".
std::optional<scenario::Scenario> load_named(const std::string &name,
                                             const std::vector<scenario::Override> &overrides);
// The file that load_named() reads, as an absolute path; nothing if there is none.
std::optional<std::string> scenario_file(const std::string &name);
// A file that comes with the program, by its path below the folder of bundled scenarios.
std::optional<std::string> bundled_file(const std::string &path);
// "key=value" each; one without '=' is taken as a key with an empty value and so refused later.
std::vector<scenario::Override> parse_overrides(const std::vector<std::string> &sets);

// Both return the program's exit code. `names`: only these, files or bundled names; empty: all bundled ones.
// `as_json`: an object a line, with the names of hosts, taps and links.
int list_scenarios(const std::vector<std::string> &names, bool as_json);
int check_scenarios(const std::vector<std::string> &names);

} // namespace iscsiscope::testbed::run
