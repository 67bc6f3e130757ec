// SPDX-License-Identifier: GPL-2.0-or-later
// OutputFile: writes results to standard output, or to a file that is complete or absent.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace iscsiscope {

// The incomplete files and folders, which are removed if a signal ends the program. Thread-safe.
class UnfinishedFiles {
public:
    void add(const std::string &path);
    void done(const std::string &path);
    // Removes all listed files, then the listed folders that are empty.
    void remove_all();

private:
    std::mutex mutex_;
    std::set<std::string> paths_;
};

// Returns the temporary name of an incomplete file, in the same folder, so that rename() works.
std::string unfinished_name(const std::string &path);

// After a write error further writes do nothing, and commit() fails. error() is a sentence.
class OutputFile {
public:
    // path "-" or empty: standard output. A regular file is written under a temporary name and renamed by
    // commit(); devices and pipes are written in place. If the file cannot be opened, error() states it.
    OutputFile(const std::string &path, UnfinishedFiles &);
    ~OutputFile(); // not committed: removed
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    void write(std::string_view);
    // Completes the output. Returns false on an error, which error() states.
    bool commit();
    bool ok() const { return error_.empty(); }
    const std::string &error() const { return error_; }

private:
    void fail(int errno_value);
    void discard();

    UnfinishedFiles &unfinished_;
    std::string path_;      // as the user gave it
    std::string temporary_; // empty: written in place
    int fd_ = -1;
    bool owned_ = false;
    std::string error_;
};

} // namespace iscsiscope
