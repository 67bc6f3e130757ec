// SPDX-License-Identifier: GPL-2.0-or-later
// RowWriter: writes rows of a table as CSV (RFC 4180, with header line) or JSON Lines.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/query/column.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/output_file.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

inline constexpr std::string_view csv_line_end = "\r\n"; // RFC 4180 section 2

enum class RowFormat { csv, jsonl };

// Parses "a,b,c" to columns in that order; an empty text selects all. The failure is a sentence.
Result<std::vector<const Column *>> choose_columns(const Table &, std::string_view list);

class RowWriter final : public RowTarget {
public:
    RowWriter(RowFormat, std::vector<const Column *>, OutputFile &);

    void header(); // CSV only; JSON Lines has none
    void row(const void *row) override;
    void flush(); // must follow the last row: otherwise the last ones are not written

private:
    void csv_row(const void *row);
    void jsonl_row(const void *row);

    RowFormat format_;
    std::vector<const Column *> columns_;
    std::vector<std::string> keys_; // jsonl: {"name": with its comma
    OutputFile &out_;
    fmt::memory_buffer buffer_;
    Scratch scratch_;
};

// Append one cell; text is quoted where the format requires it, and is valid UTF-8 (utf8.h). In CSV, text
// that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay as they are.
void append_csv(fmt::memory_buffer &, const Value &);
void append_json(fmt::memory_buffer &, const Value &);

} // namespace iscsiscope
