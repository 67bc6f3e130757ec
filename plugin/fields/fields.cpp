// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/fields.h"

#include "analyzer/base/glossary/glossary.h"
#include "plugin/fields/field_table.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace iscsiscope::plugin {
namespace {

constexpr auto subtree_count = static_cast<std::size_t>(Subtree::count);

// Wireshark writes the numbers of the fields and subtrees into this object when they are registered, and
// keeps pointers to the descriptions until the program ends.
struct Registered {
    std::vector<int> hf; // by Field
    std::vector<std::string> blurbs;
    std::deque<std::string> names; // of enumerators
    std::deque<std::vector<value_string>> enumerations;
    std::vector<hf_register_info> info;
    std::array<gint, subtree_count> ett;
    std::array<std::vector<ColumnField>, subtree_count> columns;
};
Registered &registered() {
    static Registered r;
    return r;
}

ftenum type_of(const Column &c) {
    if (!c.choices.empty())
        return FT_UINT8; // with their names, so that Wireshark refuses a filter on a misspelt one
    if (c.unit == Unit::time)
        return FT_RELATIVE_TIME;
    if (c.type == ValueType::number)
        return FT_DOUBLE;
    if (c.name.ends_with("_frame"))
        return FT_FRAMENUM;
    switch (c.width) {
    case 1:
        return FT_UINT8;
    case 2:
        return FT_UINT16;
    case 4:
        return FT_UINT32;
    case 8:
        return FT_UINT64;
    default:
        return FT_STRING;
    }
}

ItemKind kind_of(ftenum type) {
    switch (type) {
    case FT_RELATIVE_TIME:
        return ItemKind::time;
    case FT_DOUBLE:
        return ItemKind::share;
    case FT_UINT64:
        return ItemKind::big_number;
    case FT_STRING:
        return ItemKind::text;
    default:
        return ItemKind::number;
    }
}

// The glossary's sentence on a field, without its full stop. Its entry is named plugin.X for the field
// iscsiscope.X, or as an end of that name: as the field itself or as the column or phase that it shows.
std::string describe(std::string_view abbrev, ftenum type, bool late) {
    std::string text(meaning_of("plugin" + std::string(abbrev.substr(abbrev.find('.')))));
    if (text.ends_with('.'))
        text.pop_back();
    if (type == FT_RELATIVE_TIME)
        text += " (seconds)";
    return late ? text + "; not in one pass" : text;
}

// Returns the names of the numbers from 0 on, as Wireshark takes them. Empty names are left out.
template <class NameAt>
const value_string *enumeration(std::size_t count, NameAt name_at) {
    Registered &r = registered();
    std::vector<value_string> &values = r.enumerations.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name(name_at(i));
        if (!name.empty())
            values.push_back({static_cast<guint32>(i), r.names.emplace_back(name).c_str()});
    }
    values.push_back({0, nullptr});
    return values.data();
}

const void *strings_of(const OwnDescription &d) {
    if (d.name_of == nullptr)
        return nullptr;
    return enumeration(256, [&](std::size_t i) { return d.name_of(static_cast<std::uint8_t>(i)); });
}

const void *strings_of(const ColumnDescription &d, const Column &column, ftenum type) {
    if (!column.choices.empty())
        return enumeration(column.choices.size(), [&](std::size_t i) { return column.choices[i]; });
    if (column.name == "opcode")
        return enumeration(256, [](std::size_t i) { return command_name(static_cast<std::uint8_t>(i)); });
    if (type == FT_FRAMENUM)
        return FRAMENUM_TYPE(d.link);
    return column.unit == Unit::bytes ? &units_byte_bytes : nullptr;
}

int display_of(const ColumnDescription &d, const Column &column, ftenum type) {
    switch (type) {
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
    case FT_UINT64:
        return column.unit == Unit::bytes ? BASE_DEC | BASE_UNIT_STRING : d.display;
    default:
        return BASE_NONE;
    }
}

// Registers fields and subtrees of the two tables of field_table.h.
void describe_fields(int protocol) {
    Registered &r = registered();
    r = {};
    std::size_t count = own_fields().size();
    for (const SubtreeColumns &s : subtree_columns())
        count += s.fields.size();
    r.hf.assign(count, -1);
    r.blurbs.reserve(count); // its elements must not move
    r.info.reserve(count);
    const auto add = [&r](const auto &d, ftenum type, int display, const void *strings, bool late) {
        const std::string &blurb = r.blurbs.emplace_back(describe(d.abbrev, type, late));
        r.info.push_back(
            {&r.hf[r.info.size()], {d.name, d.abbrev, type, display, strings, 0, blurb.c_str(), HFILL}});
    };
    for (const OwnDescription &d : own_fields())
        add(d, d.type, d.type == FT_UINT32 || d.type == FT_UINT8 ? BASE_DEC : BASE_NONE, strings_of(d),
            d.late);
    for (const SubtreeColumns &s : subtree_columns()) {
        for (const ColumnDescription &d : s.fields) {
            const Column &column = *s.table().find(d.column);
            const ftenum type = type_of(column);
            r.columns[static_cast<std::size_t>(s.subtree)].push_back(
                {static_cast<Field>(r.info.size()), kind_of(type), d.part, &column});
            add(d, type, display_of(d, column, type), strings_of(d, column, type), d.part == Part::late);
        }
    }
    proto_register_field_array(protocol, r.info.data(), static_cast<int>(count));
    r.ett.fill(-1);
    std::array<gint *, subtree_count> subtrees;
    for (std::size_t i = 0; i < subtree_count; ++i)
        subtrees[i] = &r.ett[i];
    proto_register_subtree_array(subtrees.data(), static_cast<int>(subtree_count));
}

} // namespace

void register_experts(int protocol); // experts.cpp

int hf(Field f) {
    return registered().hf[static_cast<std::size_t>(f)];
}

gint ett(Subtree s) {
    return registered().ett[static_cast<std::size_t>(s)];
}

std::span<const ColumnField> column_fields(Subtree s) {
    return registered().columns[static_cast<std::size_t>(s)];
}

void register_fields(int protocol) {
    describe_fields(protocol);
    register_experts(protocol);
}

} // namespace iscsiscope::plugin
