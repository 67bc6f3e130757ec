// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/run/host_setup.h"

namespace iscsiscope::testbed::run {

// Files of a run are made in a hidden folder beside their final place and moved there when all are
// complete; without publish() nothing is left.
class OutputFolder {
public:
    // `folder` is made if it is not there.
    static Result<OutputFolder> create(const std::string &folder, const std::string &name);
    OutputFolder(OutputFolder &&other) noexcept;
    OutputFolder &operator=(OutputFolder &&) = delete;
    ~OutputFolder(); // removes the hidden folder and what is in it

    std::string temporary(const std::string &file) const { return hidden_ + "/" + file; }
    // Moves the named files, which replaces older ones. Returns their final paths.
    Result<std::vector<std::string>> publish(const std::vector<std::string> &files);

private:
    OutputFolder(std::string folder, std::string hidden)
        : folder_(std::move(folder)), hidden_(std::move(hidden)) {}
    std::string folder_;
    std::string hidden_;
};

} // namespace iscsiscope::testbed::run
