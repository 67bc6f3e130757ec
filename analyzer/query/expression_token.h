// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/quantity.h"
#include "analyzer/query/expression.h"

#include <string>
#include <string_view>
#include <variant>

namespace iscsiscope {

struct Token {
    enum class Kind { end, name, quantity, text, op };
    Kind kind = Kind::end;
    std::size_t position = 0;
    std::string_view spelling; // name, op: as written; && || ! come out as and, or, not
    Quantity quantity;
    std::string text; // without its quotes
};

// Takes the text apart, one token at a time.
class Tokenizer {
public:
    explicit Tokenizer(std::string_view text) : text_(text) {}
    std::variant<Token, ExpressionMistake> next();

private:
    std::variant<Token, ExpressionMistake> quoted(char quote);

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace iscsiscope
