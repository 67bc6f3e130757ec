// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json/json_writer.h"

#include "analyzer/base/text/utf8.h"
#include "analyzer/report/json/json_number.h"

#include <array>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

// The characters that stand for themselves (RFC 8259 section 7). Those above 0x7f are looked at in sequences.
constexpr std::array<bool, 256> needs_no_escape = [] {
    std::array<bool, 256> all{};
    for (std::size_t c = 0x20; c < 0x80; ++c)
        all[c] = c != '"' && c != '\\';
    return all;
}();

void append_escaped(std::string &out, char c) {
    constexpr std::string_view shorter = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
    if (const auto at = shorter.find(c); at != std::string_view::npos) {
        out += '\\';
        out += letters[at];
        return;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u00";
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 15U];
}

} // namespace

void JsonWriter::put_text(std::string_view s) {
    text_ += '"';
    std::size_t from = 0, at = 0; // what lies between is copied at once
    while (true) {
        while (at < s.size() && needs_no_escape[static_cast<unsigned char>(s[at])])
            ++at;
        const std::size_t n = at < s.size() ? utf8_sequence(s.substr(at)) : 0;
        if (n > 1) {
            at += n;
            continue;
        }
        text_.append(s, from, at - from);
        if (at == s.size())
            break;
        if (n == 1) {
            append_escaped(text_, s[at]);
        } else {
            const auto escape = escaped_byte(s[at]);
            text_ += '\\'; // the backslash of the escape is itself escaped in JSON
            text_.append(escape.data(), escape.size());
        }
        from = ++at;
    }
    text_ += '"';
}

void JsonWriter::put_integer(std::int64_t v) {
    const fmt::format_int text(v);
    text_.append(text.data(), text.size());
}

void JsonWriter::put_natural(std::uint64_t v) {
    const fmt::format_int text(v);
    text_.append(text.data(), text.size());
}

void JsonWriter::put_real(double v) {
    JsonNumber number;
    text_ += json_number(v, number);
}

void JsonWriter::put_cell(const Value &v) {
    switch (v.type()) {
    case ValueType::unknown:
        text_ += "null";
        break;
    case ValueType::integer:
        put_integer(v.as_integer());
        break;
    case ValueType::natural:
        put_natural(v.as_natural());
        break;
    case ValueType::number:
        put_real(v.as_number());
        break;
    case ValueType::boolean:
        text_ += v.as_boolean() ? "true" : "false";
        break;
    case ValueType::text:
        put_text(v.as_text());
        break;
    }
}

void JsonWriter::begin_value(std::string_view key) {
    if (levels_.empty())
        return;
    Level &level = levels_.back();
    text_ += level.any ? ",\n" : "\n";
    level.any = true;
    text_.append(2 * levels_.size(), ' ');
    if (level.end == '}') {
        put_text(key);
        text_ += ": ";
    }
}

void JsonWriter::open(std::string_view key, char begin, char end) {
    begin_value(key);
    text_ += begin;
    levels_.push_back({end});
}

void JsonWriter::end_level() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.any) {
        text_ += '\n';
        text_.append(2 * levels_.size(), ' ');
    }
    text_ += level.end;
}

void JsonWriter::close() {
    end_level();
    if (levels_.empty()) {
        text_ += '\n';
        pass_on();
    }
}

void JsonWriter::pass_on() {
    out_(text_);
    text_.clear();
}

std::string json_text(const std::function<void(JsonWriter &)> &fill) {
    std::string text;
    const JsonWriter::Out out = [&](std::string_view part) { text += part; };
    JsonWriter writer(out);
    fill(writer);
    return text;
}

} // namespace iscsiscope
