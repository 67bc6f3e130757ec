// SPDX-License-Identifier: GPL-2.0-or-later
// FieldValues holds the items to be shown of one frame as plain data. It is filled before Wireshark is
// called, because adding an item to a tree may longjmp (compat/guard.h), and is reused from frame to frame.
#pragma once

#include "plugin/fields/fields.h"
#include "plugin/store/store.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace iscsiscope::plugin {

struct Item {
    ItemKind kind{};
    Subtree subtree{};
    Field field{};
    union {
        std::uint64_t number = 0;
        std::int64_t nanoseconds;
        double share;
        std::size_t text; // offset in the texts; for a subtree that of its label
    };
    std::size_t note = 0;           // offset of a text behind the value; 0: none
    expert_field *expert = nullptr; // is added to the enclosing subtree, with the text
};
static_assert(std::is_trivially_destructible_v<Item>);

class FieldValues {
public:
    void clear();
    const Item *begin() const { return items_.data(); }
    const Item *end() const { return items_.data() + items_.size(); }
    // Text that follows the protocol's name in the tree. Empty: none.
    const char *title() const { return texts_.data(); }
    const char *text(const Item &i) const { return texts_.data() + i.text; }
    const char *note(const Item &i) const { return i.note != 0 ? texts_.data() + i.note : nullptr; }

    void open(Field, Subtree);
    void close(); // a subtree without items vanishes
    // Append to the title, if called right after clear(), or to a subtree's label, right after open().
    void append(std::string_view);
    void append(std::uint64_t);
    // Adds the fields of this part for a row of the subtree's table. A value that is not known is left out,
    // and so is a phase that took no time.
    void columns(Subtree, Part, const void *row);
    void flag(Field);                  // that is set
    void number(Field, std::uint32_t); // of an enumeration too
    void frame(Field, FrameNumber, std::string_view note = {});
    void text(Field, std::string_view);
    void expert(expert_field *, std::string_view);

private:
    Item &add(ItemKind, Field);
    void enumerator(const ColumnField &, std::string_view name);
    std::size_t keep(std::string_view);

    std::vector<Item> items_;
    std::vector<char> texts_{'\0'}; // each ends with a NUL; the first is the title
};

// Texts that are written beside the fields.
struct Labels {
    bool title = true, subtrees = true;
};

// Writes the facts of a frame as values; labels that are not wanted stay empty. May throw bad_alloc.
void write(const FrameFacts &, Labels, FieldValues &);

} // namespace iscsiscope::plugin
