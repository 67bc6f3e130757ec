// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a large JSON value, written part by part: of a report of thousands of sessions no more than one
// part is held, as a tree and as text.
#pragma once

#include "analyzer/report/json/json_parts.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Indents by two, as Json::dump(2) does. Each key once, in the order of the calls.
class JsonWriter {
public:
    // out must outlive it.
    explicit JsonWriter(const std::function<void(std::string_view)> &out) : out_(out) {}

    // An object or array begins: the outermost, or a member of the one that is open. key: none in an array.
    void open_object(std::string_view key = {}) { open(key, '{', '}'); }
    void open_array(std::string_view key = {}) { open(key, '[', ']'); }
    // Behind the outermost one: a line feed, and all has been given to `out`.
    void close();
    void add(std::string_view key, const Json &);
    void add(const Json &value) { add({}, value); }

private:
    void open(std::string_view key, char begin, char end);
    void begin_value(std::string_view key);
    void pass_on();

    struct Level {
        char end;
        bool any = false; // has a member
    };
    const std::function<void(std::string_view)> &out_;
    std::string text_; // not yet given to it
    std::vector<Level> levels_;
};

void write_session_figures(JsonWriter &, std::string_view key, const Report &,
                           const std::vector<double> &quantiles);

} // namespace iscsiscope
