// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of a table as text: CSV (RFC 4180, with header line) or JSON Lines.
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

// "a,b,c" → columns in that order; empty text: all. A mistake is a sentence.
Result<std::vector<const Column *>> choose_columns(const Table &, std::string_view list);

class RowWriter final : public RowTarget {
public:
    RowWriter(RowFormat, std::vector<const Column *>, OutputFile &);

    void header(); // CSV only; JSON Lines has none
    void row(const void *row) override;
    void flush(); // when all has been said: what is not flushed is not written

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

// One cell, appended. Text is quoted where the format asks for it.
void append_csv(fmt::memory_buffer &, const Value &);
void append_json(fmt::memory_buffer &, const Value &);

} // namespace iscsiscope
