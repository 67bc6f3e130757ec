// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/expression_builder.h"

#include "analyzer/base/instant.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

bool is_numeric(ValueType t) {
    return t == ValueType::integer || t == ValueType::natural || t == ValueType::number;
}

std::string_view kind_of(ValueType t, Unit u) {
    if (t == ValueType::boolean)
        return "true or false";
    if (t == ValueType::text)
        return "a text";
    switch (u) {
    case Unit::none:
        return "a plain number";
    case Unit::time:
        return "a length of time (give a unit, such as 5ms)";
    case Unit::instant:
        return "a point in time (such as \"2024-05-01T12:00:00Z\")";
    case Unit::bytes:
        return "a size (such as 64KiB)";
    case Unit::rate:
        return "a rate (such as 10MB/s)";
    case Unit::share:
        return "a share (such as 5% or 0.05)";
    }
    return "something else";
}

bool is_zero(const Value &v) {
    return (v.type() == ValueType::natural && v.as_natural() == 0) ||
           (v.type() == ValueType::number && v.as_number() == 0.0);
}

bool is_plain_number(const ExpressionTerm &t) {
    return is_numeric(t.type) && t.unit == Unit::none;
}

} // namespace

std::uint32_t ExpressionBuilder::add(Expression::Operand o) {
    e_.operands_.push_back(o);
    return static_cast<std::uint32_t>(e_.operands_.size() - 1);
}

ExpressionTerm ExpressionBuilder::literal(Value v, Unit unit, std::size_t position) {
    Expression::Operand o;
    o.constant = v;
    ExpressionTerm t;
    t.operand = add(o);
    t.type = v.type();
    t.unit = unit;
    t.literal = true;
    t.zero = is_zero(v);
    t.position = position;
    return t;
}

ExpressionTerm ExpressionBuilder::text(std::string text, std::size_t position) {
    Expression::Operand o;
    o.text = e_.texts_.size();
    e_.texts_.push_back(std::move(text));
    ExpressionTerm t;
    t.operand = add(o);
    t.type = ValueType::text;
    t.unit = Unit::none;
    t.literal = true;
    t.position = position;
    return t;
}

ExpressionTerm ExpressionBuilder::null(std::size_t position) {
    ExpressionTerm t = literal(Value{}, Unit::none, position);
    t.null = true;
    return t;
}

ExpressionTerm ExpressionBuilder::column(const Column &c, std::string_view name, std::size_t position) {
    Expression::Operand o;
    o.column = &c;
    ExpressionTerm t;
    t.operand = add(o);
    t.type = c.type;
    t.unit = c.unit;
    t.choices = c.choices;
    t.numbers_as_text = c.numbers_as_text;
    t.position = position;
    t.name = name;
    return t;
}

ExpressionTerm ExpressionBuilder::constant(const NamedConstant &c, std::string_view name,
                                           std::size_t position) {
    Expression::Operand o;
    o.constant = c.value;
    ExpressionTerm t;
    t.operand = add(o);
    t.type = c.type;
    t.unit = c.unit;
    t.position = position;
    t.name = name;
    return t;
}

std::optional<ExpressionMistake> ExpressionBuilder::make_instant(ExpressionTerm &t) {
    Expression::Operand &o = e_.operands_[t.operand];
    const auto instant = parse_instant(e_.texts_[*o.text]);
    if (!instant)
        return ExpressionMistake{t.position, "this is not a date and time such as \"2024-05-01T12:00:00Z\""};
    o.constant = Value::integer(to_ns(*instant));
    o.text.reset();
    t.type = ValueType::integer;
    t.unit = Unit::instant;
    return std::nullopt;
}

// Returns a mistake if the column has a few values only, of which this literal text is none.
std::optional<ExpressionMistake> ExpressionBuilder::no_choice(const ExpressionTerm &column,
                                                              const ExpressionTerm &text) const {
    if (column.choices.empty() || !text.literal || text.type != ValueType::text)
        return std::nullopt;
    const std::string &given = e_.texts_[*e_.operands_[text.operand].text];
    if (std::find(column.choices.begin(), column.choices.end(), given) != column.choices.end())
        return std::nullopt;
    return ExpressionMistake{text.position, fmt::format("{} is never \"{}\"; it is one of {}", column.name,
                                                        given, fmt::join(column.choices, ", "))};
}

std::optional<ExpressionMistake> ExpressionBuilder::incomparable(ExpressionTerm &a, ExpressionTerm &b) {
    if (a.null || b.null)
        return std::nullopt;
    for (auto [one, two] : {std::pair{&a, &b}, std::pair{&b, &a}})
        if (one->unit == Unit::instant && two->literal && two->type == ValueType::text)
            if (auto mistake = make_instant(*two))
                return mistake;
    if (auto mistake = no_choice(a, b))
        return mistake;
    if (auto mistake = no_choice(b, a))
        return mistake;
    const ExpressionTerm &named_one = a.literal ? b : a;
    const ExpressionTerm &other_one = a.literal ? a : b;
    const bool numbers = is_numeric(a.type) && is_numeric(b.type);
    bool fits = numbers ? a.unit == b.unit : a.type == b.type;
    if (numbers && other_one.literal && other_one.unit == Unit::none) {
        // A number without a unit is accepted where its unit is unambiguous.
        fits = named_one.unit == Unit::none || named_one.unit == Unit::bytes ||
               named_one.unit == Unit::share || other_one.zero;
    }
    fits = fits || (a.numbers_as_text && is_plain_number(b)) || (b.numbers_as_text && is_plain_number(a));
    if (fits)
        return std::nullopt;
    const std::string subject = named_one.name.empty() ? "the left side" : named_one.name;
    return ExpressionMistake{other_one.position,
                             fmt::format("{} is {}", subject, kind_of(named_one.type, named_one.unit))};
}

std::uint32_t ExpressionBuilder::add(Op op, std::uint32_t first, std::uint32_t second, std::uint32_t count) {
    e_.nodes_.push_back({op, first, second, count});
    return static_cast<std::uint32_t>(e_.nodes_.size() - 1);
}

Expression ExpressionBuilder::finish(std::uint32_t root) {
    e_.root_ = root;
    return std::move(e_);
}

} // namespace iscsiscope
