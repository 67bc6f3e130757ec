// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace iscsiscope::testbed::shim {

// Builds one JSON object, member by member, on one line. Enough for rows of a .jsonl file.
class JsonObject {
public:
    JsonObject &text(std::string_view key, std::string_view value) {
        begin(key);
        quote(value);
        return *this;
    }
    JsonObject &number(std::string_view key, std::int64_t value) {
        return raw(key, fmt::format("{}", value));
    }
    JsonObject &count(std::string_view key, std::uint64_t value) {
        return raw(key, fmt::format("{}", value));
    }
    JsonObject &real(std::string_view key, double value) { return raw(key, fmt::format("{:.6g}", value)); }
    JsonObject &flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
    // `value` is JSON already: a nested object or array.
    JsonObject &raw(std::string_view key, std::string_view value) {
        begin(key);
        out_ += value;
        return *this;
    }
    std::string str() const { return out_ + "}"; }

private:
    void begin(std::string_view key) {
        if (out_.size() > 1) {
            out_ += ',';
        }
        quote(key);
        out_ += ':';
    }
    void quote(std::string_view text) {
        out_ += '"';
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                out_ += '\\';
                out_ += c;
            } else if (byte < 0x20 || byte == 0x7f) {
                out_ += fmt::format("\\u{:04x}", byte);
            } else {
                out_ += c;
            }
        }
        out_ += '"';
    }
    std::string out_ = "{";
};

} // namespace iscsiscope::testbed::shim
