// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/table_reader.h"

namespace iscsiscope::testbed::scenario {
std::string TableReader::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TableReader::mistake(std::string_view key, const std::string &message) {
    const toml::node *at = table_.get(key);
    mistakes_.push_back({line_of(at != nullptr ? *at : table_), path_of(key), message});
}

const toml::node *TableReader::node(std::string_view key) {
    known_.insert(std::string(key));
    return table_.get(key);
}

void TableReader::refuse_the_rest() {
    for (const auto &[name, value] : table_) {
        const std::string_view key = name.str();
        if (known_.count(key) > 0)
            continue;
        std::string message = "unknown key";
        const std::string nearest = nearest_name(key, {known_.begin(), known_.end()});
        message += nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
        mistakes_.push_back({name.source().begin.line, path_of(key), message});
    }
}

std::optional<std::string> TableReader::text(std::string_view key) {
    const toml::node *found = node(key);
    if (found == nullptr)
        return std::nullopt;
    if (const auto *value = found->as_string())
        return value->get();
    mistake(key, "expected a string in quotes");
    return std::nullopt;
}

std::string TableReader::require_text(std::string_view key) {
    if (!has(key)) {
        node(key);
        mistake(key, "is missing");
        return {};
    }
    return text(key).value_or("");
}

std::optional<bool> TableReader::flag(std::string_view key) {
    const toml::node *found = node(key);
    if (found == nullptr)
        return std::nullopt;
    if (const auto *value = found->as_boolean())
        return value->get();
    mistake(key, "expected true or false");
    return std::nullopt;
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t least,
                                                 std::int64_t most) {
    const toml::node *found = node(key);
    if (found == nullptr)
        return std::nullopt;
    const auto *value = found->as_integer();
    if (value == nullptr || value->get() < least || value->get() > most) {
        mistake(key, fmt::format("expected a whole number from {} to {}", least, most));
        return std::nullopt;
    }
    return value->get();
}

std::optional<double> TableReader::fraction(std::string_view key) {
    const toml::node *found = node(key);
    if (found == nullptr)
        return std::nullopt;
    const std::optional<double> value = found->value<double>();
    if (!found->is_number() || !value || !(*value >= 0.0 && *value <= 1.0)) {
        mistake(key, "expected a number from 0 to 1");
        return std::nullopt;
    }
    return value;
}

std::optional<double> TableReader::share(std::string_view key) {
    const toml::node *found = node(key);
    if (found == nullptr || !found->is_string())
        return fraction(key);
    return quantity<double>(key, parse_share);
}

template <typename T>
std::optional<T> TableReader::quantity(std::string_view key, Result<T> (*parse)(std::string_view)) {
    const toml::node *found = node(key);
    if (found == nullptr)
        return std::nullopt;
    const auto *value = found->as_string();
    if (value == nullptr) {
        mistake(key, "expected a string with a unit, as in \"16ms\", \"100Mbit/s\" or \"64KiB\"");
        return std::nullopt;
    }
    Result<T> parsed = parse(value->get());
    if (!parsed.ok()) {
        mistake(key, parsed.failure().message);
        return std::nullopt;
    }
    return parsed.value();
}

std::optional<Duration> TableReader::duration(std::string_view key) {
    return quantity<Duration>(key, parse_duration);
}

std::optional<std::int64_t> TableReader::rate(std::string_view key) {
    const auto rate = quantity<std::uint64_t>(key, parse_rate);
    return rate ? std::optional(static_cast<std::int64_t>(*rate)) : std::nullopt;
}

std::optional<std::uint64_t> TableReader::bytes(std::string_view key) {
    const toml::node *found = node(key);
    if (found != nullptr && found->is_integer()) {
        const auto value = integer(key, 0, std::numeric_limits<std::int64_t>::max());
        return value ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*value)) : std::nullopt;
    }
    return quantity<std::uint64_t>(key, parse_bytes);
}

std::vector<std::string> TableReader::texts(std::string_view key) {
    std::vector<std::string> all;
    const toml::node *found = node(key);
    if (found == nullptr)
        return all;
    const toml::array *array = found->as_array();
    if (array == nullptr) {
        mistake(key, "expected an array of strings, as in [\"a\", \"b\"]");
        return all;
    }
    for (const toml::node &item : *array)
        if (const auto *value = item.as_string())
            all.push_back(value->get());
        else
            mistakes_.push_back({line_of(item), path_of(key), "expected a string in quotes"});
    return all;
}

std::vector<std::uint64_t> TableReader::counts(std::string_view key) {
    std::vector<std::uint64_t> all;
    const toml::node *found = node(key);
    const toml::array *array = found != nullptr ? found->as_array() : nullptr;
    if (found != nullptr && array == nullptr)
        mistake(key, "expected an array of whole numbers, as in [10, 11]");
    if (array == nullptr)
        return all;
    for (const toml::node &item : *array) {
        const auto *value = item.as_integer();
        if (value != nullptr && value->get() >= 1)
            all.push_back(static_cast<std::uint64_t>(value->get()));
        else
            mistakes_.push_back({line_of(item), path_of(key), "expected a whole number from 1"});
    }
    return all;
}

std::optional<TableReader> TableReader::table(std::string_view key) {
    const toml::node *found = node(key);
    if (found == nullptr)
        return std::nullopt;
    if (const toml::table *inner = found->as_table())
        return TableReader(*inner, path_of(key), mistakes_);
    mistake(key, "expected a table");
    return std::nullopt;
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
    std::vector<TableReader> all;
    const toml::node *found = node(key);
    if (found == nullptr)
        return all;
    const toml::array *array = found->as_array();
    if (array == nullptr) {
        mistake(key, fmt::format("expected an array of tables, as in [[{}]]", path_of(key)));
        return all;
    }
    std::size_t number = 0;
    for (const toml::node &item : *array) {
        if (const toml::table *inner = item.as_table())
            all.emplace_back(*inner, fmt::format("{}[{}]", path_of(key), number), mistakes_);
        else
            mistakes_.push_back({line_of(item), path_of(key), "expected a table"});
        ++number;
    }
    return all;
}

} // namespace iscsiscope::testbed::scenario
