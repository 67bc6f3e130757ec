// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a large JSON value, written part by part: a report of thousands of sessions is held as text,
// and no more than one part of it as a tree as well.
#pragma once

#include "analyzer/report/json_parts.h"

#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Indents by two, as Json::dump(2) does. Each key once, in the order of the calls.
class JsonWriter {
public:
    // Appends to `out`, which must outlive it.
    explicit JsonWriter(std::string &out) : out_(out) {}

    // An object or array begins: the outermost, or a member of the one that is open. key: none in an array.
    void open_object(std::string_view key = {}) { open(key, '{', '}'); }
    void open_array(std::string_view key = {}) { open(key, '[', ']'); }
    void close();
    void add(std::string_view key, const Json &);
    void add(const Json &value) { add({}, value); }

private:
    void open(std::string_view key, char begin, char end);
    void begin_value(std::string_view key);

    struct Level {
        char end;
        bool any = false; // has a member
    };
    std::string &out_;
    std::vector<Level> levels_;
};

void write_session_figures(JsonWriter &, std::string_view key, const Report &,
                           const std::vector<double> &quantiles);

} // namespace iscsiscope
