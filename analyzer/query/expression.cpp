// SPDX-License-Identifier: GPL-2.0-or-later
// Resolution of names and evaluation of compiled expressions. The parser is in expression_parser.cpp.
#include "analyzer/query/expression.h"

#include <charconv>
#include <compare>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

// Returns a name without its unit: response_time for response_time_ns.
std::string_view bare(std::string_view column) {
    for (const std::string_view suffix : {"_ns", "_bytes"})
        if (column.ends_with(suffix))
            return column.substr(0, column.size() - suffix.size());
    return column;
}

bool is_number(const Value &v) {
    return v.type() == ValueType::integer || v.type() == ValueType::natural || v.type() == ValueType::number;
}

// On x86-64 long double represents every 64-bit integer exactly; compare() compares whole numbers as
// integers, so that other machines give the same result.
long double widest(const Value &v) {
    switch (v.type()) {
    case ValueType::integer:
        return static_cast<long double>(v.as_integer());
    case ValueType::natural:
        return static_cast<long double>(v.as_natural());
    default:
        return static_cast<long double>(v.as_number());
    }
}

// Returns the whole number that a text is in decimal, such as a LUN; none: it is another text.
std::optional<Value> number_in(const Value &v) {
    const std::string_view text = v.as_text();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(Value::natural(number))
                                                                    : std::nullopt;
}

std::partial_ordering compare_numbers(const Value &a, const Value &b) {
    if (a.type() == ValueType::natural && b.type() == ValueType::natural)
        return a.as_natural() <=> b.as_natural();
    if (a.type() == ValueType::integer && b.type() == ValueType::integer)
        return a.as_integer() <=> b.as_integer();
    return widest(a) <=> widest(b);
}

// Returns unordered if the values are of different kinds or one is not known. A text beside a number is one
// of numbers_as_text: what is no number is beyond all numbers.
std::partial_ordering compare(const Value &a, const Value &b) {
    if (!a.known() || !b.known())
        return std::partial_ordering::unordered;
    if (is_number(a) && is_number(b))
        return compare_numbers(a, b);
    if (a.type() == ValueType::text && is_number(b)) {
        const auto number = number_in(a);
        return number ? compare_numbers(*number, b) : std::partial_ordering::greater;
    }
    if (is_number(a) && b.type() == ValueType::text) {
        const auto number = number_in(b);
        return number ? compare_numbers(a, *number) : std::partial_ordering::less;
    }
    if (a.type() != b.type())
        return std::partial_ordering::unordered;
    if (a.type() == ValueType::boolean)
        return a.as_boolean() <=> b.as_boolean();
    return a.as_text() <=> b.as_text();
}

} // namespace

std::string ExpressionMistake::show(std::string_view expression) const {
    // The caret is placed by terminal columns: continuation bytes of UTF-8 have no width.
    std::string line, caret;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        const char c = expression[i];
        line += c == '\n' || c == '\t' ? ' ' : c;
        if (i < position && (static_cast<unsigned char>(c) & 0xc0) != 0x80)
            caret += ' ';
    }
    return fmt::format("{} (at character {})\n  {}\n  {}^", message, caret.size() + 1, line, caret);
}

std::variant<std::monostate, const Column *, NamedConstant> ColumnNames::find(std::string_view name) const {
    if (const Column *c = table_.find(name))
        return c;
    for (const Column &c : table_.columns)
        if (bare(c.name) == name)
            return &c;
    return std::monostate{};
}

std::vector<std::string> ColumnNames::names() const {
    std::vector<std::string> all;
    for (const Column &c : table_.columns)
        all.emplace_back(bare(c.name));
    return all;
}

Value Expression::fetch(const Operand &o, const void *row, Scratch &scratch) const {
    if (o.column != nullptr)
        return o.column->get(row, scratch);
    return o.text ? Value::text(texts_[*o.text]) : o.constant;
}

bool Expression::evaluate(std::uint32_t index, const void *row) const {
    const Node &n = nodes_[index];
    switch (n.op) {
    case Op::both:
        return evaluate(n.first, row) && evaluate(n.second, row);
    case Op::either:
        return evaluate(n.first, row) || evaluate(n.second, row);
    case Op::negate:
        return !evaluate(n.first, row);
    default:
        return test(n, row);
    }
}

bool Expression::test(const Node &n, const void *row) const {
    Scratch left_scratch;
    const Value left = fetch(operands_[n.first], row, left_scratch);
    if (n.op == Op::truth)
        return left.type() == ValueType::boolean && left.as_boolean();
    Scratch right_scratch;
    if (n.op == Op::in) {
        for (std::uint32_t i = 0; i < n.count; ++i)
            if (compare(left, fetch(operands_[n.second + i], row, right_scratch)) == 0)
                return true;
        return false;
    }
    const Operand &other = operands_[n.second];
    const Value right = fetch(other, row, right_scratch);
    const bool asks_for_null = other.column == nullptr && !other.text && !right.known();
    if (asks_for_null && n.op == Op::equal)
        return !left.known();
    if (asks_for_null && n.op == Op::unequal)
        return left.known();
    const std::partial_ordering order = compare(left, right);
    switch (n.op) {
    case Op::equal:
        return order == 0;
    case Op::unequal:
        return order < 0 || order > 0;
    case Op::less:
        return order < 0;
    default:
        return order <= 0;
    }
}

bool Expression::holds(const void *row) const {
    return evaluate(root_, row);
}

} // namespace iscsiscope
