// SPDX-License-Identifier: GPL-2.0-or-later
// JsonWriter: writes a large JSON value in parts, of which one at a time is in memory, as a tree and as text.
#pragma once

#include "analyzer/report/json/json_parts.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Indents by two like json_text(). Keys are written in the order of the calls; each may be written once.
class JsonWriter {
public:
    // `out` must outlive the writer.
    explicit JsonWriter(const std::function<void(std::string_view)> &out) : out_(out) {}

    // Begin an object or array: the outermost one, or a member of the open one. In an array the key is empty.
    void open_object(std::string_view key = {}) { open(key, '{', '}'); }
    void open_array(std::string_view key = {}) { open(key, '[', ']'); }
    // Ends the open object or array; after the outermost one `out` has the whole text, with a line feed.
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
    std::string text_; // not yet passed to out_
    std::vector<Level> levels_;
};

void write_session_figures(JsonWriter &, std::string_view key, const Report &,
                           const std::vector<double> &quantiles);

} // namespace iscsiscope
