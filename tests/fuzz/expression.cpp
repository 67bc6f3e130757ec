// SPDX-License-Identifier: GPL-2.0-or-later
// A filter typed by a user: compiled or refused with a place inside the text, never more.
#include "analyzer/query/expression.h"
#include "fuzz/engine_input.h"

using namespace iscsiscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const auto compiled = Expression::compile(text, ColumnNames{cycle_table()});
    if (!compiled.ok()) {
        fuzz::require(compiled.failure().position <= size && !compiled.failure().message.empty());
        return compiled.failure().show(text).empty() ? 1 : 0;
    }
    const CycleRecord row;
    compiled.value().holds(&row);
    return 0;
}
