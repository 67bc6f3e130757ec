// SPDX-License-Identifier: GPL-2.0-or-later
// Splits the text of an expression into tokens.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/base/units.h"
#include "analyzer/query/expression.h"

#include <string>
#include <string_view>

namespace iscsiscope {

struct Token {
    enum class Kind { end, name, quantity, text, op };
    Kind kind = Kind::end;
    std::size_t position = 0;  // byte in the expression
    std::string_view spelling; // name, op: as written, except that && || ! become and, or, not
    Quantity quantity;
    std::string text; // without its quotes
};

// The text must outlive the tokenizer and its tokens.
class Tokenizer {
public:
    explicit Tokenizer(std::string_view text) : text_(text) {}
    Result<Token, ExpressionMistake> next(); // Kind::end at the end of the text

private:
    Result<Token, ExpressionMistake> quoted(char quote);

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace iscsiscope
