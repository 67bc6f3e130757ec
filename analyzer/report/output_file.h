// SPDX-License-Identifier: GPL-2.0-or-later
// OutputFile: writes results to standard output, or to a file that is complete or absent.
#pragma once

#include "analyzer/report/unfinished_files.h"

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace iscsiscope {

struct OutputPlace;

// After a write error further writes do nothing, and commit() fails. error() is a sentence.
class OutputFile {
public:
    // path "-" or empty: standard output. A regular file is written under a temporary name in its folder and
    // renamed by commit(), when its content is on the disk; a file that it replaces passes on owner and mode,
    // a symbolic link keeps its target. Devices and pipes are written in place. If the file cannot be opened,
    // error() states it.
    OutputFile(const std::string &path, UnfinishedFiles &);
    // A file with that name in an unfinished folder (output_folder.h). shown: its name in messages. replaced:
    // the file whose owner and mode it gets.
    OutputFile(const std::string &path, UnfinishedFiles &, std::string shown,
               const std::optional<struct stat> &replaced);
    ~OutputFile(); // not committed: removed
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    void write(std::string_view);
    // Completes the output. Returns false on an error, which error() states.
    bool commit();
    bool ok() const { return error_.empty(); }
    const std::string &error() const { return error_; }
    // True if standard output could not be written because its reader has closed it. Thread-safe.
    bool reader_gone() const { return reader_gone_; }
    // The path under which a regular file is written until commit(), for a library that writes by path.
    const std::string &temporary() const { return temporary_; }

private:
    void open(const OutputPlace &);
    void fail(int errno_value);
    void discard();
    int complete();

    UnfinishedFiles &unfinished_;
    std::string shown_;                   // as the user gave it
    std::string temporary_;               // empty: written in place
    std::string final_, folder_;          // where commit() puts it; empty: it has its name already
    std::optional<struct stat> replaced_; // owner and mode to be kept
    int fd_ = -1;
    bool owned_ = false;
    std::atomic<bool> reader_gone_{false};
    std::string error_;
};

} // namespace iscsiscope
