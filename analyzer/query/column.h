// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the row tables. CSV, JSONL, filters, the data base and the other front ends all take them
// from here. Names and order are stable interfaces: columns may be added at the end, none is renamed.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/base/time.h"
#include "analyzer/base/value.h"
#include "analyzer/cycles/records/connection_records.h"
#include "analyzer/cycles/records/ledger_entry.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/tcp/inference/tcp_sample.h"
#include "analyzer/tcp/tcp_figures.h"

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace iscsiscope {

struct Column {
    std::string_view name;
    Unit unit{};
    ValueType type{};
    // row: an object of the table's row type. A text in the value lives as long as row and scratch.
    Value (*get)(const void *row, Scratch &) = nullptr;
    std::span<const std::string_view> choices{}; // the values of a name column; empty: any
    std::size_t width = 0; // bytes of an unsigned number as the record holds it; 0: it is none
    // Texts of which some are whole numbers in decimal (LUNs): expressions may compare them with numbers.
    bool numbers_as_text = false;
    std::string_view since = "0.1"; // the first version that has the column
};

struct Table {
    std::string_view name; // that of the sub-command
    std::span<const Column> columns;

    const Column *find(std::string_view column) const; // by full name; null: no such column
};

// The row type of the table of TCP figures in reports: one direction of a connection.
struct TcpDirectionRow {
    PduDirection direction{};
    FinalDirectionFigures figures; // never null
};

const Table &pdu_table();        // rows: PduRecord
const Table &cycle_table();      // CycleRecord
const Table &burst_table();      // BurstRecord
const Table &gap_table();        // GapRecord
const Table &ledger_table();     // LedgerEntry
const Table &connection_table(); // ConnectionRecord
const Table &tcp_table();        // TcpSampleRecord

const Table &tcp_direction_table(); // TcpDirectionRow; part of reports, not a sub-command

template <class T>
constexpr std::size_t width_of() {
    if constexpr (is_id<T>)
        return sizeof(std::uint64_t);
    else if constexpr (requires { typename T::value_type; })
        return width_of<typename T::value_type>();
    else
        return std::unsigned_integral<T> && !std::same_as<T, bool> ? sizeof(T) : 0;
}

template <class Row, class Getter>
decltype(auto) get_cell(const Row &row, [[maybe_unused]] Scratch &scratch) {
    if constexpr (std::is_invocable_v<Getter, const Row &>)
        return Getter{}(row);
    else
        return Getter{}(row, scratch);
}

// Getter: a lambda without captures from const Row & (and Scratch &) to a type that to_value() accepts.
template <class Row, class Getter>
constexpr Column make_column(std::string_view name, Unit unit, Getter,
                             std::span<const std::string_view> choices = {}) {
    static_assert(std::is_empty_v<Getter>);
    using Result = std::remove_cvref_t<decltype(get_cell<Row, Getter>(std::declval<const Row &>(),
                                                                      std::declval<Scratch &>()))>;
    return {name,
            unit,
            value_type_of<Result>(),
            [](const void *row, Scratch &s) {
                return to_value(get_cell<Row, Getter>(*static_cast<const Row *>(row), s));
            },
            choices,
            width_of<Result>()};
}

constexpr Column numbers_as_text(Column c) {
    c.numbers_as_text = true;
    return c;
}

// For a column that was added later than the first version.
constexpr Column since(std::string_view version, Column c) {
    c.since = version;
    return c;
}

} // namespace iscsiscope
