// SPDX-License-Identifier: GPL-2.0-or-later
// What is to be shown of one frame, written out as plain data before Wireshark is called: adding an item
// may longjmp (guard.h). Reused from frame to frame.
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
        std::size_t text; // where it begins in the texts; of a subtree its label
    };
    expert_field *expert = nullptr; // belongs to the subtree in which it stands, with the text
};
static_assert(std::is_trivially_destructible_v<Item>);

class FieldValues {
public:
    void clear();
    const Item *begin() const { return items_.data(); }
    const Item *end() const { return items_.data() + items_.size(); }
    // Behind the protocol's name. Empty: nothing.
    const char *title() const { return texts_.data(); }
    const char *text(const Item &i) const { return texts_.data() + i.text; }

    void open(Field, Subtree);
    void close();
    // More words of the title, right after clear(), or of a subtree's label, right after open().
    void append(std::string_view);
    void append(std::uint64_t);
    // The columns of this part, of a row of the subtree's table; none for a value that is not known.
    void columns(Subtree, Part, const void *row);
    void frame(Field, FrameNumber);
    void text(Field, std::string_view);
    void expert(expert_field *, std::string_view);

private:
    Item &add(ItemKind, Field);
    std::size_t keep(std::string_view);

    std::vector<Item> items_;
    std::vector<char> texts_{'\0'}; // each ends with a NUL; the first is the title
};

// Words beside the fields.
struct Labels {
    bool title = true, subtrees = true;
};

// Facts → values, labels that nobody wants left empty. May throw bad_alloc.
void write(const FrameFacts &, Labels, FieldValues &);

} // namespace iscsiscope::plugin
