// SPDX-License-Identifier: GPL-2.0-or-later
// A filter typed by a user: compiled or refused with a place inside the text, never more.
#include "analyzer/query/expression.h"
#include "fuzz/engine_input.h"

using namespace iscsiscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const auto compiled = Expression::compile(text, ColumnNames{cycle_table()});
    if (const auto *mistake = std::get_if<ExpressionMistake>(&compiled)) {
        fuzz::require(mistake->position <= size && !mistake->message.empty());
        return mistake->show(text).empty() ? 1 : 0;
    }
    const CycleRecord row;
    std::get<Expression>(compiled).holds(&row);
    return 0;
}
