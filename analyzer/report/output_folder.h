// SPDX-License-Identifier: GPL-2.0-or-later
// OutputFolder: a folder of files that appears whole or not at all, whatever ends the program.
#pragma once

#include "analyzer/report/output_file.h"
#include "analyzer/report/output_place.h"

#include <memory>
#include <string>
#include <string_view>

namespace iscsiscope {

class OutputFolder {
public:
    // The files are collected in a folder of a temporary name beside `path`, which commit() renames. A folder
    // that exists is replaced if it is empty or holds only files whose names end in `extension`; commit()
    // fails if one of them is not among the new files. Otherwise error() says why there can be no folder.
    OutputFolder(const std::string &path, std::string_view extension, UnfinishedFiles &);
    ~OutputFolder(); // not committed: removed
    OutputFolder(const OutputFolder &) = delete;
    OutputFolder &operator=(const OutputFolder &) = delete;

    // A new file in the folder. It must be committed before the folder is.
    std::unique_ptr<OutputFile> create(const std::string &name);
    // Returns false on an error, which error() states.
    bool commit();
    bool ok() const { return error_.empty(); }
    const std::string &error() const { return error_; } // a sentence

private:
    std::string why_not_replaceable(std::string_view extension) const;

    UnfinishedFiles &unfinished_;
    std::string shown_, temporary_, error_;
    OutputPlace place_;
};

} // namespace iscsiscope
