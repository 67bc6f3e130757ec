// SPDX-License-Identifier: GPL-2.0-or-later
// Internal to this folder: reads a TOML table key by key and remembers what was asked for, so that
// every unknown key and every wrong value is named with its line.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "analyzer/base/text/nearest_name.h"
#include "analyzer/base/units.h"
#include "sample-captures/testbed/scenario/scenario.h"

#include <fmt/format.h>
#include <limits>
#include <set>

namespace iscsiscope::testbed::scenario {

class TableReader {
public:
    TableReader(const toml::table &table, std::string path, std::vector<Mistake> &mistakes)
        : table_(table), path_(std::move(path)), mistakes_(mistakes) {}

    bool has(std::string_view key) const { return table_.contains(key); }
    std::optional<std::string> text(std::string_view key);
    std::optional<bool> flag(std::string_view key);
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
    std::optional<double> share(std::string_view key);    // 0..1, or "0.1%"
    std::optional<double> fraction(std::string_view key); // 0..1 only
    std::optional<Duration> duration(std::string_view key);
    std::optional<std::int64_t> rate(std::string_view key);
    std::optional<std::uint64_t> bytes(std::string_view key); // "64KiB" or a plain integer
    std::vector<std::string> texts(std::string_view key);     // an array of strings
    std::vector<std::uint64_t> counts(std::string_view key);  // an array of integers from 1
    std::optional<TableReader> table(std::string_view key);
    std::vector<TableReader> tables(std::string_view key); // an array of tables
    const toml::node *node(std::string_view key);          // marks it as known
    std::string require_text(std::string_view key);        // a mistake if absent

    // Names every key that nobody asked for.
    void refuse_the_rest();
    void mistake(std::string_view key, const std::string &message);
    std::string path_of(std::string_view key) const;
    const toml::table &raw() const { return table_; }

private:
    static std::uint32_t line_of(const toml::node &node) { return node.source().begin.line; }
    template <typename T>
    std::optional<T> quantity(std::string_view key, Result<T> (*parse)(std::string_view));

    const toml::table &table_;
    std::string path_;
    std::vector<Mistake> &mistakes_;
    std::set<std::string, std::less<>> known_;
};

} // namespace iscsiscope::testbed::scenario
