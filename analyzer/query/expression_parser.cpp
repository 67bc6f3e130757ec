// SPDX-License-Identifier: GPL-2.0-or-later
// The parser of expressions, by recursive descent. Grammar:
// either := both { "or" both };  both := no { "and" no };  no := "not" no | "(" either ")" | comparison
// comparison := operand [ op operand | ["not"] "in" "(" literal { "," literal } ")" ]
#include "analyzer/base/instant.h"
#include "analyzer/base/text/nearest_name.h"
#include "analyzer/query/expression.h"
#include "analyzer/query/expression_token.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope {
namespace {

// Nesting: deeper than users write, shallow enough for any stack.
constexpr int deepest = 200;
constexpr std::size_t longest = 5000; // nodes

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

} // namespace

class ExpressionParser {
public:
    ExpressionParser(std::string_view text, const NameSource &names) : tokens_(text), names_(names) {}

    Result<Expression, ExpressionMistake> parse() {
        advance();
        const auto root = either();
        if (root && !mistake_ && token_.kind != Token::Kind::end)
            fail(token_.position, "the expression should end here, or go on with and, or");
        if (root && e_.nodes_.size() > longest)
            fail(0, "the expression is too long");
        if (mistake_ || !root)
            return mistake_.value_or(ExpressionMistake{0, "the expression is empty"});
        e_.root_ = *root;
        return std::move(e_);
    }

private:
    using Op = Expression::Op;
    using Index = std::optional<std::uint32_t>; // empty: a mistake was recorded

    struct Term {
        std::uint32_t operand = 0;
        ValueType type{};
        Unit unit{};
        bool literal = false, zero = false, null = false, numbers_as_text = false;
        std::size_t position = 0;
        std::span<const std::string_view> choices;
        std::string name; // as written
    };

    std::nullopt_t fail(std::size_t position, std::string message) {
        if (!mistake_)
            mistake_ = ExpressionMistake{position, std::move(message)};
        return std::nullopt;
    }

    void advance() {
        auto t = tokens_.next();
        if (!t.ok()) {
            fail(t.failure().position, t.failure().message);
            token_ = Token{};
        } else {
            token_ = std::move(t.value());
        }
    }

    bool at(Token::Kind kind, std::string_view spelling) const {
        return token_.kind == kind && token_.spelling == spelling;
    }
    bool take(Token::Kind kind, std::string_view spelling) {
        if (mistake_ || !at(kind, spelling))
            return false;
        advance();
        return true;
    }
    bool take_word(std::string_view w) { return take(Token::Kind::name, w); }
    bool take_op(std::string_view o) { return take(Token::Kind::op, o); }

    std::uint32_t add(Expression::Node n) {
        e_.nodes_.push_back(n);
        return static_cast<std::uint32_t>(e_.nodes_.size() - 1);
    }

    Index chain(Op op, std::string_view word, Index (ExpressionParser::*part)()) {
        Index left = (this->*part)();
        while (left && take_word(word)) {
            const Index right = (this->*part)();
            if (!right)
                return std::nullopt;
            left = add({op, *left, *right, 0});
        }
        return mistake_ ? std::nullopt : left;
    }

    Index either() { return chain(Op::either, "or", &ExpressionParser::both); }
    Index both() { return chain(Op::both, "and", &ExpressionParser::no); }

    Index no() {
        if (++depth_ > deepest)
            return fail(token_.position, "nested too deeply");
        const Index result = no_inside();
        --depth_;
        return result;
    }

    Index no_inside() {
        if (take_word("not")) {
            const Index inner = no();
            return inner ? Index(add({Op::negate, *inner, 0, 0})) : std::nullopt;
        }
        const std::size_t open = token_.position;
        if (take_op("(")) {
            const Index inner = either();
            if (inner && !take_op(")"))
                return fail(mistake_ ? 0 : open, "this parenthesis is not closed");
            return inner;
        }
        return comparison();
    }

    std::optional<Term> literal(Value v, Unit unit, std::optional<std::string> text) {
        Expression::Operand o;
        o.constant = v;
        if (text) {
            o.text = e_.texts_.size();
            e_.texts_.push_back(std::move(*text));
        }
        e_.operands_.push_back(o);
        Term t;
        t.operand = static_cast<std::uint32_t>(e_.operands_.size() - 1);
        t.type = o.text ? ValueType::text : v.type();
        t.unit = unit;
        t.literal = true;
        t.position = token_.position;
        const bool natural_zero = v.type() == ValueType::natural && v.as_natural() == 0;
        t.zero = natural_zero || (v.type() == ValueType::number && v.as_number() == 0.0);
        return t;
    }

    std::optional<Term> term() {
        std::optional<Term> t;
        switch (token_.kind) {
        case Token::Kind::quantity:
            t = literal(token_.quantity.value, token_.quantity.unit, std::nullopt);
            break;
        case Token::Kind::text:
            t = literal(Value{}, Unit::none, token_.text);
            break;
        case Token::Kind::name:
            t = named();
            break;
        default:
            return fail(token_.position, "a name, a number or a text is missing here");
        }
        if (t)
            advance();
        return t;
    }

    std::optional<Term> named() {
        const std::string_view word = token_.spelling;
        if (word == "true" || word == "false")
            return literal(Value::boolean(word == "true"), Unit::none, std::nullopt);
        if (word == "null") {
            auto t = literal(Value{}, Unit::none, std::nullopt);
            t->null = true;
            return t;
        }
        if (word == "and" || word == "or" || word == "in" || word == "not")
            return fail(token_.position, fmt::format("something is missing before '{}'", word));
        const auto found = names_.find(word);
        if (std::holds_alternative<std::monostate>(found)) {
            std::string message = fmt::format("'{}' is not a {}", word, names_.what());
            if (const std::string near = nearest_name(word, names_.names()); !near.empty())
                message += fmt::format("; did you mean {}?", near);
            return fail(token_.position, std::move(message));
        }
        Expression::Operand o;
        Term t;
        if (const auto *c = std::get_if<const Column *>(&found)) {
            o.column = *c;
            t.type = (*c)->type;
            t.unit = (*c)->unit;
            t.choices = (*c)->choices;
            t.numbers_as_text = (*c)->numbers_as_text;
        } else {
            const auto &constant = std::get<NamedConstant>(found);
            o.constant = constant.value;
            t.type = constant.type;
            t.unit = constant.unit;
        }
        e_.operands_.push_back(o);
        t.operand = static_cast<std::uint32_t>(e_.operands_.size() - 1);
        t.position = token_.position;
        t.name = word;
        return t;
    }

    // A text compared with a point in time is a date.
    bool make_instant(Term &t) {
        Expression::Operand &o = e_.operands_[t.operand];
        const auto instant = parse_instant(e_.texts_[*o.text]);
        if (!instant) {
            fail(t.position, "this is not a date and time such as \"2024-05-01T12:00:00Z\"");
            return false;
        }
        o.constant = Value::integer(to_ns(*instant));
        o.text.reset();
        t.type = ValueType::integer;
        t.unit = Unit::instant;
        return true;
    }

    bool check_choice(const Term &column, const Term &text) {
        if (column.choices.empty() || !text.literal || text.type != ValueType::text)
            return true;
        const std::string &given = e_.texts_[*e_.operands_[text.operand].text];
        if (std::find(column.choices.begin(), column.choices.end(), given) != column.choices.end())
            return true;
        fail(text.position, fmt::format("{} is never \"{}\"; it is one of {}", column.name, given,
                                        fmt::join(column.choices, ", ")));
        return false;
    }

    bool comparable(Term &a, Term &b) {
        if (a.null || b.null)
            return true;
        for (auto [one, two] : {std::pair{&a, &b}, std::pair{&b, &a}})
            if (one->unit == Unit::instant && two->literal && two->type == ValueType::text &&
                !make_instant(*two))
                return false;
        if (!check_choice(a, b) || !check_choice(b, a))
            return false;
        Term &named_one = a.literal ? b : a;
        Term &other_one = a.literal ? a : b;
        const bool numbers = is_numeric(a.type) && is_numeric(b.type);
        bool fits = numbers ? a.unit == b.unit : a.type == b.type;
        if (numbers && other_one.literal && other_one.unit == Unit::none) {
            // A number without a unit is accepted where its unit is unambiguous.
            fits = named_one.unit == Unit::none || named_one.unit == Unit::bytes ||
                   named_one.unit == Unit::share || other_one.zero;
        }
        const auto plain = [](const Term &t) { return is_numeric(t.type) && t.unit == Unit::none; };
        fits = fits || (a.numbers_as_text && plain(b)) || (b.numbers_as_text && plain(a));
        if (!fits) {
            const std::string subject = named_one.name.empty() ? "the left side" : named_one.name;
            fail(other_one.position,
                 fmt::format("{} is {}", subject, kind_of(named_one.type, named_one.unit)));
        }
        return fits;
    }

    Index comparison() {
        auto left = term();
        if (!left || mistake_)
            return std::nullopt;
        const Token op = token_;
        if (op.kind == Token::Kind::op && op.spelling != "(" && op.spelling != ")" && op.spelling != ",") {
            advance();
            return mistake_ ? std::nullopt : relation(*left, op);
        }
        const bool negated = take_word("not");
        if (take_word("in")) {
            const Index list = in_list(*left);
            return list && negated ? Index(add({Op::negate, *list, 0, 0})) : list;
        }
        if (mistake_ || negated)
            return fail(token_.position, "only 'in' can stand here");
        if (left->type != ValueType::boolean)
            return fail(op.position, "a comparison is missing here (== != < <= > >= in)");
        return add({Op::truth, left->operand, 0, 0});
    }

    Index relation(Term left, const Token &op) {
        auto right = term();
        if (!right || mistake_)
            return std::nullopt;
        if (!comparable(left, *right))
            return std::nullopt;
        const std::string_view o = op.spelling;
        const bool equality = o == "==" || o == "!=";
        if (!equality && (left.null || right->null || left.type == ValueType::boolean))
            return fail(op.position, "only == and != can be used with this");
        if (o == ">" || o == ">=")
            return add({o == ">" ? Op::less : Op::less_equal, right->operand, left.operand, 0});
        const Op code = o == "=="   ? Op::equal
                        : o == "!=" ? Op::unequal
                        : o == "<"  ? Op::less
                                    : Op::less_equal;
        // evaluate() expects null on the right.
        const bool turn = left.null;
        return add({code, turn ? right->operand : left.operand, turn ? left.operand : right->operand, 0});
    }

    Index in_list(Term &left) {
        if (!take_op("("))
            return fail(token_.position, "a list in parentheses is missing after 'in'");
        std::vector<std::uint32_t> members;
        do {
            auto member = term();
            if (!member || mistake_)
                return std::nullopt;
            if (!member->literal || member->null)
                return fail(member->position, "a list holds numbers and texts only");
            if (!comparable(left, *member))
                return std::nullopt;
            members.push_back(member->operand);
        } while (take_op(","));
        if (!take_op(")"))
            return fail(token_.position, "a , or ) is missing here");
        // The literals are consecutive operands.
        return add({Op::in, left.operand, members.front(), static_cast<std::uint32_t>(members.size())});
    }

    Tokenizer tokens_;
    const NameSource &names_;
    Token token_;
    Expression e_;
    std::optional<ExpressionMistake> mistake_;
    int depth_ = 0;
};

Result<Expression, ExpressionMistake> Expression::compile(std::string_view text, const NameSource &names) {
    return ExpressionParser(text, names).parse();
}

} // namespace iscsiscope
