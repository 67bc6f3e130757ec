// SPDX-License-Identifier: GPL-2.0-or-later
// ExpressionBuilder: puts an Expression together, and says which of its operands may be compared. In:
// operands as the parser reads them, and nodes over them, inner ones first. Out: terms, which say of what
// type and unit an operand is; a mistake, where two of them are of no common kind; at last the Expression.
#pragma once

#include "analyzer/query/expression.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace iscsiscope {

// An operand of the expression that is being built.
struct ExpressionTerm {
    std::uint32_t operand = 0; // its number; operands are numbered as they are added, without a gap
    ValueType type{};
    Unit unit{};
    bool literal = false, zero = false, null = false, numbers_as_text = false;
    std::size_t position = 0; // byte in the text of the expression
    std::span<const std::string_view> choices;
    std::string name; // as written
};

class ExpressionBuilder {
public:
    using Op = Expression::Op;

    // Add an operand, which is written at this position.
    ExpressionTerm literal(Value, Unit, std::size_t position);
    ExpressionTerm text(std::string, std::size_t position);
    ExpressionTerm null(std::size_t position);
    ExpressionTerm column(const Column &, std::string_view name, std::size_t position);
    ExpressionTerm constant(const NamedConstant &, std::string_view name, std::size_t position);

    // Returns why the two may not be compared; empty if they may. A text compared with a point in time is a
    // date, and becomes a point in time.
    std::optional<ExpressionMistake> incomparable(ExpressionTerm &, ExpressionTerm &);

    // Adds a node and returns its number. The numbers are those of Expression::Node.
    std::uint32_t add(Op, std::uint32_t first, std::uint32_t second = 0, std::uint32_t count = 0);
    std::size_t nodes() const { return e_.nodes_.size(); }

    // Returns the expression, with this node as its root; nothing may be added then.
    Expression finish(std::uint32_t root);

private:
    std::uint32_t add(Expression::Operand);
    std::optional<ExpressionMistake> make_instant(ExpressionTerm &);
    std::optional<ExpressionMistake> no_choice(const ExpressionTerm &column,
                                               const ExpressionTerm &text) const;

    Expression e_;
};

} // namespace iscsiscope
