// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <variant>

namespace iscsiscope::cli {

struct HashError {
    std::string message; // a sentence
};

// SHA-256 of the file as it is on disk, in hexadecimal.
std::variant<std::string, HashError> file_sha256(const std::string &path);

} // namespace iscsiscope::cli
