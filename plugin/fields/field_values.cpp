// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/field_values.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace iscsiscope::plugin {

void FieldValues::clear() {
    items_.clear();
    texts_.assign(1, '\0');
}

Item &FieldValues::add(ItemKind kind, Field field) {
    Item &item = items_.emplace_back();
    item.kind = kind;
    item.field = field;
    return item;
}

std::size_t FieldValues::keep(std::string_view text) {
    const std::size_t at = texts_.size();
    texts_.insert(texts_.end(), text.begin(), text.end());
    texts_.push_back('\0');
    return at;
}

void FieldValues::open(Field f, Subtree s) {
    Item &item = add(ItemKind::subtree, f);
    item.subtree = s;
    item.text = keep("");
}

void FieldValues::append(std::string_view words) {
    texts_.pop_back();
    keep(words);
}

void FieldValues::append(std::uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void FieldValues::close() {
    if (items_.back().kind == ItemKind::subtree)
        items_.pop_back();
    else
        add(ItemKind::end_of_subtree, {});
}

void FieldValues::columns(Subtree subtree, Part part, const void *row) {
    Scratch scratch;
    for (const ColumnField &f : column_fields(subtree)) {
        if (f.part != part)
            continue;
        const Value v = f.column->get(row, scratch);
        if (!v.known())
            continue;
        if (part == Part::phase && v.as_integer() == 0)
            continue;
        if (!f.column->choices.empty())
            enumerator(f, v.as_text());
        else if (f.kind == ItemKind::time)
            add(f.kind, f.field).nanoseconds = v.as_integer();
        else if (f.kind == ItemKind::share)
            add(f.kind, f.field).share = v.as_number();
        else if (f.kind != ItemKind::text)
            add(f.kind, f.field).number = v.as_natural();
        else if (v.type() == ValueType::text)
            text(f.field, v.as_text());
        else
            text(f.field, std::to_string(v.as_natural()));
    }
}

void FieldValues::enumerator(const ColumnField &f, std::string_view name) {
    const auto choices = f.column->choices;
    const auto at = std::find(choices.begin(), choices.end(), name);
    if (at != choices.end())
        add(f.kind, f.field).number = static_cast<std::uint64_t>(at - choices.begin());
}

void FieldValues::flag(Field f) {
    add(ItemKind::flag, f).number = 1;
}

void FieldValues::number(Field f, std::uint32_t v) {
    add(ItemKind::number, f).number = v;
}

void FieldValues::frame(Field f, FrameNumber v, std::string_view note) {
    Item &item = add(ItemKind::number, f);
    item.number = v;
    item.note = note.empty() ? 0 : keep(note);
}

void FieldValues::text(Field f, std::string_view v) {
    add(ItemKind::text, f).text = keep(v);
}

void FieldValues::expert(expert_field *expert, std::string_view text) {
    Item &item = add(ItemKind::expert, {});
    item.expert = expert;
    item.text = keep(text);
}

} // namespace iscsiscope::plugin
