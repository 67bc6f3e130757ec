// SPDX-License-Identifier: GPL-2.0-or-later
// A truth file: JSON Lines, one object a row, each with a "row" member that names its kind.
#pragma once

#include "analyzer/base/json_row.h"
#include "analyzer/base/result.h"

#include <cstdio>
#include <memory>
#include <string>

namespace iscsiscope::testbed {

using TruthRow = JsonObject;

// Writes rows to a temporary name beside the path and renames it on a successful close, so that no
// half file is left under the path. A path that is there and no regular file (a pipe, a device) is
// written to as it is. One thread at a time.
class TruthFile {
public:
    TruthFile() = default;
    ~TruthFile(); // without close(): the temporary file is removed
    TruthFile(const TruthFile &) = delete;
    TruthFile &operator=(const TruthFile &) = delete;

    Status open(const std::string &path);
    void write(const TruthRow &);
    // A failure where any byte could not be written (disk full); the file is removed then.
    Status close();
    bool is_open() const { return file_ != nullptr; }

private:
    struct Closer {
        void operator()(std::FILE *f) const { std::fclose(f); }
    };
    std::unique_ptr<std::FILE, Closer> file_;
    std::string path_, temporary_;
    int first_error_ = 0; // errno of the first write that failed
};

} // namespace iscsiscope::testbed
