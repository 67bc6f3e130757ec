// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/common/truth_file.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope::testbed {

std::string json_quoted(std::string_view value) {
    std::string out = "\"";
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            // Bytes above ASCII stand for themselves (Latin-1): the file stays valid UTF-8 whatever
            // a peer sent as its name.
            out += fmt::format("\\u{:04x}", byte);
        } else {
            out += c;
        }
    }
    return out + '"';
}

TruthRow::TruthRow(std::string_view kind) : text_("{\"row\":" + json_quoted(kind)) {}

void TruthRow::key(std::string_view name) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":";
}

TruthRow &TruthRow::text(std::string_view name, std::string_view value) {
    key(name);
    text_ += json_quoted(value);
    return *this;
}

TruthRow &TruthRow::number(std::string_view name, std::int64_t value) {
    key(name);
    text_ += fmt::format_int(value).str();
    return *this;
}

TruthRow &TruthRow::number(std::string_view name, std::optional<std::int64_t> value) {
    if (value)
        return number(name, *value);
    return json(name, "null");
}

TruthRow &TruthRow::truth(std::string_view name, bool value) {
    return json(name, value ? "true" : "false");
}

TruthRow &TruthRow::json(std::string_view name, std::string_view value) {
    key(name);
    text_ += value;
    return *this;
}

TruthFile::~TruthFile() {
    if (file_) {
        file_.reset();
        if (!temporary_.empty())
            ::unlink(temporary_.c_str());
    }
}

bool TruthFile::open(const std::string &path, std::string &error) {
    path_ = path;
    struct stat there {};
    const bool special = ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
    temporary_ = special ? "" : path + ".part";
    first_error_ = 0;
    file_.reset(std::fopen(special ? path.c_str() : temporary_.c_str(), "we"));
    if (!file_)
        error = fmt::format("{}: cannot write: {}", path, std::strerror(errno));
    return file_ != nullptr;
}

void TruthFile::write(const TruthRow &row) {
    const std::string line = row.str() + '\n';
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() && first_error_ == 0)
        first_error_ = errno;
}

bool TruthFile::close(std::string &error) {
    if (std::fclose(file_.release()) != 0 && first_error_ == 0)
        first_error_ = errno;
    if (first_error_ == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)
        first_error_ = errno;
    if (first_error_ == 0)
        return true;
    if (!temporary_.empty())
        ::unlink(temporary_.c_str());
    error = fmt::format("{}: not written: {}", path_, std::strerror(first_error_));
    return false;
}

} // namespace iscsiscope::testbed
