// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/field_values.h"

#include <charconv>

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

void FieldValues::say(std::string_view words) {
    texts_.pop_back();
    keep(words);
}

void FieldValues::say(std::uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    say(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void FieldValues::close() {
    add(ItemKind::end_of_subtree, {});
}

void FieldValues::number(Field f, std::uint32_t v) {
    add(ItemKind::number, f).number = v;
}

void FieldValues::big_number(Field f, std::uint64_t v) {
    add(ItemKind::big_number, f).number = v;
}

void FieldValues::frame(Field f, FrameNumber v) {
    if (v != 0)
        number(f, static_cast<std::uint32_t>(v));
}

void FieldValues::text(Field f, std::string_view v) {
    add(ItemKind::text, f).text = keep(v);
}

void FieldValues::share(Field f, double v) {
    add(ItemKind::share, f).share = v;
}

void FieldValues::time(Field f, std::optional<Duration> v) {
    if (v)
        add(ItemKind::time, f).nanoseconds = to_ns(*v);
}

void FieldValues::expert(expert_field *expert, std::string_view text) {
    Item &item = add(ItemKind::expert, {});
    item.expert = expert;
    item.text = keep(text);
}

} // namespace iscsiscope::plugin
