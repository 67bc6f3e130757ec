// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json/json_writer.h"

namespace iscsiscope {
namespace {

constexpr std::size_t enough = 65536; // bytes that are passed on at once

} // namespace

void JsonWriter::begin_value(std::string_view key) {
    if (levels_.empty())
        return;
    text_ += levels_.back().any ? ",\n" : "\n";
    levels_.back().any = true;
    text_.append(2 * levels_.size(), ' ');
    if (levels_.back().end == '}') {
        text_ += json_text(std::string(key));
        text_ += ": ";
    }
}

void JsonWriter::open(std::string_view key, char begin, char end) {
    begin_value(key);
    text_ += begin;
    levels_.push_back({end});
}

void JsonWriter::close() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.any) {
        text_ += '\n';
        text_.append(2 * levels_.size(), ' ');
    }
    text_ += level.end;
    if (levels_.empty()) {
        text_ += '\n';
        pass_on();
    }
}

void JsonWriter::pass_on() {
    out_(text_);
    text_.clear();
}

void JsonWriter::add(std::string_view key, const Json &value) {
    begin_value(key);
    const std::string text =
        json_text(value); // no line feed but between its parts: those in strings are escaped
    std::size_t from = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', from)) {
        text_.append(text, from, at + 1 - from);
        text_.append(2 * levels_.size(), ' ');
        from = at + 1;
    }
    text_.append(text, from);
    if (text_.size() >= enough)
        pass_on();
}

} // namespace iscsiscope
