// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"

#include <string>

namespace iscsiscope::cli {

// Returns a sentence if the path leads to a pipe or device, which cannot be read a second time; otherwise
// empty, also if there is nothing.
std::string not_hashable(const std::string &path);
// Returns the SHA-256 of the file's bytes (compressed files as stored), in hexadecimal.
Result<std::string> file_sha256(const std::string &path);

} // namespace iscsiscope::cli
