// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/common/truth_file.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope::testbed {

TruthFile::~TruthFile() {
    if (file_) {
        file_.reset();
        if (!temporary_.empty())
            ::unlink(temporary_.c_str());
    }
}

Status TruthFile::open(const std::string &path) {
    path_ = path;
    struct stat there {};
    const bool special = ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
    temporary_ = special ? "" : path + ".part";
    first_error_ = 0;
    file_.reset(std::fopen(special ? path.c_str() : temporary_.c_str(), "we"));
    if (!file_)
        return Failure{fmt::format("{}: cannot write: {}", path, std::strerror(errno))};
    return std::nullopt;
}

void TruthFile::write(const TruthRow &row) {
    const std::string line = row.str() + '\n';
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() && first_error_ == 0)
        first_error_ = errno;
}

Status TruthFile::close() {
    if (std::fclose(file_.release()) != 0 && first_error_ == 0)
        first_error_ = errno;
    if (first_error_ == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)
        first_error_ = errno;
    if (first_error_ == 0)
        return std::nullopt;
    if (!temporary_.empty())
        ::unlink(temporary_.c_str());
    return Failure{fmt::format("{}: not written: {}", path_, std::strerror(first_error_))};
}

} // namespace iscsiscope::testbed
