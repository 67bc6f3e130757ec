// SPDX-License-Identifier: GPL-2.0-or-later
// The parser of expressions, by recursive descent. Grammar:
// either := both { "or" both };  both := no { "and" no };  no := "not" no | "(" either ")" | comparison
// comparison := operand [ op operand | ["not"] "in" "(" literal { "," literal } ")" ]
#include "analyzer/base/text/nearest_name.h"
#include "analyzer/query/expression.h"
#include "analyzer/query/expression_builder.h"
#include "analyzer/query/expression_token.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

// Nesting: deeper than users write, shallow enough for any stack.
constexpr int deepest = 200;
constexpr std::size_t longest = 5000; // nodes

class ExpressionParser {
public:
    ExpressionParser(std::string_view text, const NameSource &names) : tokens_(text), names_(names) {}

    Result<Expression, ExpressionMistake> parse() {
        advance();
        const auto root = either();
        if (root && !mistake_ && token_.kind != Token::Kind::end)
            fail(token_.position, "the expression should end here, or go on with and, or");
        if (root && build_.nodes() > longest)
            fail(0, "the expression is too long");
        if (mistake_ || !root)
            return mistake_.value_or(ExpressionMistake{0, "the expression is empty"});
        return build_.finish(*root);
    }

private:
    using Op = ExpressionBuilder::Op;
    using Term = ExpressionTerm;
    using Index = std::optional<std::uint32_t>; // empty: a mistake was recorded

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

    Index chain(Op op, std::string_view word, Index (ExpressionParser::*part)()) {
        Index left = (this->*part)();
        while (left && take_word(word)) {
            const Index right = (this->*part)();
            if (!right)
                return std::nullopt;
            left = build_.add(op, *left, *right);
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
            return inner ? Index(build_.add(Op::negate, *inner)) : std::nullopt;
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

    std::optional<Term> term() {
        std::optional<Term> t;
        switch (token_.kind) {
        case Token::Kind::quantity:
            t = build_.literal(token_.quantity.value, token_.quantity.unit, token_.position);
            break;
        case Token::Kind::text:
            t = build_.text(token_.text, token_.position);
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
            return build_.literal(Value::boolean(word == "true"), Unit::none, token_.position);
        if (word == "null")
            return build_.null(token_.position);
        if (word == "and" || word == "or" || word == "in" || word == "not")
            return fail(token_.position, fmt::format("something is missing before '{}'", word));
        const auto found = names_.find(word);
        if (std::holds_alternative<std::monostate>(found)) {
            std::string message = fmt::format("'{}' is not a {}", word, names_.what());
            if (const std::string near = nearest_name(word, names_.names()); !near.empty())
                message += fmt::format("; did you mean {}?", near);
            return fail(token_.position, std::move(message));
        }
        if (const auto *column = std::get_if<const Column *>(&found))
            return build_.column(**column, word, token_.position);
        return build_.constant(std::get<NamedConstant>(found), word, token_.position);
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
            return list && negated ? Index(build_.add(Op::negate, *list)) : list;
        }
        if (mistake_ || negated)
            return fail(token_.position, "only 'in' can stand here");
        if (left->type != ValueType::boolean)
            return fail(op.position, "a comparison is missing here (== != < <= > >= in)");
        return build_.add(Op::truth, left->operand);
    }

    Index relation(Term left, const Token &op) {
        auto right = term();
        if (!right || mistake_)
            return std::nullopt;
        if (const auto mistake = build_.incomparable(left, *right))
            return fail(mistake->position, mistake->message);
        const std::string_view o = op.spelling;
        const bool equality = o == "==" || o == "!=";
        if (!equality && (left.null || right->null || left.type == ValueType::boolean))
            return fail(op.position, "only == and != can be used with this");
        if (o == ">" || o == ">=")
            return build_.add(o == ">" ? Op::less : Op::less_equal, right->operand, left.operand);
        const Op code = o == "=="   ? Op::equal
                        : o == "!=" ? Op::unequal
                        : o == "<"  ? Op::less
                                    : Op::less_equal;
        // evaluate() expects null on the right.
        const bool turn = left.null;
        return build_.add(code, turn ? right->operand : left.operand, turn ? left.operand : right->operand);
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
            if (const auto mistake = build_.incomparable(left, *member))
                return fail(mistake->position, mistake->message);
            members.push_back(member->operand);
        } while (take_op(","));
        if (!take_op(")"))
            return fail(token_.position, "a , or ) is missing here");
        // The literals are consecutive operands.
        return build_.add(Op::in, left.operand, members.front(), static_cast<std::uint32_t>(members.size()));
    }

    Tokenizer tokens_;
    const NameSource &names_;
    Token token_;
    ExpressionBuilder build_;
    std::optional<ExpressionMistake> mistake_;
    int depth_ = 0;
};

} // namespace

Result<Expression, ExpressionMistake> Expression::compile(std::string_view text, const NameSource &names) {
    return ExpressionParser(text, names).parse();
}

} // namespace iscsiscope
