// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/result.h"

#include <string>

namespace iscsiscope::cli {

// Returns the SHA-256 of the file's bytes (compressed files as stored), in hexadecimal.
Result<std::string> file_sha256(const std::string &path);

} // namespace iscsiscope::cli
