// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/expression_token.h"

#include "analyzer/base/text/ascii.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

} // namespace

Result<Token, ExpressionMistake> Tokenizer::quoted(char quote) {
    Token t{Token::Kind::text, at_, {}, {}, {}};
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
        if (text_[i] == quote) {
            at_ = i + 1;
            return t;
        }
        if (text_[i] == '\\' && i + 1 < text_.size())
            ++i; // an escaped character stands for itself
        t.text += text_[i];
    }
    return ExpressionMistake{at_, "this text has no closing quote"};
}

Result<Token, ExpressionMistake> Tokenizer::next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
        ++at_;
    Token t{Token::Kind::end, at_, {}, {}, {}};
    if (at_ == text_.size())
        return t;
    const std::string_view rest = text_.substr(at_);
    const char c = rest.front();
    if (is_letter(c)) {
        std::size_t n = 1;
        while (n < rest.size() && (is_letter(rest[n]) || is_digit(rest[n]) || rest[n] == '.'))
            ++n;
        t.kind = Token::Kind::name;
        t.spelling = rest.substr(0, n);
        at_ += n;
        return t;
    }
    const bool negative = c == '-' && rest.size() > 1 && (is_digit(rest[1]) || rest[1] == '.');
    if (is_digit(c) || negative || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
        const auto r = read_quantity(rest.substr(negative ? 1 : 0));
        if (!r.ok())
            return ExpressionMistake{at_, r.failure().message};
        t.kind = Token::Kind::quantity;
        t.quantity = r.value();
        if (negative) {
            const Value v = t.quantity.value;
            if (v.type() == ValueType::natural && v.as_natural() <= 0x7fffffffffffffff) {
                t.quantity.value = Value::integer(-static_cast<std::int64_t>(v.as_natural()));
            } else {
                t.quantity.value = Value::number(
                    v.type() == ValueType::natural ? -static_cast<double>(v.as_natural()) : -v.as_number());
            }
        }
        at_ += r.value().length + (negative ? 1 : 0);
        return t;
    }
    if (c == '"' || c == '\'')
        return quoted(c);
    t.kind = Token::Kind::op;
    for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"}) {
        if (rest.starts_with(two)) {
            t.spelling = two == "&&" ? "and" : two == "||" ? "or" : two;
            t.kind = two == "&&" || two == "||" ? Token::Kind::name : Token::Kind::op;
            at_ += 2;
            return t;
        }
    }
    ++at_;
    switch (c) {
    case '<':
    case '>':
    case '(':
    case ')':
    case ',':
        t.spelling = rest.substr(0, 1);
        return t;
    case '!':
        t.kind = Token::Kind::name;
        t.spelling = "not";
        return t;
    case '=':
        return ExpressionMistake{t.position, "a single = is not used here; equality is =="};
    default:
        return ExpressionMistake{t.position, "this character has no meaning here"};
    }
}

} // namespace iscsiscope
