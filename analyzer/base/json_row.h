// SPDX-License-Identifier: GPL-2.0-or-later
// JsonObject: writes one JSON object on one line, member by member (rows of JSON Lines files, progress).
#pragma once

#include "analyzer/base/text/utf8.h"

#include <concepts>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Appends the text, quoted and escaped, to a std::string or fmt::memory_buffer. Bytes that are not valid
// UTF-8, which names from the wire may contain, are shown as \xHH (utf8.h).
template <class Buffer>
void append_json_text(Buffer &out, std::string_view s) {
    out.push_back('"');
    while (!s.empty()) {
        const std::size_t n = utf8_sequence(s);
        const char c = s.front();
        if (n == 0) {
            const auto escape = escaped_byte(c);
            out.push_back('\\'); // the backslash of the escape is itself escaped in JSON
            out.append(escape.data(), escape.data() + escape.size());
            s.remove_prefix(1);
            continue;
        }
        if (n > 1) {
            out.append(s.begin(), s.begin() + n);
        } else if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out.push_back(c);
        }
        s.remove_prefix(n);
    }
    out.push_back('"');
}

std::string json_quoted(std::string_view);
std::string json_array(const std::vector<std::string> &texts);

// {"row":"command","cid":1,…}. A value that is not known is written as null and never omitted.
class JsonObject {
public:
    JsonObject() = default;
    explicit JsonObject(std::string_view row) { text("row", row); } // row: the kind

    JsonObject &text(std::string_view key, std::string_view value);
    template <std::integral T>
    JsonObject &number(std::string_view key, T value) {
        return json(key, fmt::format_int(value).str());
    }
    JsonObject &number(std::string_view key, std::optional<std::int64_t> value);
    JsonObject &real(std::string_view key, double value); // six digits
    JsonObject &truth(std::string_view key, bool value) { return json(key, value ? "true" : "false"); }
    // Adds a value that is JSON text: an object, an array, null.
    JsonObject &json(std::string_view key, std::string_view value);

    // Returns the complete object, without a line feed.
    std::string str() const { return out_ + '}'; }

private:
    void begin(std::string_view key);
    std::string out_ = "{";
};

} // namespace iscsiscope
