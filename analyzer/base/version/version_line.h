// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace iscsiscope {

// "0.2.0 (commit a1b2c3d4)": the version of CMake's project(), and the commit that the programs were built
// from, with "-dirty" behind it where files differed from it; "0.2.0" where the sources were neither a
// checkout nor an archive that Git made.
std::string version_and_commit();

// What a program answers to --version: its name, a blank, and the above.
std::string version_line(const std::string &program);

} // namespace iscsiscope
