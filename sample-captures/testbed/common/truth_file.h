// SPDX-License-Identifier: GPL-2.0-or-later
// A truth file: JSON Lines, one object a row, each with a "row" member that names its kind.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope::testbed {

// One row under construction: {"row":"command","cid":1,…}. Text is escaped, numbers are integers;
// a value that is not known is written as null, never left out.
class TruthRow {
public:
    explicit TruthRow(std::string_view kind);

    TruthRow &text(std::string_view key, std::string_view value);
    TruthRow &number(std::string_view key, std::int64_t value);
    TruthRow &number(std::string_view key, std::optional<std::int64_t> value);
    TruthRow &truth(std::string_view key, bool value);
    // value must be valid JSON already (an array of numbers or objects).
    TruthRow &json(std::string_view key, std::string_view value);

    // The finished line, without its line feed.
    std::string str() const { return text_ + '}'; }

private:
    void key(std::string_view);
    std::string text_;
};

// Quoted and escaped for JSON.
std::string json_quoted(std::string_view);

// Writes rows to a temporary name beside the path and renames it on a successful close, so that no
// half file is left under the path. A path that is there and no regular file (a pipe, a device) is
// written to as it is. One thread at a time.
class TruthFile {
public:
    TruthFile() = default;
    ~TruthFile(); // without close(): the temporary file is removed
    TruthFile(const TruthFile &) = delete;
    TruthFile &operator=(const TruthFile &) = delete;

    // False, with a sentence in error, where the file cannot be made.
    bool open(const std::string &path, std::string &error);
    void write(const TruthRow &);
    // False where any byte could not be written (disk full); the file is removed then.
    bool close(std::string &error);
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
