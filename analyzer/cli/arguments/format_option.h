// SPDX-License-Identifier: GPL-2.0-or-later
// --format: its names, and their words in --help, come from the list of formats.
#pragma once

#include "analyzer/report/formats/format.h"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library names it so
class App;
}

namespace iscsiscope::cli {

// Adds --format with these formats as its values; `name` has the default: "text or json".
void add_format_option(CLI::App &, std::string &name, const std::vector<const Format *> &);
// Returns the format of a name that the option has taken.
const Format &format_of(const std::string &name);

} // namespace iscsiscope::cli
