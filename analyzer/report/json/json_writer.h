// SPDX-License-Identifier: GPL-2.0-or-later
// JsonWriter: writes JSON value by value; what is written is never in memory as a whole.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/base/time.h"
#include "analyzer/base/value.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace iscsiscope {

// Indents by two. Members are written in the order of the calls; each key may be written once in its object.
// Throws std::bad_alloc, and what `out` throws; the writer is of no use afterwards.
class JsonWriter {
public:
    using Out = std::function<void(std::string_view)>;
    // `out` gets the text in parts and must outlive the writer.
    explicit JsonWriter(const Out &out) : out_(out) {}

    // Begin an object or array: the outermost one, or a member of the open one. In an array the key is empty.
    void open_object(std::string_view key = {}) { open(key, '{', '}'); }
    void open_array(std::string_view key = {}) { open(key, '[', ']'); }
    // Ends the open object or array; after the outermost one `out` has the whole text, with a line feed.
    void close();

    // Add a member to the open object, an element to the open array. Values: truths, numbers, texts, times
    // (as nanoseconds), cells, ranges of values (an array), and optionals of all of these: null if not known.
    template <class T>
    void add(std::string_view key, const T &value) {
        begin_value(key);
        put(value);
        if (text_.size() >= enough)
            pass_on();
    }
    template <class T>
    void add(const T &value) {
        add({}, value);
    }

private:
    static constexpr std::size_t enough = 65536; // bytes that are passed on at once

    template <class T>
    void put(const T &v) {
        static_assert(!std::same_as<T, char>);
        if constexpr (std::same_as<T, std::nullptr_t>)
            text_ += "null";
        else if constexpr (std::same_as<T, bool>)
            text_ += v ? "true" : "false";
        else if constexpr (std::signed_integral<T>)
            put_integer(v);
        else if constexpr (std::unsigned_integral<T>)
            put_natural(v);
        else if constexpr (std::floating_point<T>)
            put_real(v);
        else if constexpr (std::convertible_to<const T &, std::string_view>)
            put_text(v);
        else if constexpr (is_id<T>)
            put_natural(v.number);
        else if constexpr (std::same_as<T, Time> || std::same_as<T, Duration>)
            put_integer(to_ns(v));
        else if constexpr (std::same_as<T, Value>)
            put_cell(v);
        else if constexpr (std::ranges::range<T>)
            put_array(v);
        else if (v) // an optional
            put(*v);
        else
            text_ += "null";
    }
    template <class T>
    void put_array(const T &values) {
        text_ += '[';
        levels_.push_back({']'});
        for (const auto &v : values)
            add(v);
        end_level();
    }
    void put_integer(std::int64_t);
    void put_natural(std::uint64_t);
    void put_real(double); // null if it is not finite
    void put_text(std::string_view);
    void put_cell(const Value &);

    void open(std::string_view key, char begin, char end);
    void begin_value(std::string_view key);
    void end_level();
    void pass_on();

    struct Level {
        char end;
        bool any = false; // has a member
    };
    const Out &out_;
    std::string text_; // not yet passed to out_
    std::vector<Level> levels_;
};

// Returns the whole text of a small value, with a line feed. fill: writes it.
std::string json_text(const std::function<void(JsonWriter &)> &fill);

} // namespace iscsiscope
