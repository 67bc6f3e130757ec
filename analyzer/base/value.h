// SPDX-License-Identifier: GPL-2.0-or-later
// Value: one cell of a row, as a column's getter returns it. "Not known" is a value of its own.
#pragma once

#include "analyzer/base/time.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace iscsiscope {

enum class ValueType : std::uint8_t { unknown, integer, natural, number, boolean, text };

// What a number measures. Columns of unit time end in _ns, those of unit bytes mostly in _bytes.
enum class Unit : std::uint8_t {
    none,
    time,    // a length of time, nanoseconds
    instant, // a point in time, nanoseconds since the Unix epoch
    bytes,
    rate,  // bytes per second
    share, // 0..1
};

// Memory for the text of cells that must be formatted (addresses, CDBs); reused from cell to cell.
using Scratch = std::array<char, 640>;

// A text value points into its row or into the Scratch and is valid until either changes.
class Value {
public:
    Value() = default;
    static Value integer(std::int64_t v) {
        Value r(ValueType::integer);
        r.integer_ = v;
        return r;
    }
    static Value natural(std::uint64_t v) {
        Value r(ValueType::natural);
        r.natural_ = v;
        return r;
    }
    static Value number(double v) {
        Value r(ValueType::number);
        r.number_ = v;
        return r;
    }
    static Value boolean(bool v) {
        Value r(ValueType::boolean);
        r.boolean_ = v;
        return r;
    }
    static Value text(std::string_view v) {
        Value r(ValueType::text);
        r.text_ = v.data();
        r.size_ = v.size();
        return r;
    }

    ValueType type() const { return type_; }
    bool known() const { return type_ != ValueType::unknown; }
    // Each of these is meaningful only if type() is its type.
    std::int64_t as_integer() const { return integer_; }
    std::uint64_t as_natural() const { return natural_; }
    double as_number() const { return number_; }
    bool as_boolean() const { return boolean_; }
    std::string_view as_text() const { return {text_, size_}; }

private:
    explicit Value(ValueType t) : type_(t) {}

    ValueType type_ = ValueType::unknown;
    union {
        std::int64_t integer_ = 0;
        std::uint64_t natural_;
        double number_;
        bool boolean_;
        const char *text_;
    };
    std::size_t size_ = 0; // of a text
};

// Conversions from the types of the records' members.
inline Value to_value(Value v) {
    return v;
}
inline Value to_value(bool v) {
    return Value::boolean(v);
}
template <std::unsigned_integral T>
requires(!std::same_as<T, bool>) Value to_value(T v) {
    return Value::natural(v);
}
template <std::signed_integral T>
Value to_value(T v) {
    return Value::integer(v);
}
inline Value to_value(double v) {
    return Value::number(v);
}
inline Value to_value(Duration v) {
    return Value::integer(to_ns(v));
}
inline Value to_value(Time v) {
    return Value::integer(to_ns(v));
}
// An empty text means that the text is not known.
inline Value to_value(std::string_view v) {
    return v.empty() ? Value{} : Value::text(v);
}

inline Value to_value(const std::string &v) {
    return to_value(std::string_view(v));
}
template <class T>
Value to_value(const std::optional<T> &v) {
    return v ? to_value(*v) : Value{};
}
template <class T>
Value to_value(const CompactOptional<T> &v) {
    return v ? to_value(*v) : Value{};
}

// Returns the type of to_value(T) if the value is known.
template <class T>
constexpr ValueType value_type_of() {
    using U = std::remove_cvref_t<T>;
    if constexpr (std::same_as<U, bool>)
        return ValueType::boolean;
    else if constexpr (std::floating_point<U>)
        return ValueType::number;
    else if constexpr (std::unsigned_integral<U>)
        return ValueType::natural;
    else if constexpr (std::signed_integral<U> || std::same_as<U, Duration> || std::same_as<U, Time>)
        return ValueType::integer;
    else if constexpr (std::same_as<U, std::string> || std::same_as<U, std::string_view>)
        return ValueType::text;
    else if constexpr (requires { typename U::id_kind; })
        return ValueType::natural;
    else if constexpr (requires { typename U::value_type; })
        return value_type_of<typename U::value_type>();
    else
        return ValueType::natural; // Value itself: its cells are numbers or texts
}

} // namespace iscsiscope
