// SPDX-License-Identifier: GPL-2.0-or-later
// What is to be shown of one frame, written out as plain data before Wireshark is called: adding an item
// may longjmp (guard.h). Reused from frame to frame.
#pragma once

#include "plugin/fields/fields.h"
#include "plugin/store/store.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace iscsiscope::plugin {

enum class ItemKind : std::uint8_t { subtree, end_of_subtree, number, big_number, text, share, time, expert };

struct Item {
    ItemKind kind{};
    Subtree subtree{};
    Field field{};
    union {
        std::uint64_t number = 0;
        std::int64_t nanoseconds;
        double share;
        std::size_t text; // where it begins in the values's texts; of a subtree its label
    };
    expert_field *expert = nullptr; // said of the subtree in which it stands, with the text
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
    void say(std::string_view);
    void say(std::uint64_t);
    void number(Field, std::uint32_t);
    void big_number(Field, std::uint64_t);
    void frame(Field, FrameNumber); // none for 0
    void text(Field, std::string_view);
    void share(Field, double);
    void time(Field, std::optional<Duration>); // none for one that is not known
    void expert(expert_field *, std::string_view);
    // Numbers that may not be known.
    template <class T>
    void known_number(Field f, const std::optional<T> &v) {
        if (v)
            number(f, static_cast<std::uint32_t>(*v));
    }
    template <class T>
    void known_big_number(Field f, const std::optional<T> &v) {
        if (v)
            big_number(f, *v);
    }

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
