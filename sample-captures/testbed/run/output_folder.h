// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/common/file_descriptor.h"
#include "sample-captures/testbed/run/host_setup.h"

#include <string>
#include <utility>
#include <vector>

namespace iscsiscope::testbed::run {

// The right of one run to write into a folder; it ends with the object, or with the process.
class FolderLock {
public:
    // `folder` is made if it is not there. A failure where another run has it.
    static Result<FolderLock> take(const std::string &folder);

private:
    explicit FolderLock(shim::FileDescriptor folder) : folder_(std::move(folder)) {}
    shim::FileDescriptor folder_;
};

// Files of a run are made in a hidden folder beside their final place and moved there when all are
// complete; without publish() nothing is left.
class OutputFolder {
public:
    // `folder` is made if it is not there, and locked.
    static Result<OutputFolder> create(const std::string &folder, const std::string &name);
    OutputFolder(OutputFolder &&other) noexcept;
    OutputFolder &operator=(OutputFolder &&) = delete;
    ~OutputFolder(); // removes the hidden folder and what is in it

    std::string temporary(const std::string &file) const { return hidden_ + "/" + file; }
    // Moves the named files, which replaces older ones. Returns their final paths; after a failure all are as
    // before, the older ones too where the file system can exchange two names.
    Result<std::vector<std::string>> publish(const std::vector<std::string> &files);

private:
    OutputFolder(FolderLock lock, std::string folder) : lock_(std::move(lock)), folder_(std::move(folder)) {}
    FolderLock lock_;
    std::string folder_;
    std::string hidden_;           // empty: there is none
    shim::FileDescriptor content_; // of the hidden folder
};

} // namespace iscsiscope::testbed::run
