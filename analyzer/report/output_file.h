// SPDX-License-Identifier: GPL-2.0-or-later
// Where results go: standard output, or a file that is whole or absent.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace iscsiscope {

// Files and folders that are not finished. Whoever ends the program early removes them.
// Thread-safe.
class UnfinishedFiles {
public:
    void add(const std::string &path);
    void done(const std::string &path);
    // Removes all that is listed: files, then folders that have become empty.
    void remove_all();

private:
    std::mutex mutex_;
    std::set<std::string> paths_;
};

// The name under which a file of this name is written until it is whole: in the same folder, so that
// rename() stays within one file system.
std::string unfinished_name(const std::string &path);

// Write errors are kept: later writes do nothing, and commit() fails. error() is a sentence.
class OutputFile {
public:
    // path "-" or empty: standard output. A regular file is written beside its name and renamed by
    // commit(); devices and pipes are written in place. Failing to open is an error() too.
    OutputFile(const std::string &path, UnfinishedFiles &);
    ~OutputFile(); // not committed: removed
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    void write(std::string_view);
    // Everything has been written. False: see error().
    bool commit();
    bool ok() const { return error_.empty(); }
    const std::string &error() const { return error_; }

private:
    void fail(int errno_value);
    void discard();

    UnfinishedFiles &unfinished_;
    std::string path_;      // as the user knows it
    std::string temporary_; // empty: written in place
    int fd_ = -1;
    bool owned_ = false;
    std::string error_;
};

} // namespace iscsiscope
