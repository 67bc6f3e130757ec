// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/described_columns.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/json_row.h"
#include "analyzer/query/column.h"
#include "analyzer/report/tables/summary_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace iscsiscope {
namespace {

std::string_view type_word(ValueType t) {
    switch (t) {
    case ValueType::integer:
    case ValueType::natural:
        return "integer";
    case ValueType::number:
        return "real";
    case ValueType::boolean:
        return "boolean";
    case ValueType::text:
        return "text";
    case ValueType::unknown:
        break;
    }
    return "any";
}

// glossary: the table's name in the glossary.
DescribedColumn described(std::string_view glossary, std::string name, ValueType type, std::string_view since,
                          std::span<const std::string_view> values) {
    DescribedColumn d{std::move(name), type_word(type), {}, {}, since, {values.begin(), values.end()}};
    if (const GlossaryEntry *e = find_term(fmt::format("{}.{}", glossary, d.name))) {
        d.meaning = e->meaning;
        // The glossary gives the sort of a value where it measures nothing: the type states that already.
        for (const std::string_view sort : {"-", "text", "name", "flag"})
            if (e->unit == sort)
                return d;
        d.unit = e->unit;
    }
    return d;
}

DescribedTable described(std::string_view name, const Table &t, bool command, bool csv, bool sqlite) {
    DescribedTable d{std::string(name), command, csv, sqlite, {}};
    for (const Column &c : t.columns)
        d.columns.push_back(described(t.name, std::string(c.name), c.type, c.since, c.choices));
    return d;
}

DescribedTable described(const SummaryTable &t, bool csv) {
    DescribedTable d{t.name, false, csv, true, {}};
    for (const SummaryColumn &c : t.columns)
        d.columns.push_back(described(t.name, c.name, c.type, c.since, {}));
    return d;
}

std::string json_of(const DescribedColumn &c) {
    std::vector<std::string> values(c.values.begin(), c.values.end());
    JsonObject o;
    o.text("name", c.name).text("type", c.type);
    if (c.unit.empty())
        o.json("unit", "null");
    else
        o.text("unit", c.unit);
    o.text("meaning", c.meaning).text("since", c.since);
    return o.json("values", values.empty() ? "null" : json_array(values)).str();
}

} // namespace

std::vector<DescribedTable> described_tables(const std::vector<double> &quantiles) {
    std::vector<DescribedTable> all = {
        described("cycles", cycle_table(), true, true, true),
        described("pdus", pdu_table(), true, false, false),
        described("bursts", burst_table(), true, true, true),
        described("gaps", gap_table(), true, true, true),
        described("connections", connection_table(), true, true, true),
        described("tcp", tcp_table(), true, false, false),
        described("tcp_samples", tcp_table(), false, false, true),
        described(facts_table(Report{}, {}), false),
    };
    for (const SummaryTable &t : summary_tables(Report{}, quantiles))
        all.push_back(described(t, true));
    return all;
}

std::string columns_json(const std::vector<DescribedTable> &tables) {
    std::string out = "[";
    for (const DescribedTable &t : tables) {
        std::string columns;
        for (const DescribedColumn &c : t.columns)
            columns += (columns.empty() ? "\n   " : ",\n   ") + json_of(c);
        JsonObject o;
        o.text("table", t.name).truth("command", t.command).truth("csv", t.csv).truth("sqlite", t.sqlite);
        out += (out.size() > 1 ? ",\n " : "\n ") + o.json("columns", "[" + columns + "\n  ]").str();
    }
    return out + "\n]\n";
}

std::string columns_text(const std::vector<DescribedTable> &tables, const TextStyle &style) {
    TextPage page(style);
    for (const DescribedTable &t : tables) {
        std::vector<std::string> places;
        if (t.command)
            places.push_back(fmt::format("iscsiscope {}", t.name));
        if (t.csv)
            places.emplace_back("the CSV folder");
        if (t.sqlite)
            places.emplace_back("the SQLite report");
        page.heading(t.name, fmt::format("{}", fmt::join(places, ", ")));
        for (const DescribedColumn &c : t.columns) {
            page.line(fmt::format("{}  ({}{}{}; since {})", c.name, c.type, c.unit.empty() ? "" : ", ",
                                  c.unit, c.since),
                      2, Tone::strong);
            page.line(c.meaning, 6);
        }
    }
    return page.finish();
}

} // namespace iscsiscope
