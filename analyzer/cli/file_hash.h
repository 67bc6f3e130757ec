// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <variant>

namespace iscsiscope::cli {

struct HashError {
    std::string message;
};

// Returns the SHA-256 of the file's bytes (compressed files as stored), in hexadecimal.
std::variant<std::string, HashError> file_sha256(const std::string &path);

} // namespace iscsiscope::cli
