// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/show.h"

#include <type_traits>

namespace iscsiscope::plugin {
namespace {

constexpr std::size_t deepest = 3; // the protocol; a cycle; its phases, or a burst

nstime_t to_nstime(std::int64_t nanoseconds) {
    constexpr std::int64_t second = 1'000'000'000;
    nstime_t t;
    t.secs = static_cast<time_t>(nanoseconds / second);
    t.nsecs = static_cast<int>(nanoseconds % second);
    return t;
}

// The state that the loop below keeps across calls of Wireshark.
struct Place {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_item *items[deepest];
    proto_tree *trees[deepest];
    std::size_t depth;
};
static_assert(std::is_trivially_destructible_v<Place>);

// Adds generated items, which cover no bytes of the frame.
void add(const FieldValues &values, const Item &item, Place &at) {
    proto_tree *tree = at.trees[at.depth];
    const int id = hf(item.field);
    proto_item *added = nullptr;
    switch (item.kind) {
    case ItemKind::flag:
        added = proto_tree_add_boolean(tree, id, at.tvb, 0, 0, item.number != 0);
        break;
    case ItemKind::number:
        added = proto_tree_add_uint(tree, id, at.tvb, 0, 0, static_cast<guint32>(item.number));
        break;
    case ItemKind::big_number:
        added = proto_tree_add_uint64(tree, id, at.tvb, 0, 0, item.number);
        break;
    case ItemKind::text:
        added = proto_tree_add_string(tree, id, at.tvb, 0, 0, values.text(item));
        break;
    case ItemKind::share:
        added = proto_tree_add_double(tree, id, at.tvb, 0, 0, item.share);
        break;
    case ItemKind::time: {
        const nstime_t t = to_nstime(item.nanoseconds);
        added = proto_tree_add_time(tree, id, at.tvb, 0, 0, &t);
        break;
    }
    case ItemKind::expert:
        expert_add_info_format(at.pinfo, at.items[at.depth], item.expert, "%s", values.text(item));
        return;
    case ItemKind::subtree:
        added = proto_tree_add_none_format(tree, id, at.tvb, 0, 0, "%s", values.text(item));
        if (at.depth + 1 < deepest) {
            ++at.depth;
            at.items[at.depth] = added;
            at.trees[at.depth] = proto_item_add_subtree(added, ett(item.subtree));
        }
        break;
    case ItemKind::end_of_subtree:
        if (at.depth > 0)
            --at.depth;
        return;
    }
    if (const char *note = values.note(item))
        proto_item_append_text(added, " (%s)", note);
    proto_item_set_generated(added);
}

} // namespace

Labels labels_wanted(proto_tree *tree, int protocol) {
    if (tree == nullptr)
        return {false, false};
    const bool visible = PTREE_DATA(tree)->visible != 0;
    const auto is_asked = [&](int id) {
        return visible || is_referenced_itself(*proto_registrar_get_nth(static_cast<guint>(id)));
    };
    Labels labels;
    labels.title = is_asked(protocol);
    labels.subtrees = visible;
    for (const Field field :
         {Field::cycle, Field::inferred, Field::burst, Field::gap, Field::ledger, Field::tcp})
        labels.subtrees = labels.subtrees || is_asked(hf(field));
    return labels;
}

void show(const FieldValues &values, int protocol, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
    if (tree == nullptr) { // Wireshark counts expert infos without one
        for (const Item *item = values.begin(); item != values.end(); ++item)
            if (item->kind == ItemKind::expert)
                expert_add_info_format(pinfo, nullptr, item->expert, "%s", values.text(*item));
        return;
    }
    Place at{tvb, pinfo, {}, {}, 0};
    at.items[0] = proto_tree_add_item(tree, protocol, tvb, 0, 0, ENC_NA);
    proto_item_set_generated(at.items[0]);
    if (values.title()[0] != '\0')
        proto_item_append_text(at.items[0], ": %s", values.title());
    at.trees[0] = proto_item_add_subtree(at.items[0], ett(Subtree::protocol));
    for (const Item *item = values.begin(); item != values.end(); ++item)
        add(values, *item, at);
}

} // namespace iscsiscope::plugin
