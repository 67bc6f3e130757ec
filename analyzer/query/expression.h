// SPDX-License-Identifier: GPL-2.0-or-later
// The expression language of --filter, of --fail-on and of the desktop program (docs/command-line.md):
//   type == "write" and r2t_count > 2 and response_time > 5ms
//   opcode in (0x28, 0x88) and not complete
// Names are those of the columns, with or without their suffix _ns or _bytes. A comparison with a value that
// is not known is false; `x == null` tests for it.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/query/column.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iscsiscope {

struct ExpressionMistake {
    std::size_t position = 0; // byte in the expression
    std::string message;

    // Returns three lines: the message, the expression, and a caret below the position.
    std::string show(std::string_view expression) const;
};

// A name whose value does not depend on a row.
struct NamedConstant {
    Value value; // may be unknown; `type` holds all the same
    Unit unit = Unit::none;
    ValueType type = ValueType::number;
};

// Resolves the names in an expression.
class NameSource {
public:
    virtual ~NameSource() = default;
    // Returns monostate if there is no such name.
    virtual std::variant<std::monostate, const Column *, NamedConstant> find(std::string_view name) const = 0;
    // The names to suggest instead of a misspelt one; need not be complete.
    virtual std::vector<std::string> names() const = 0;
    virtual std::string_view what() const = 0; // what a name denotes, for messages: "column of cycles"
};

// The columns of a table as names.
class ColumnNames final : public NameSource {
public:
    explicit ColumnNames(const Table &table) : table_(table) {}
    std::variant<std::monostate, const Column *, NamedConstant> find(std::string_view name) const override;
    std::vector<std::string> names() const override;
    std::string_view what() const override { return what_; }

private:
    const Table &table_;
    std::string what_ = "column of " + std::string(table_.name);
};

// A compiled expression. It may outlive its text and its NameSource, but not the table.
class Expression {
public:
    static Result<Expression, ExpressionMistake> compile(std::string_view text, const NameSource &);

    // row: points to an object of the table's row type. Thread-safe.
    bool holds(const void *row) const;

private:
    friend class ExpressionBuilder;

    enum class Op : std::uint8_t { both, either, negate, truth, equal, unequal, less, less_equal, in };
    struct Operand {
        const Column *column = nullptr; // else the constant
        Value constant;
        std::optional<std::size_t> text; // index into texts_, for a constant that is a text
    };
    struct Node {
        Op op{};
        std::uint32_t first = 0, second = 0; // both, either: nodes; comparisons: operands; in: operand range
        std::uint32_t count = 0;             // in: operands from second on
    };

    bool evaluate(std::uint32_t node, const void *row) const;
    bool test(const Node &, const void *row) const;
    Value fetch(const Operand &, const void *row, Scratch &) const;

    std::vector<Node> nodes_;
    std::vector<Operand> operands_;
    std::vector<std::string> texts_;
    std::uint32_t root_ = 0;
};

} // namespace iscsiscope
