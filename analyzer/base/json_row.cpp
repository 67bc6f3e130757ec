// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/json_row.h"

namespace iscsiscope {

std::string json_quoted(std::string_view text) {
    std::string out;
    append_json_text(out, text);
    return out;
}

std::string json_array(const std::vector<std::string> &texts) {
    std::string out = "[";
    for (const std::string &text : texts) {
        out += out.size() > 1 ? "," : "";
        append_json_text(out, text);
    }
    return out + "]";
}

void JsonObject::begin(std::string_view key) {
    if (out_.size() > 1)
        out_ += ',';
    append_json_text(out_, key);
    out_ += ':';
}

JsonObject &JsonObject::text(std::string_view key, std::string_view value) {
    begin(key);
    append_json_text(out_, value);
    return *this;
}

JsonObject &JsonObject::number(std::string_view key, std::optional<std::int64_t> value) {
    return value ? number(key, *value) : json(key, "null");
}

JsonObject &JsonObject::real(std::string_view key, double value) {
    return json(key, fmt::format("{:.6g}", value));
}

JsonObject &JsonObject::json(std::string_view key, std::string_view value) {
    begin(key);
    out_ += value;
    return *this;
}

} // namespace iscsiscope
