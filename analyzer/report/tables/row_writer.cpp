// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/row_writer.h"

#include "analyzer/base/json_row.h"
#include "analyzer/base/text/nearest_name.h"
#include "analyzer/base/text/utf8.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace iscsiscope {
namespace {

constexpr std::size_t flush_at = 64 * 1024;

void append(fmt::memory_buffer &b, std::string_view s) {
    b.append(s.data(), s.data() + s.size());
}

void append_number(fmt::memory_buffer &b, const Value &v) {
    switch (v.type()) {
    case ValueType::integer: {
        const fmt::format_int f(v.as_integer());
        b.append(f.data(), f.data() + f.size());
        break;
    }
    case ValueType::natural: {
        const fmt::format_int f(v.as_natural());
        b.append(f.data(), f.data() + f.size());
        break;
    }
    default: {
        const std::size_t begin = b.size();
        fmt::format_to(std::back_inserter(b), "{}", v.as_number());
        // A point and a digit (RFC 8259 section 6), so that a reader takes 0 and 1 for real numbers too.
        if (std::string_view(b.data() + begin, b.size() - begin).find_first_not_of("-0123456789") ==
            std::string_view::npos)
            append(b, ".0");
    }
    }
}

// Spreadsheet programs calculate a cell that begins so, also behind a tab or line break. Texts come from the
// network: a target may have any name.
bool spreadsheet_would_run(std::string_view text) {
    return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
}

} // namespace

void append_csv(fmt::memory_buffer &b, const Value &v) {
    switch (v.type()) {
    case ValueType::unknown:
        return;
    case ValueType::boolean:
        return append(b, v.as_boolean() ? "true" : "false");
    case ValueType::text:
        break;
    default:
        return append_number(b, v);
    }
    if (!is_utf8(v.as_text()))
        return append_csv(b, Value::text(utf8_text(v.as_text())));
    const std::string_view s = v.as_text();
    const bool formula = spreadsheet_would_run(s);
    if (!formula && s.find_first_of(",\"\r\n") == std::string_view::npos)
        return append(b, s);
    b.push_back('"');
    if (formula)
        b.push_back('\'');
    for (const char c : s) {
        if (c == '"')
            b.push_back('"');
        b.push_back(c);
    }
    b.push_back('"');
}

void append_json(fmt::memory_buffer &b, const Value &v) {
    switch (v.type()) {
    case ValueType::unknown:
        return append(b, "null");
    case ValueType::boolean:
        return append(b, v.as_boolean() ? "true" : "false");
    case ValueType::number:
        return std::isfinite(v.as_number()) ? append_number(b, v) : append(b, "null");
    case ValueType::text:
        break;
    default:
        return append_number(b, v);
    }
    append_json_text(b, v.as_text());
}

Result<std::vector<const Column *>> choose_columns(const Table &table, std::string_view list) {
    std::vector<const Column *> chosen;
    if (list.empty()) {
        for (const Column &c : table.columns)
            chosen.push_back(&c);
        return chosen;
    }
    while (true) {
        const auto comma = list.find(',');
        const std::string_view name = list.substr(0, comma);
        const Column *c = table.find(name);
        if (c == nullptr) {
            std::vector<std::string> names;
            for (const Column &each : table.columns)
                names.emplace_back(each.name);
            const std::string near = nearest_name(name, names);
            return Failure{fmt::format("{} has no column '{}'{}\nits columns: {}", table.name, name,
                                       near.empty() ? "" : fmt::format("; did you mean {}?", near),
                                       fmt::join(names, ","))};
        }
        chosen.push_back(c);
        if (comma == std::string_view::npos)
            return chosen;
        list.remove_prefix(comma + 1);
    }
}

RowWriter::RowWriter(RowFormat format, std::vector<const Column *> columns, OutputFile &out)
    : format_(format), columns_(std::move(columns)), out_(out) {
    for (const Column *c : columns_)
        keys_.push_back(fmt::format("{}\"{}\":", keys_.empty() ? "{" : ",", c->name));
}

void RowWriter::flush() {
    out_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
}

void RowWriter::header() {
    if (format_ == RowFormat::jsonl)
        return;
    for (const Column *c : columns_) {
        if (c != columns_.front())
            buffer_.push_back(',');
        append(buffer_, c->name);
    }
    append(buffer_, csv_line_end);
}

void RowWriter::csv_row(const void *row) {
    bool first = true;
    for (const Column *c : columns_) {
        if (!first)
            buffer_.push_back(',');
        first = false;
        append_csv(buffer_, c->get(row, scratch_));
    }
    append(buffer_, csv_line_end);
}

void RowWriter::jsonl_row(const void *row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        append(buffer_, keys_[i]);
        append_json(buffer_, columns_[i]->get(row, scratch_));
    }
    append(buffer_, "}\n");
}

void RowWriter::row(const void *row) {
    if (format_ == RowFormat::csv)
        csv_row(row);
    else
        jsonl_row(row);
    if (buffer_.size() >= flush_at)
        flush();
}

} // namespace iscsiscope
